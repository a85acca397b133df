package datasets

import (
	"os"
	"strings"
)

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
