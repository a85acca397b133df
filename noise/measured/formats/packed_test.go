package formats

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"

	"jitterfly/internal/tests"
)

// A compressed file is read as what it has; one that is cut off or damaged is an error of one line.
func TestPacked(t *testing.T) {
	text := tests.Must(os.ReadFile("testdata/reported/sp3.txt"))(t)
	want := mustRead(t, string(text))
	for name, open := range map[string]func(io.Writer) (io.WriteCloser, error){
		"gz":  func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil },
		"xz":  func(w io.Writer) (io.WriteCloser, error) { return xz.NewWriter(w) },
		"zst": func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) },
	} {
		var b bytes.Buffer
		w, err := open(&b)
		if err == nil {
			_, err = w.Write(text)
		}
		if err = errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
		if got := mustRead(t, b.String()); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %+v", name, got)
		}
		damaged := b.Bytes()
		damaged[len(damaged)/2] ^= 0x55
		for _, bad := range []string{b.String(), b.String()[:b.Len()*3/4]} {
			tests.Fails(t, "^f: ", name)(Read(strings.NewReader(bad), "f"))
		}
	}
	for name, want := range map[string]string{"a.txt.gz": "a.txt", "a.xz": "a", "a.b.zst": "a.b", "a.gzip": "a.gzip"} {
		if got := Unpacked(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// What is unpacked is bounded.
func TestUnpackedIsBounded(t *testing.T) {
	r := &limited{strings.NewReader("12345"), 3}
	if b, err := io.ReadAll(r); string(b) != "123" || !errors.Is(err, errUnpacked) {
		t.Errorf("%q, %v", b, err)
	}
}
