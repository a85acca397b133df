package figures

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"slices"
	"strings"

	"jitterfly/datasets"
)

// mark stands in the last bytes of each picture, which identify the program that drew it.
const mark = "jitterfly picture"

// tail is how many bytes at the end of a picture have the mark.
const tail = 64

// marked returns a picture with the mark: in a comment of SVG and PDF, in a chunk of PNG.
func marked(content []byte, format string) []byte {
	switch format {
	case "svg":
		return append(content, "<!-- "+mark+" -->\n"...)
	case "pdf":
		return append(content, "%"+mark+"\n"...)
	}
	// PNG (W3C, section 5.3): the length of the data, the type, the data, a checksum of both. The
	// last chunk ends the picture; it has no data.
	const lastChunk = 12
	end := len(content) - lastChunk
	const kind, data = "tEXt", "Software\x00" + mark
	sum := crc32.NewIEEE()
	_, _ = io.WriteString(sum, kind+data)
	chunk := sum.Sum([]byte("\x00\x00\x00" + string(rune(len(data))) + kind + data))
	return slices.Concat(content[:end], chunk, content[end:])
}

// Replaceable fails if the file exists and is neither a picture nor a trace of this package.
func Replaceable(path string) error {
	ours := func(head, end string) bool {
		return strings.HasPrefix(head, traceHead) || strings.Contains(end, mark)
	}
	return ReplaceableIf(ours, path, "exists and jitterfly did not draw it; name another place with --out")
}

// ReplaceableIf fails with a reason if the file exists and is not ours, by its first and its last
// bytes, at most [tail] of each.
func ReplaceableIf(ours func(head, end string) bool, path, reason string) error {
	info, err := os.Stat(path)
	if err != nil {
		return nil //nolint:nilerr // the file is absent, or writing it fails
	}
	if info.Mode().IsRegular() {
		head, end, err := ends(path)
		if err != nil {
			return datasets.FileError(path, err)
		}
		if ours(head, end) {
			return nil
		}
	}
	return fmt.Errorf("%s %s", path, reason)
}

// ends returns the first and the last bytes of a file, at most [tail] of each.
func ends(path string) (head, end string, err error) {
	f, err := datasets.OpenFile(path)
	if err != nil {
		return "", "", err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return "", "", err
	}
	var first, last bytes.Buffer
	_, errFirst := io.Copy(&first, io.NewSectionReader(f, 0, tail))
	_, errLast := io.Copy(&last, io.NewSectionReader(f, max(0, info.Size()-tail), tail))
	return first.String(), last.String(), errors.Join(errFirst, errLast)
}
