package datasets

import (
	"bufio"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sync"

	"golang.org/x/sys/unix"
)

// A pending is a file that is being written under a temporary name. Under its final
// name it appears with publish, whole.
type pending struct {
	*bufio.Writer
	on      disk
	path    string // the temporary one
	file    diskFile
	content hash.Hash // of what has been flushed
}

// create creates a file that is to appear in dir. Its temporary name is random, so
// that two processes, on whichever hosts, do not write into one file.
func create(on disk, dir, name string) (*pending, error) {
	for try := 1; ; try++ {
		path := filepath.Join(dir, temporaryName(name))
		f, err := on.create(path)
		if err == nil {
			content := sha256.New()
			buffer := bufio.NewWriterSize(io.MultiWriter(f, content), 1<<18)
			return &pending{buffer, on, path, f, content}, nil
		}
		if try == maxNames || !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
}

// maxNames is how many temporary names are tried. One is in use already by a rare chance.
const maxNames = 10

// digest returns the SHA-256 of the completed file, as [digest] does.
func (p *pending) digest() string { return hex.EncodeToString(p.content.Sum(nil)) }

// digest returns the SHA-256 of a file's content in hexadecimal.
func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// complete flushes the file to the disk. Only then may it be published. The file stays open, and
// so claimed, until it is abandoned.
func (p *pending) complete() error { return errors.Join(p.Flush(), p.file.Sync()) }

// publish renames the completed file to its final name.
func (p *pending) publish(name string) error {
	dir := filepath.Dir(p.path)
	if err := p.on.rename(p.path, filepath.Join(dir, name)); err != nil {
		return err
	}
	return p.on.syncDir(dir)
}

// publishNew publishes under a name that no file must have yet: of two processes the first has it.
// Where the file system has no hard links both may, if they publish in the same moment.
func (p *pending) publishNew(name string) error {
	path := filepath.Join(filepath.Dir(p.path), name)
	err := p.on.link(p.path, path)
	switch {
	case err != nil && exists(path):
		return fs.ErrExist
	case err != nil:
		return p.publish(name)
	}
	return p.on.syncDir(filepath.Dir(path))
}

func (p *pending) abandon() {
	_ = p.file.Close()
	_ = p.on.remove(p.path)
}

// WriteFile writes a file that appears whole or not at all. It replaces a file of that name, and
// fails if what has the name is not a regular file, such as a device. It removes the temporary
// files that killed processes of this program have left in the directory.
func WriteFile(path string, content []byte) error {
	if path == "-" {
		return errors.New("-: it is written to a file, not to standard output; name one, or write ./-")
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s: exists and is not a regular file", path)
	}
	removeLeftovers(filepath.Dir(path))
	return brief(writeContent(osDisk{}, path, content))
}

// CanWrite fails if [WriteFile] could not write a file of that name because of its directory.
func CanWrite(path string) error {
	return Unnamed(canCreate(osDisk{}, filepath.Dir(path), filepath.Base(path)))
}

func canCreate(on disk, dir, name string) error {
	p, err := create(on, dir, name)
	if err == nil {
		p.abandon()
	}
	return err
}

// writeContent writes a file that appears whole or not at all.
func writeContent(on disk, path string, content []byte) error {
	return writeAs((*pending).publish, on, path, content)
}

// writeAs is [writeContent] with another way to publish the file.
func writeAs(publish func(*pending, string) error, on disk, path string, content []byte) error {
	p, err := create(on, filepath.Dir(path), filepath.Base(path))
	if err != nil {
		return err
	}
	defer p.abandon()
	if _, err := p.Write(content); err != nil {
		return err
	}
	if err := p.complete(); err != nil {
		return err
	}
	return publish(p, filepath.Base(path))
}

// brief leaves out the operation that a path error names, and joined errors after the first: path:
// no space left on device. Of a temporary name it says the final one.
func brief(err error) error {
	if path := new(fs.PathError); errors.As(err, &path) {
		name := path.Path
		if final, ok := temporaryOf(filepath.Base(name)); ok {
			name = filepath.Join(filepath.Dir(name), final)
		}
		return fmt.Errorf("%s: %w", name, path.Err)
	}
	if link := new(os.LinkError); errors.As(err, &link) {
		return fmt.Errorf("%s: %w", link.New, link.Err)
	}
	return err
}

// A file that is being written has the temporary name NAME.jitterfly-TAG.tmp, and its process a lock on
// it: the system unlocks it when the process ends, however it ends. So another process can remove what a
// killed one has left, and nothing else.
var temporary = regexp.MustCompile(`(?s)^(.+)\.jitterfly-[A-Z2-7]{12}\.tmp$`)

// temporaryName returns a temporary name of a file, with a random tag.
func temporaryName(name string) string { return name + ".jitterfly-" + rand.Text()[:12] + ".tmp" }

// temporaryOf returns the final name of a file with a temporary name, and whether it
// is a temporary name of this program.
func temporaryOf(name string) (string, bool) {
	if match := temporary.FindStringSubmatch(name); match != nil {
		return match[1], true
	}
	return "", false
}

// searched are the directories in which this process has removed leftovers.
var searched sync.Map

// removeLeftovers removes the temporary files of processes that were killed from a directory, the
// first time that it is called for this directory. Files that it cannot remove, or whose process may
// be alive, stay.
func removeLeftovers(dir string) {
	if _, again := searched.LoadOrStore(dir, true); again {
		return
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, f := range files {
		if _, ok := temporaryOf(f.Name()); ok && f.Type().IsRegular() {
			_ = removeUnclaimed(filepath.Join(dir, f.Name()), os.Remove)
		}
	}
}

// errClaimed is the error of a file that a living process has claimed.
var errClaimed = errors.New("a process is writing it")

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

// claim locks a file that this process has just created, until it is closed. It fails with
// [fs.ErrExist] if another process has removed the file before it was locked. Where the file system
// has no locks it does nothing.
func claim(f *os.File) error {
	switch err := lock(f); {
	case errors.Is(err, errClaimed):
		return fs.ErrExist
	case err != nil:
		return nil //nolint:nilerr // then others do not find it unlocked either
	}
	var s unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &s); err == nil && s.Nlink == 0 {
		return fs.ErrExist
	}
	return nil
}

// removeUnclaimed calls remove with the path of a file that no process has claimed. It fails with
// [errClaimed] if one has, and with [errors.ErrUnsupported] if that is not known.
func removeUnclaimed(path string, remove func(path string) error) error {
	f, err := os.OpenFile(path, os.O_RDWR|unix.O_NONBLOCK|unix.O_NOFOLLOW, 0)
	if err != nil {
		return errors.ErrUnsupported
	}
	defer func() { _ = f.Close() }()
	if err := lock(f); err != nil {
		return err
	}
	return remove(path)
}

// lock locks a file until it is closed. It fails with [errClaimed] if the file is locked, and with
// [errors.ErrUnsupported] if it cannot be.
func lock(f *os.File) error {
	for {
		switch err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); {
		case err == nil:
			return nil
		case errors.Is(err, unix.EWOULDBLOCK):
			return errClaimed
		case !errors.Is(err, unix.EINTR):
			return errors.ErrUnsupported
		}
	}
}
