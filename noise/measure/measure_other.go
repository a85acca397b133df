//go:build !linux

package measure

import (
	"context"
	"fmt"
	"runtime"
)

var errSystem = fmt.Errorf("measuring is for Linux, and this is %s", runtime.GOOS)

// Allowed returns the cores that this process may run on. Elsewhere than on Linux it
// is an error.
func Allowed() ([]int, error) { return nil, errSystem }

// Run measures. Elsewhere than on Linux it is an error.
func Run(context.Context, Options) (Result, error) { return Result{}, errSystem }

// Warnings returns what may disturb a measurement of the cores. Elsewhere than on
// Linux none is known.
func Warnings([]int) []string { return nil }
