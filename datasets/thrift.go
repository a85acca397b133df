package datasets

import (
	"encoding/binary"
	"errors"

	"github.com/parquet-go/parquet-go/encoding/thrift"
)

// errThrift is the error of a structure that is longer than the bytes that there are.
var errThrift = errors.New("damaged: a header that does not fit")

// deepest bounds the nesting of structures. Parquet needs six.
const deepest = 16

// skipStruct returns the bytes after a structure of Thrift's compact protocol. It fails
// if a list or a text claims to be longer than the bytes that follow.
func skipStruct(b []byte, depth int) ([]byte, error) {
	if depth > deepest {
		return nil, errThrift
	}
	for len(b) > 0 {
		head := b[0]
		b = b[1:]
		kind, delta := thrift.Type(head&0xF), head>>4
		if head == 0 {
			return b, nil
		}
		if delta == 0 { // the field's number follows
			_, n := binary.Varint(b)
			if n <= 0 {
				return nil, errThrift
			}
			b = b[n:]
		}
		if kind == thrift.TRUE || kind == thrift.BOOL { // the value is the type
			continue
		}
		var err error
		if b, err = skipValue(b, kind, depth+1); err != nil {
			return nil, err
		}
	}
	return nil, errThrift
}

// skipValue returns the bytes after a value other than a boolean field.
func skipValue(b []byte, kind thrift.Type, depth int) ([]byte, error) {
	size := uint64(0)
	switch kind {
	case thrift.TRUE, thrift.BOOL, thrift.I8:
		size = 1
	case thrift.DOUBLE:
		size = 8
	case thrift.I16, thrift.I32, thrift.I64:
		_, n := binary.Uvarint(b)
		if n <= 0 {
			return nil, errThrift
		}
		size = uint64(n)
	case thrift.BINARY:
		length, n := binary.Uvarint(b)
		if n <= 0 {
			return nil, errThrift
		}
		b, size = b[n:], length
	case thrift.LIST, thrift.SET:
		return skipList(b, depth)
	case thrift.STRUCT:
		return skipStruct(b, depth)
	default: // Parquet has no maps
		return nil, errThrift
	}
	if size > uint64(len(b)) {
		return nil, errThrift
	}
	return b[size:], nil
}

func skipList(b []byte, depth int) ([]byte, error) {
	if len(b) == 0 || depth > deepest {
		return nil, errThrift
	}
	kind, count := thrift.Type(b[0]&0xF), uint64(b[0]>>4)
	b = b[1:]
	if count == 15 {
		length, n := binary.Uvarint(b)
		if n <= 0 {
			return nil, errThrift
		}
		b, count = b[n:], length
	}
	for range count { // of which each is a byte at least, so that this ends
		var err error
		if b, err = skipValue(b, kind, depth+1); err != nil {
			return nil, err
		}
	}
	return b, nil
}
