package datasets

import (
	"encoding/binary"
	"errors"
	"math"
	"reflect"
)

// Parts have records in a plain encoding: a number is eight bytes, and a text or a list is its
// length and its elements. So a reader can check every length against the bytes that there are
// before it allocates, and no file makes it use more memory than a small multiple of the file's
// size. Readers of Parquet trust the lengths in a file.

var errShort = errors.New("says to be longer than it is")

// pack appends a value, of int64, float64 or string, or a struct or list of these, to
// b, and returns the result.
func pack(b []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.Int64:
		return binary.LittleEndian.AppendUint64(b, uint64(v.Int()))
	case reflect.Float64:
		return binary.LittleEndian.AppendUint64(b, math.Float64bits(v.Float()))
	case reflect.String:
		b = binary.LittleEndian.AppendUint64(b, uint64(v.Len()))
		return append(b, v.String()...)
	case reflect.Slice:
		b = binary.LittleEndian.AppendUint64(b, uint64(v.Len()))
		for i := range v.Len() {
			b = pack(b, v.Index(i))
		}
		return b
	}
	for i := range v.NumField() {
		b = pack(b, v.Field(i))
	}
	return b
}

// unpack sets v to what pack appended, and returns the bytes after it. It fails if
// there are too few.
func unpack(b []byte, v reflect.Value) (rest []byte, err error) {
	if v.Kind() == reflect.Struct {
		for i := 0; i < v.NumField() && err == nil; i++ {
			b, err = unpack(b, v.Field(i))
		}
		return b, err
	}
	if len(b) < 8 {
		return nil, errShort
	}
	word := binary.LittleEndian.Uint64(b)
	b = b[8:]
	switch v.Kind() {
	case reflect.Int64:
		v.SetInt(int64(word))
		return b, nil
	case reflect.Float64:
		v.SetFloat(math.Float64frombits(word))
		return b, nil
	case reflect.String:
		if word > uint64(len(b)) {
			return nil, errShort
		}
		v.SetString(string(b[:word]))
		return b[word:], nil
	}
	if word > uint64(len(b)/leastPacked(v.Type().Elem())) {
		return nil, errShort
	}
	v.Set(reflect.MakeSlice(v.Type(), int(word), int(word)))
	for i := 0; i < v.Len() && err == nil; i++ {
		b, err = unpack(b, v.Index(i))
	}
	return b, err
}

// leastPacked returns how many bytes a value of a type takes at least.
func leastPacked(t reflect.Type) int {
	if t.Kind() != reflect.Struct {
		return 8
	}
	n := 0
	for i := range t.NumField() {
		n += leastPacked(t.Field(i).Type)
	}
	return n
}
