package report

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Replaceable fails if the file exists and is not a report.
func Replaceable(path string) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	head := make([]byte, len(Mark))
	if _, err := io.ReadFull(f, head); err != nil || string(head) != Mark {
		return fmt.Errorf("%s exists and is not a report; name another file with --out", path)
	}
	return nil
}
