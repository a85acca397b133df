// Package file reads files and makes directories. Its errors name the file once, and
// then the reason.
package file

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Limit is how many bytes of a file are read whole at most.
const Limit = 64 << 20

// Read returns the content of the named file. It fails if that is not a regular file, as a
// device, which may have no end, or if it has more than [Limit] bytes.
func Read(name string) ([]byte, error) {
	info, err := os.Stat(name) // before it is opened, which takes forever for some files
	if err == nil {
		err = Check(info, Limit)
	}
	if err != nil {
		return nil, Error(name, err)
	}
	content, err := os.ReadFile(name)
	return content, Error(name, err)
}

// Check fails if a file is not a regular one, or has more bytes than the limit.
func Check(info fs.FileInfo, limit int64) error {
	switch {
	case info.IsDir():
		return errors.New("it is a directory")
	case !info.Mode().IsRegular():
		return errors.New("it is not a regular file")
	case info.Size() > limit:
		return fmt.Errorf("it has %d bytes, and at most %d are read", info.Size(), limit)
	}
	return nil
}

// MakeDir makes the named directory, and those above it, if they do not exist.
func MakeDir(name string) error { return Error(name, os.MkdirAll(name, 0o777)) }

// Error returns an error that begins with the name of a file, in place of the name that
// an error of package os has; nil if err is nil.
func Error(name string, err error) error {
	if pathErr := new(fs.PathError); errors.As(err, &pathErr) {
		err = pathErr.Err
	}
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", name, err)
}
