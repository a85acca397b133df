package datasets

import (
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Clean removes what interrupted processes have left in the directory of a finished study: parts
// that are not needed to continue it, temporary files, inputs of other plans. It removes no file
// that is not of this package, and nothing while the study is not finished.
func (d *Dir) Clean() error {
	if !d.Finished() {
		return nil
	}
	if _, err := d.Load(-1); err != nil { // so that it is known what to keep
		return err
	}
	return d.clean()
}

// clean removes the files that only an unfinished study needs, as [Dir.Clean] does.
func (d *Dir) clean() error {
	ours := []string{PlanFile, RunFile, summaryFile, choiceFile, trialsFile}
	err := d.remove(d.path, func(name string) bool {
		final, temporary := temporaryOf(name)
		return temporary && slices.Contains(ours, final)
	})
	return brief(errors.Join(err, d.cleanInputs(), d.cleanParts()))
}

// cleanParts removes the parts, but for those with trials to continue from.
func (d *Dir) cleanParts() error {
	needed := map[string]bool{}
	for _, e := range d.entries {
		if e.part != nil && State(e.state) == AtBound && e.trials > 0 {
			needed[e.part.name] = true
		}
	}
	err := d.remove(d.partsPath(), func(name string) bool {
		final, temporary := temporaryOf(name)
		_, ok := parsePartName(name)
		_, halfPart := parsePartName(final)
		return ok && !needed[name] || temporary && halfPart || strings.HasPrefix(name, probePrefix)
	})
	d.removeEmpty(d.partsPath())
	return err
}

// cleanInputs removes temporary files among the inputs, and the inputs of other plans.
func (d *Dir) cleanInputs() error {
	var err error
	var folders []string
	walk := func(name string, entry fs.DirEntry, walkErr error) error {
		if walkErr != nil || !entry.IsDir() {
			return nil //nolint:nilerr // what cannot be read is not removed
		}
		folders = append(folders, name)
		relative, _ := filepath.Rel(d.path, name)
		err = errors.Join(err, d.remove(name, func(file string) bool {
			_, temporary := temporaryOf(file)
			input := path.Join(filepath.ToSlash(relative), file)
			_, used := d.plan.Inputs[input]
			return temporary || !used && ofFolder(input)
		}))
		return nil
	}
	_ = filepath.WalkDir(filepath.Join(d.path, InputsDir), walk)
	for _, folder := range slices.Backward(folders) {
		d.removeEmpty(folder)
	}
	return err
}

// ofFolder reports whether an input is in a folder as [InputsFolder] names it.
func ofFolder(input string) bool {
	parts := strings.Split(input, "/")
	if len(parts) < 3 || parts[0] != InputsDir {
		return false
	}
	sum, err := hex.DecodeString(parts[1])
	return err == nil && len(sum) == 8
}

// removeEmpty removes a directory if it is there and has no file, of whomever.
func (d *Dir) removeEmpty(dir string) {
	if files, err := os.ReadDir(dir); err == nil && len(files) == 0 {
		_ = d.disk.remove(dir) // it fails if another process has put a file there
	}
}

// remove removes the files of a directory for whose names kind is true. It succeeds if there is
// no such directory.
func (d *Dir) remove(dir string, kind func(name string) bool) error {
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, f := range files {
		if f.IsDir() || !kind(f.Name()) {
			continue
		}
		if err := d.disk.remove(filepath.Join(dir, f.Name())); err != nil &&
			!errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
