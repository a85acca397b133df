package datasets

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Clean removes what interrupted processes have left in the directory of a finished study: parts
// that are not needed to continue it, temporary files, inputs of other plans. It removes no file
// that is not of this package, nothing that it finds through a link, and nothing while the study is
// not finished.
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
	err := d.remove(d.path, func(name string) bool {
		final, temporary := temporaryOf(name)
		return temporary && (final == PlanFile || slices.Contains(finishedFiles, final))
	})
	return brief(errors.Join(err, d.cleanInputs(), d.cleanParts()))
}

// isTemporary reports whether a file has a temporary name of this program.
func isTemporary(name string) bool {
	_, temporary := temporaryOf(name)
	return temporary
}

// cleanParts removes the parts, except those with trials to continue from, and temporary files.
func (d *Dir) cleanParts() error {
	needed := map[string]bool{}
	for _, e := range d.entries {
		if e.part != nil && e.trials > 0 {
			needed[e.part.name] = true
		}
	}
	err := d.remove(d.partsPath(), func(name string) bool {
		_, isPart := parsePartName(name)
		return isTemporary(name) || isPart && !needed[name]
	})
	return errors.Join(err, d.removeEmpty(d.partsPath()))
}

// cleanInputs removes temporary files in the folders of inputs, and the inputs of other plans.
func (d *Dir) cleanInputs() error {
	inputs := filepath.Join(d.path, InputsDir)
	folders, err := d.list(inputs)
	for _, f := range folders {
		if sum, other := hex.DecodeString(f.Name()); err == nil && other == nil && len(sum) == 8 && f.IsDir() {
			err = d.cleanFolder(filepath.Join(inputs, f.Name()))
		}
	}
	return errors.Join(err, d.removeEmpty(inputs))
}

// cleanFolder removes temporary files of a folder of inputs, and all its files if they are the inputs of
// another plan, whole and with nothing besides: the folder's name is a digest of them, as [InputsFolder]
// returns it.
func (d *Dir) cleanFolder(folder string) error {
	if err := d.removeBelow(folder, isTemporary); err != nil {
		return err
	}
	name, digests := filepath.Base(folder), map[string]string{}
	for input := range d.plan.Inputs {
		if strings.HasPrefix(input, path.Join(InputsDir, name)+"/") {
			return nil
		}
	}
	err := fs.WalkDir(os.DirFS(folder), ".", func(input string, f fs.DirEntry, err error) error {
		if err != nil || f.IsDir() {
			return err
		}
		if !f.Type().IsRegular() {
			return fs.ErrInvalid
		}
		digests[input], err = fileDigest(filepath.Join(folder, filepath.FromSlash(input)))
		return err
	})
	if err != nil || folderOf(digests) != name {
		return nil //nolint:nilerr // what cannot be read is not removed
	}
	return d.removeBelow(folder, func(string) bool { return true })
}

func fileDigest(name string) (string, error) {
	f, err := OpenFile(name)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	sum, _, err := sumOf(f)
	return sum, err
}

// removeBelow removes files of a directory and of those below it, as remove does, and directories
// that are empty then. It follows no links.
func (d *Dir) removeBelow(dir string, kind func(name string) bool) error {
	entries, err := d.list(dir)
	for _, e := range entries {
		if err == nil && e.IsDir() {
			err = d.removeBelow(filepath.Join(dir, e.Name()), kind)
		}
	}
	if err == nil {
		err = d.remove(dir, kind)
	}
	return errors.Join(err, d.removeEmpty(dir))
}

// isDir reports whether a path is a directory, not a link to one.
func isDir(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

// list returns the entries of a directory, in the order of their names. It returns none if dir
// does not exist, or is a link: its target may belong to another study.
func (d *Dir) list(dir string) ([]fs.DirEntry, error) {
	if dir != d.path && !isDir(dir) {
		return nil, nil
	}
	entries, err := d.disk.list(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return entries, err
}

func (d *Dir) removeEmpty(dir string) error {
	if !isDir(dir) {
		return nil
	}
	err := d.disk.remove(dir)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist) { // there are files
		return nil
	}
	return err
}

// remove removes the regular files of a directory for whose names kind is true, except files that a
// living process is writing.
func (d *Dir) remove(dir string, kind func(name string) bool) error {
	files, err := d.list(dir)
	if err != nil {
		return err
	}
	for _, f := range files {
		if !f.Type().IsRegular() || !kind(f.Name()) {
			continue
		}
		name := filepath.Join(dir, f.Name())
		err := removeUnclaimed(name, d.disk.remove)
		if errors.Is(err, errors.ErrUnsupported) {
			err = d.disk.remove(name) // who writes it finds that the study is finished
		}
		if err != nil && !errors.Is(err, errClaimed) && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Remove removes what this package has written into a directory of results, also if that is
// damaged. The directory and other files stay, and so does all that is behind links. The plan goes
// last, so that what is left of an interrupted removal is still a directory of results.
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
	for _, names := range [][]string{finishedFiles, {PlanFile}} {
		err = errors.Join(err, d.remove(path, func(name string) bool {
			final, temporary := temporaryOf(name)
			return slices.Contains(names, name) || temporary && slices.Contains(names, final)
		}))
	}
	return brief(err)
}

// removeInput removes an input of the plan if it is a regular file and no directory above it is a
// link.
func (d *Dir) removeInput(name string) error {
	for dir := filepath.Dir(name); dir != "."; dir = filepath.Dir(dir) {
		if !isDir(filepath.Join(d.path, dir)) {
			return nil
		}
	}
	return d.remove(filepath.Join(d.path, filepath.Dir(name)), func(file string) bool {
		return file == filepath.Base(name)
	})
}
