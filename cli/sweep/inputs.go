package sweep

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"jitterfly/cli/study"
	"jitterfly/datasets"
	"jitterfly/noise/profile"
)

// profileName is the name of a profile in its directory of inputs.
const profileName = "profile.yaml"

// gather reads the files that a study refers to, so that a plan can have copies of them.
// It returns the values of the study with the names of the copies, and the content of
// each by that name. The names begin with a digest of all, so that two processes that plan in
// one directory do not replace each other's.
func gather(s *study.Study) (study.Recorded, map[string][]byte, error) {
	r := s.Recorded
	inputs := map[string][]byte{}
	written := study.Recorded{Values: map[string][]string{}, Given: r.Given}
	for key, values := range r.Values {
		written.Values[key] = slices.Clone(values)
	}
	var copies []*string // values that name a copy
	for _, k := range study.Keys {
		for j, name := range written.Values[k.Path] {
			name = strings.TrimSpace(name)
			if k.Files == nil || slices.Contains(k.Names, name) || k == study.NoiseProfile && datasets.Presets().Find(name) != nil {
				continue
			}
			place := path.Join(fmt.Sprintf("%s-%d", k.Flag, j), filepath.Base(name))
			content, err := s.Content(name)
			if err == nil && k == study.NoiseProfile {
				place = path.Join(path.Dir(place), profileName)
				err = gatherTraces(content, name, path.Dir(place), inputs)
			}
			if err != nil {
				return written, nil, fmt.Errorf("%s: %w", k.Path, err)
			}
			inputs[place], written.Values[k.Path][j] = content, place
			copies = append(copies, &written.Values[k.Path][j])
		}
	}
	folder := datasets.InputsFolder(inputs)
	for _, name := range copies {
		*name = path.Join(folder, *name)
	}
	placed := map[string][]byte{}
	for name, content := range inputs {
		placed[path.Join(folder, name)] = content
	}
	return written, placed, nil
}

// gatherTraces reads the traces that a profile replays into inputs below place. It fails if the
// name of a trace leads out of the profile's directory.
func gatherTraces(content []byte, name, place string, inputs map[string][]byte) error {
	p, err := profile.Read(content, name)
	if err != nil {
		return err
	}
	for _, c := range p.OS {
		if c.Kind != profile.Replay {
			continue
		}
		at := path.Join(place, c.Trace)
		if !strings.HasPrefix(at, place+"/") || at == path.Join(place, profileName) {
			return fmt.Errorf("%s: the trace %s cannot be copied with it; "+
				"put it into the profile's directory under another name", name, c.Trace)
		}
		trace := filepath.Join(filepath.Dir(name), filepath.FromSlash(c.Trace))
		if inputs[at], err = datasets.ReadFile(trace); err != nil {
			return err
		}
	}
	return nil
}
