package datasets

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

func (osDisk) renameNew(old, name string) error {
	err := unix.Renameat2(unix.AT_FDCWD, old, unix.AT_FDCWD, name, unix.RENAME_NOREPLACE)
	switch {
	case errors.Is(err, unix.EINVAL): // of a file system that does not know the flag
		return errors.ErrUnsupported
	case err != nil:
		return &os.LinkError{Op: "rename", Old: old, New: name, Err: err}
	}
	return nil
}
