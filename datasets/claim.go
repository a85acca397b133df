package datasets

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// errClaimed is the error of a file that a living process has claimed.
var errClaimed = errors.New("a process is writing it")

// claim locks a file that this process has just created, until it is closed. It fails with
// [fs.ErrExist] if another process has removed the file before it was locked. Where the file system
// has no locks it does nothing.
func claim(f *os.File) error {
	switch err := lock(f); {
	case errors.Is(err, errClaimed):
		return fs.ErrExist
	case err != nil:
		return nil //nolint:nilerr // then others do not find it unlocked either
	}
	var s unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &s); err == nil && s.Nlink == 0 {
		return fs.ErrExist
	}
	return nil
}

// removeUnclaimed calls remove with the path of a file that no process has claimed. It fails with
// [errClaimed] if one has, and with [errors.ErrUnsupported] if that is not known.
func removeUnclaimed(path string, remove func(path string) error) error {
	f, err := os.OpenFile(path, os.O_RDWR|unix.O_NONBLOCK|unix.O_NOFOLLOW, 0)
	if err != nil {
		return errors.ErrUnsupported
	}
	defer func() { _ = f.Close() }()
	if err := lock(f); err != nil {
		return err
	}
	return remove(path)
}

// lock locks a file until it is closed. It fails with [errClaimed] if the file is locked, and with
// [errors.ErrUnsupported] if it cannot be.
func lock(f *os.File) error {
	for {
		switch err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); {
		case err == nil:
			return nil
		case errors.Is(err, unix.EWOULDBLOCK):
			return errClaimed
		case !errors.Is(err, unix.EINTR):
			return errors.ErrUnsupported
		}
	}
}
