package formats

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
)

// Files may be compressed, which their first bytes show. At most maxUnpacked bytes are unpacked, by
// readers whose windows have at most maxWindow bytes.
const (
	maxUnpacked = 4 << 30
	maxWindow   = 128 << 20
)

// packings are ways to compress a file: its first bytes, the ending of its name, and what unpacks it.
var packings = []struct {
	magic, ending string
	open          func(io.Reader) (io.Reader, error)
}{
	{"\x1f\x8b", ".gz", func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }},
	{"\xfd7zXZ\x00", ".xz", func(r io.Reader) (io.Reader, error) { return xz.NewReader(r) }},
	{"BZh", ".bz2", func(r io.Reader) (io.Reader, error) { return bzip2.NewReader(r), nil }},
	{"\x28\xb5\x2f\xfd", ".zst", func(r io.Reader) (io.Reader, error) {
		return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
	}},
}

// Unpacked returns the name of a file without the ending by which it is known to be compressed.
func Unpacked(name string) string {
	for _, p := range packings {
		if short, ok := strings.CutSuffix(name, p.ending); ok {
			return short
		}
	}
	return name
}

// unpack returns the reader of what a compressed file has, or r if it is not compressed.
func unpack(r *bufio.Reader) (*bufio.Reader, error) {
	head, _ := r.Peek(6) // an error comes again where it is read
	for _, p := range packings {
		if bytes.HasPrefix(head, []byte(p.magic)) {
			unpacked, err := p.open(r)
			if err != nil {
				return r, err
			}
			return bufio.NewReaderSize(&limited{unpacked, maxUnpacked}, 1<<16), nil
		}
	}
	return r, nil
}

var errUnpacked = errors.New("it has more than 4 GiB when it is unpacked; cut it into several")

// A limited is a reader that fails after a number of bytes.
type limited struct {
	io.Reader
	left int64
}

func (l *limited) Read(b []byte) (int, error) {
	if l.left <= 0 {
		return 0, errUnpacked
	}
	n, err := l.Reader.Read(b[:min(int64(len(b)), l.left)])
	l.left -= int64(n)
	return n, err
}
