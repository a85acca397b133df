//go:build !unix

package datasets

import (
	"errors"
	"os"
)

// claim does nothing where there are no locks that end with their process.
func claim(*os.File) error { return nil }

// removeUnclaimed fails, as it is not known whether a process is writing the file.
func removeUnclaimed(string, func(path string) error) error { return errors.ErrUnsupported }
