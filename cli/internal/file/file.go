// Package file reads files and makes directories. Its errors name the file once, and
// then the reason.
package file

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Read returns the content of the named file.
func Read(name string) ([]byte, error) {
	content, err := os.ReadFile(name)
	return content, Error(name, err)
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
