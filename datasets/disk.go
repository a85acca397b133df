package datasets

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// A disk makes the changes of this package to a file system, and lists its directories. Tests have
// one that fails, and one that loses power.
type disk interface {
	// list returns the entries of a directory in the order of their names.
	list(path string) ([]fs.DirEntry, error)
	// create creates a file that does not exist, and claims it until it is closed.
	create(path string) (diskFile, error)
	link(old, name string) error
	rename(old, name string) error
	mkdir(path string) error
	remove(path string) error
	// syncDir flushes the names in a directory to the disk.
	syncDir(path string) error
}

type diskFile interface {
	io.WriteCloser
	Sync() error
}

type osDisk struct{}

var _ disk = osDisk{}

func (osDisk) create(path string) (diskFile, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, err
	}
	if err := claim(f); err != nil {
		_ = f.Close()
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return f, nil
}

func (osDisk) list(path string) ([]fs.DirEntry, error) { return os.ReadDir(path) }
func (osDisk) link(old, name string) error             { return os.Link(old, name) }
func (osDisk) rename(old, name string) error           { return os.Rename(old, name) }
func (osDisk) mkdir(path string) error                 { return os.Mkdir(path, 0o777) }
func (osDisk) remove(path string) error                { return os.Remove(path) }

func (osDisk) syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// makeDir makes a directory, and those above it, where they do not exist. Their names are on the
// disk when it returns.
func makeDir(on disk, path string) error {
	switch info, err := os.Stat(path); {
	case err == nil && info.IsDir():
		return nil
	case !errors.Is(err, fs.ErrNotExist):
		return errors.Join(err, &fs.PathError{Op: "mkdir", Path: path, Err: fs.ErrExist})
	}
	parent := filepath.Dir(path)
	if err := makeDir(on, parent); err != nil {
		return err
	}
	if err := on.mkdir(path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return on.syncDir(parent)
}
