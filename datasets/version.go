package datasets

import "time"

// Version is the version of the program. Every result file has it.
const Version = "0.1.0"

// VersionDate is the month of the version, for the manual.
var VersionDate = time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)

// commit is what a release was built from. The linker sets it; elsewhere it is empty.
var commit string

// VersionString returns the version, and of a release its commit.
func VersionString() string {
	if commit == "" {
		return Version
	}
	return Version + " (" + commit + ")"
}
