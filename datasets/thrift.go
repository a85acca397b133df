package datasets

import (
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
)

// errThrift is the error of a structure that is longer than the bytes that there are.
var errThrift = errors.New("damaged: a header that does not fit")

// deepest bounds the nesting of structures. Parquet needs six.
const deepest = 16

// decodeThrift decodes a structure of Thrift's compact protocol at the beginning of some bytes and
// returns the bytes after it. What it decodes shares the bytes.
func decodeThrift(content []byte, to any) (rest []byte, err error) {
	r := &boundedReader{
		BytesReader: new(thrift.CompactProtocol).NewReaderFromBytes(content),
		size:        len(content), open: []int32{1},
	}
	switch err := thrift.NewDecoder(r).Decode(to); {
	case errors.Is(err, errThrift) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return nil, errThrift
	case err != nil:
		return nil, fmt.Errorf("damaged: %w", err)
	}
	return content[r.BytesRead():], nil
}

// A boundedReader fails if a list claims to be longer than the bytes that follow, before the library
// makes room for it, or if structures are nested too deeply.
type boundedReader struct {
	thrift.BytesReader
	size int
	open []int32 // of each structure around the next field: how many are left of its list
}

// begin notes that a list of structures follows.
func (r *boundedReader) begin(structures int32) error {
	if len(r.open) > deepest {
		return errThrift
	}
	r.open = append(r.open, structures)
	return nil
}

func (r *boundedReader) ReadField() (thrift.Field, error) {
	f, err := r.BytesReader.ReadField()
	switch last := len(r.open) - 1; {
	case err != nil:
	case f.Type == thrift.STRUCT:
		err = r.begin(1)
	case f.Type == thrift.STOP:
		if r.open[last]--; r.open[last] == 0 {
			r.open = r.open[:last]
		}
	}
	return f, err
}

func (r *boundedReader) ReadList() (thrift.List, error) {
	l, err := r.BytesReader.ReadList()
	switch {
	case err != nil:
	case int(l.Size) > r.size-r.BytesRead(): // an element takes a byte or more
		err = errThrift
	case l.Type == thrift.STRUCT && l.Size > 0:
		err = r.begin(l.Size)
	case l.Type == thrift.LIST: // Parquet has none of lists
		err = errThrift
	}
	return l, err
}

// Parquet has no sets and no maps.
func (r *boundedReader) ReadSet() (thrift.Set, error) { return thrift.Set{}, errThrift }
func (r *boundedReader) ReadMap() (thrift.Map, error) { return thrift.Map{}, errThrift }

// Discard passes over n bytes.
func (r *boundedReader) Discard(n int) (int, error) {
	return r.BytesReader.(interface{ Discard(n int) (int, error) }).Discard(n)
}
