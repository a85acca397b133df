package report

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"jitterfly/internal/file"
)

// Replaceable fails if the file exists and is not a report.
func Replaceable(path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return file.Error(path, err)
	}
	head := make([]byte, len(Mark))
	if info.Mode().IsRegular() {
		f, err := file.Open(path)
		if err != nil {
			return file.Error(path, err)
		}
		defer func() { _ = f.Close() }()
		_, _ = io.ReadFull(f, head)
	}
	if string(head) != Mark {
		return fmt.Errorf("%s exists and is not a report; name another file with --out", path)
	}
	return nil
}
