package datasets

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// Remove removes what this package has written into a directory of results, also if that is
// damaged, and then the directory if it is empty. Other files stay, and so does all that is behind
// links. The plan goes last, so that what is left of an interrupted removal is still a directory of
// results.
func Remove(path string) error {
	if !isDir(path) {
		return fmt.Errorf("%s: not a directory", path)
	}
	d := &Dir{disk: osDisk{}, path: path, plan: new(Plan)}
	if plan, err := readPlan(path); err == nil {
		for name := range plan.Inputs {
			if err := d.removeInput(filepath.FromSlash(name)); err != nil {
				return brief(err)
			}
		}
	}
	err := errors.Join(d.cleanInputs(), d.cleanParts())
	for _, names := range [][]string{
		{RunFile, summaryFile, choiceFile, trialsFile, attributionFile}, {PlanFile},
	} {
		err = errors.Join(err, d.remove(path, func(name string) bool {
			final, temporary := temporaryOf(name)
			return slices.Contains(names, name) || temporary && slices.Contains(names, final)
		}))
	}
	return brief(errors.Join(err, d.removeEmpty(path)))
}

// removeInput removes an input of the plan if it is a regular file and no directory above it is a
// link.
func (d *Dir) removeInput(name string) error {
	for dir := filepath.Dir(name); dir != "."; dir = filepath.Dir(dir) {
		if !isDir(filepath.Join(d.path, dir)) {
			return nil
		}
	}
	path := filepath.Join(d.path, name)
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return nil //nolint:nilerr // there is nothing to remove
	}
	return d.disk.remove(path)
}
