//go:build !linux

package measured

import (
	"context"
	"fmt"
	"runtime"
)

var errSystem = fmt.Errorf("measuring is for Linux, and this is %s", runtime.GOOS)

// Allowed returns the cores that this process may run on. It fails on systems other than Linux.
func Allowed() ([]int, error) { return nil, errSystem }

// Measure measures. It fails on systems other than Linux.
func Measure(context.Context, Options) (Result, error) { return Result{}, errSystem }

// Warnings returns what may disturb a measurement of the cores: nothing is known on
// systems other than Linux.
func Warnings([]int) []string { return nil }
