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
func digest(content []byte) string { return fmt.Sprintf("%x", sha256.Sum256(content)) }

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
