package tests

import (
	"reflect"

	"github.com/google/go-cmp/cmp"
)

// Diff is [cmp.Diff], which takes seconds for large values, and here does not if they are equal.
func Diff(x, y any, options ...cmp.Option) string {
	if reflect.DeepEqual(x, y) {
		return ""
	}
	return cmp.Diff(x, y, options...)
}
