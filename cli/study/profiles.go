package study

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"jitterfly/cli/internal/output"
	"jitterfly/datasets"
	"jitterfly/noise"
	"jitterfly/noise/profile"
)

// FindProfile returns the preset of that name, or reads the file. It fails if there is neither,
// or if a trace that the profile replays cannot be read.
func FindProfile(name string) (Measured, error) { return new(Input).profile(name) }

// profile returns the profile that [FindProfile] does, in the files of the input.
func (in *Input) profile(name string) (Measured, error) {
	if preset := datasets.Presets().Find(name); preset != nil {
		p, err := profile.Read(preset, name)
		return Measured{Profile: p, ID: name}, err
	}
	text, err := in.content(name)
	if errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(name, `/\.`) {
		return Measured{}, fmt.Errorf("%q is neither a preset nor a file; %s", name, SuggestProfile(name))
	}
	if err != nil {
		return Measured{}, err
	}
	if ext := filepath.Ext(name); ext == ".parquet" {
		beside := strings.TrimSuffix(name, ext) + ".yaml"
		if _, err := os.Stat(beside); err == nil {
			return Measured{}, fmt.Errorf("%s is a trace; its profile is beside it, write --noise %s", name, beside)
		}
		return Measured{}, fmt.Errorf("%s is a trace, not a profile; write jitterfly import %s --out %s, and "+
			"--noise %s", name, name, beside, beside)
	}
	m := Measured{}
	if m.Profile, err = profile.Read(text, name); err != nil {
		return m, err
	}
	files, err := m.readTraces(func(trace string) ([]byte, error) {
		if in.Open != nil {
			return in.Open(path.Join(path.Dir(name), trace))
		}
		return datasets.ReadFileIn(filepath.Dir(name), trace, MaxTrace)
	})
	if err != nil {
		return m, fmt.Errorf("%s: %w", name, err)
	}
	digest := sha256.Sum256(append(text, files...))
	m.ID = fmt.Sprintf("%s@%x", m.Name, digest[:4])
	return m, nil
}

// readTraces reads the traces that the profile replays. It returns the contents of their files one after
// another.
func (m *Measured) readTraces(read func(trace string) ([]byte, error)) (files []byte, err error) {
	m.Traces = map[string]noise.Trace{}
	for _, c := range m.OS {
		if c.Kind != profile.Replay {
			continue
		}
		content, err := read(c.Trace)
		if err != nil {
			return nil, datasets.FileError(c.Trace, err)
		}
		if sum := sha256.Sum256(content); c.TraceDigest != "" &&
			c.TraceDigest != hex.EncodeToString(sum[:]) {
			return nil, fmt.Errorf("%s: not the trace that was imported, its SHA-256 is another; "+
				"import it again, or remove sha256 from the profile", c.Trace)
		}
		if m.Traces[c.Trace], err = datasets.DecodeTrace(content); err != nil {
			return nil, fmt.Errorf("%s: %w", c.Trace, err)
		}
		files = append(files, content...)
	}
	return files, nil
}

// MaxTrace is how many bytes of a trace are read: some 60 million detours.
const MaxTrace = 2 << 30

// SuggestProfile returns which presets a name may mean, the ones whose names contain it or else the most
// similar ones, and how to list all.
func SuggestProfile(name string) string {
	const all = "jitterfly presets lists all"
	var similar []string
	names := datasets.Presets().Names()
	for _, n := range names {
		if name != "" && strings.Contains(n, strings.ToLower(name)) {
			similar = append(similar, n)
		}
	}
	if similar == nil {
		similar = output.Similar(name, names)
	}
	if len(similar) == 0 {
		return all
	}
	return fmt.Sprintf("did you mean %s? %s", strings.Join(similar, " or "), all)
}
