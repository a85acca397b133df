package results

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"jitterfly/datasets"
)

// defaultDir is where a sweep writes its results without --out.
const defaultDir = "results"

// maxFound is the largest number of directories that an error names.
const maxFound = 5

// directory returns the directory that the arguments name, or the default if they name none. It
// fails if that has no study, and then says where there are finished ones.
func directory(args []string) (string, error) {
	if len(args) > 0 {
		return args[0], nil
	}
	for _, name := range []string{datasets.RunFile, datasets.PlanFile} {
		if _, err := os.Stat(filepath.Join(defaultDir, name)); err == nil {
			return defaultDir, nil
		}
	}
	var found []string
	for _, below := range []string{"*", filepath.Join("*", "*")} {
		files, _ := filepath.Glob(filepath.Join(below, datasets.RunFile)) // the pattern is well-formed
		for _, file := range files {
			found = append(found, filepath.Dir(file))
		}
	}
	switch n := len(found); {
	case n == 0:
		return "", errors.New("DIR: there are no results in " + defaultDir +
			"; run jitterfly sweep first, or name the directory of a finished sweep")
	case n > maxFound:
		found = append(found[:maxFound], fmt.Sprintf("and %d more", n-maxFound))
	}
	return "", fmt.Errorf("DIR: there are no results in %s; name a directory that has some: %s",
		defaultDir, strings.Join(found, ", "))
}
