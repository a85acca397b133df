package reproduce

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"jitterfly/internal/file"
	"jitterfly/noise"
	"jitterfly/noise/formats"
	"jitterfly/noise/profile"
	"jitterfly/noise/trace"
)

// An Archive is a directory with the measurements of a paper's authors. It keeps what it has read.
type Archive struct {
	dir  string
	read map[string]measured005
}

// NewArchive returns the archive in a directory.
func NewArchive(dir string) *Archive { return &Archive{dir: dir, read: map[string]measured005{}} }

// A Machine is a profile with the parameters of a paper.
type Machine struct {
	profile.Profile
	Trace trace.Trace // that it replays, if any
	ID    string      // of what it is adapted by
}

// A measured005 is what the authors measured of a system.
type measured005 struct {
	trace    trace.Trace
	shortest float64         // half round trip [s]
	excess   noise.Empirical // what others take beyond that
	digest   string          // of the files
}

// The files of a run: detours of netgauge's selfish loop, and half round trips of its one_one.
const (
	detours005   = "ng_osnoise.out"
	latencies005 = "ng_netnoise_mpi_lat.out"
)

// measurements returns what the archive has of a system: of the run whose times were published, in
// the directory in which the authors' archive of the run unpacks.
func (a *Archive) measurements(s system005) (measured005, error) {
	if known, ok := a.read[s.run]; ok {
		return known, nil
	}
	digest := sha256.New()
	read := func(name string) (formats.Measurement, error) {
		path := filepath.Join(a.dir, filepath.FromSlash(s.run), name)
		content, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return formats.Measurement{}, fmt.Errorf("%s is missing; unpack %s.tar.xz of the data there",
				path, s.run)
		} else if err != nil {
			return formats.Measurement{}, file.Error(path, err)
		}
		digest.Write(content)
		// The published times keep what netgauge's runs begin with.
		return formats.ReadAfter(bytes.NewReader(content), path, 0)
	}
	seen, err := read(detours005)
	if err != nil {
		return measured005{}, err
	}
	times, err := read(latencies005)
	if err != nil {
		return measured005{}, err
	}
	if seen.Trace == nil {
		return measured005{}, fmt.Errorf("%s of %s has no detours", detours005, s.run)
	}
	if len(times.Curves) == 0 {
		return measured005{}, fmt.Errorf("%s of %s has no latencies", latencies005, s.run)
	}
	point := times.Curves[0].Points[0]
	excess, ok := point.Excess()
	if !ok {
		return measured005{}, fmt.Errorf("%s of %s has only equal latencies", latencies005, s.run)
	}
	m := measured005{trace: *seen.Trace, shortest: point.Base(), excess: excess,
		digest: fmt.Sprintf("%x", digest.Sum(nil)[:4])}
	a.read[s.run] = m
	return m, nil
}
