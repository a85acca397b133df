// Package version has the version of the program.
package version

import "time"

// Number is the version of the program. Every result file has it.
const Number = "0.1.0"

// Date is the month of the version, for the manual.
var Date = time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
