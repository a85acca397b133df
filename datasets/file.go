package datasets

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// fileLimit is how many bytes of a file are read whole at most.
const fileLimit = 64 << 20

// OpenFile opens the named file for reading. It fails if the file is not regular: a device may
// never end, and opening a named pipe blocks until another process writes to it.
func OpenFile(name string) (*os.File, error) { return openRegular(os.OpenFile, name) }

// An opener opens a file, such as [os.OpenFile].
type opener func(name string, flag int, mode fs.FileMode) (*os.File, error)

// openRegular opens a file without waiting for other processes, as [OpenFile] does.
func openRegular(open opener, name string) (*os.File, error) {
	f, err := open(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case info.IsDir():
		err = &fs.PathError{Op: "open", Path: name, Err: errors.New("it is a directory")}
	case !info.Mode().IsRegular():
		err = &fs.PathError{Op: "open", Path: name, Err: errors.New("it is not a regular file")}
	default:
		return f, nil
	}
	return nil, errors.Join(err, f.Close())
}

// ReadFile returns the content of the named file. It fails if that is not a regular file, or if it
// has more than 64 MiB.
func ReadFile(name string) ([]byte, error) { return readFile(name, fileLimit) }

// readFile is [ReadFile] with another limit [bytes].
func readFile(name string, limit int64) ([]byte, error) {
	content, err := readRegular(os.OpenFile, name, limit)
	return content, FileError(name, err)
}

// ReadFileIn returns the content of the named file in a directory, up to a limit [bytes], as
// [ReadFile] does. It does not follow links that leave the directory.
func ReadFileIn(dir, name string, limit int64) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	return readRegular(root.OpenFile, filepath.FromSlash(name), limit)
}

// readRegular returns the content of a regular file. It fails if the file has more bytes than the
// limit.
func readRegular(open opener, name string, limit int64) ([]byte, error) {
	f, err := openRegular(open, name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	content, err := io.ReadAll(io.LimitReader(f, limit+1))
	if int64(len(content)) > limit {
		err = fmt.Errorf("it has more than %d bytes, and is not read", limit)
	}
	return content, err
}

// MakeDir makes the named directory, and those above it, if they do not exist.
func MakeDir(name string) error { return FileError(name, os.MkdirAll(name, 0o777)) }

// FileError returns an error that begins with the name of a file, in place of the name that
// an error of package os has; nil if err is nil.
func FileError(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", name, Unnamed(err))
}

// Unnamed returns an error without the name of a file, for messages that begin with it.
func Unnamed(err error) error {
	if pathErr := new(fs.PathError); errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return err
}
