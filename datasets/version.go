package datasets

import (
	"os"
	"strings"
	"time"
)

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

// Build identifies the code of the running program: a release by its number and commit, every other
// build by the SHA-256 digest of its executable. It fails if the executable cannot be read.
func Build() (string, error) {
	if commit != "" && !strings.Contains(commit, "modified") {
		return VersionString(), nil
	}
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	return fileDigest(path)
}
