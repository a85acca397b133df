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
	"jitterfly/noise/formats"
	"jitterfly/noise/profile"
	"jitterfly/noise/trace"
)

// An Archive is a directory with the measurements of a paper's authors. It keeps what it has read.
type Archive struct {
	dir  string
	read map[string]Replay
}

// NewArchive returns the archive in a directory.
func NewArchive(dir string) *Archive { return &Archive{dir: dir, read: map[string]Replay{}} }

// A Replay is a profile with the measurements of its system in place of its noise.
type Replay struct {
	// Profile replays the trace, and has the measured latencies as its network's noise. Adapted has
	// these as the paper scales them.
	Profile, Adapted profile.Profile
	Trace            trace.Trace
	Digest           string // of the files
}

// The files of a run: detours of netgauge's selfish loop, and half round trips of its one_one.
const (
	detours005   = "ng_osnoise.out"
	latencies005 = "ng_netnoise_mpi_lat.out"
)

// replay005 returns the measurements of a preset's system: of the run that the published times are
// of, in the directory in which the authors' archive of the run unpacks.
func replay005(a *Archive, p profile.Profile) (Replay, error) {
	if known, ok := a.read[p.Name]; ok {
		return known, nil
	}
	s := systemOf005(p.Name)
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
		return Replay{}, err
	}
	times, err := read(latencies005)
	if err != nil {
		return Replay{}, err
	}
	if seen.Trace == nil {
		return Replay{}, fmt.Errorf("%s of %s has no detours", detours005, s.run)
	}
	if len(times.Curves) == 0 {
		return Replay{}, fmt.Errorf("%s of %s has no latencies", latencies005, s.run)
	}
	point := times.Curves[0].Points[0]
	excess, ok := point.Excess()
	if !ok {
		return Replay{}, fmt.Errorf("%s of %s has only equal latencies", latencies005, s.run)
	}
	r := Replay{Trace: *seen.Trace}
	p.OS = []profile.Component{{Kind: profile.Replay, Trace: detours005}}
	p.Network.Noise = &profile.MessageNoise{Duration: excess}
	r.Profile, r.Adapted = p, p
	r.Adapted.Network, err = p.Network.Rescaled(point.Base(), s.middle)
	r.Digest = fmt.Sprintf("%x", digest.Sum(nil)[:4])
	a.read[p.Name] = r
	return r, err
}
