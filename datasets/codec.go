package datasets

import (
	"encoding/binary"
	"errors"
	"math"
	"reflect"
)

// Parts are records as bytes, and those plain: a number is eight bytes, and a
// text or a list is its length and what it holds. So a reader knows of every
// length whether the bytes are there before it makes room for them, and a part
// that is not ours cannot make it use more memory than a small multiple of the
// part's size. Parquet readers take the lengths in a file for true.

var errShort = errors.New("says to be longer than it is")

// pack appends a value: of int64, float64 and string, and structs and lists of
// these.
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

// unpack sets a value from what pack appended, and returns what follows it.
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
