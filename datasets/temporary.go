package datasets

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// A file that is being written has the temporary name NAME.TAG.tmp. The tag says that the file is
// one of this program, and a lock on the file that its process is alive: the system unlocks it when
// the process ends, however it ends. So another process can remove what a killed one has left, and
// nothing else.

const temporarySuffix = ".tmp"

// The hexadecimal digits of a tag: some at random, then some of a digest of these and of the name.
const tagRandom, tagDigits = 10, 16

// temporaryName returns a temporary name of a file, which only this program makes.
func temporaryName(name string) string {
	var b [tagRandom / 2]byte
	_, _ = rand.Read(b[:]) // which never fails
	return name + "." + sealTag(name, hex.EncodeToString(b[:])) + temporarySuffix
}

func sealTag(name, random string) string {
	return random + digest([]byte(program + "\n" + name + "\n" + random))[:tagDigits-tagRandom]
}

// temporaryOf returns the final name of a file with a temporary name, and whether it
// is a temporary name of this program.
func temporaryOf(name string) (string, bool) {
	rest, ok := strings.CutSuffix(name, temporarySuffix)
	dot := strings.LastIndexByte(rest, '.')
	if !ok || dot < 0 {
		return "", false
	}
	name, tag := rest[:dot], rest[dot+1:]
	return name, len(tag) == tagDigits && tag == sealTag(name, tag[:tagRandom])
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
