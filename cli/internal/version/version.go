// Package version has the version of the program.
package version

import "time"

// Number is the version of the program. Every result file has it.
const Number = "0.1.0"

// Date is the month of the version, for the manual.
var Date = time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)

// commit is what a release was built from. The linker sets it; elsewhere it is empty.
var commit string

// String returns the number, and of a release its commit.
func String() string {
	if commit == "" {
		return Number
	}
	return Number + " (" + commit + ")"
}
