package sweep

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"jitterfly/cli/internal/profiles"
	"jitterfly/cli/study"
	"jitterfly/datasets"
	"jitterfly/internal/file"
	"jitterfly/noise/profile"
)

// profileName is the name of a profile in its directory of inputs.
const profileName = "profile.yaml"

// gather reads the files that a study refers to, so that a plan can have copies of them.
// It returns the values of the study with the names of the copies, and the content of
// each by that name. The names begin with a digest of all, so that two processes that plan in
// one directory do not replace each other's.
func gather(r study.Recorded) (study.Recorded, map[string][]byte, error) {
	inputs := map[string][]byte{}
	written := study.Recorded{Values: map[string][]string{}, Given: r.Given}
	for key, values := range r.Values {
		written.Values[key] = slices.Clone(values)
	}
	var copies []*string // values that name a copy
	for i, name := range written.Values["noise.profile"] {
		if name = strings.TrimSpace(name); name == "none" || profiles.IsPreset(name) {
			continue
		}
		place := fmt.Sprintf("noise-%d", i)
		if err := gatherProfile(name, place, inputs); err != nil {
			return written, nil, fmt.Errorf("noise.profile: %w", err)
		}
		written.Values["noise.profile"][i] = path.Join(place, profileName)
		copies = append(copies, &written.Values["noise.profile"][i])
	}
	for i, name := range written.Values["permutation"] {
		if name = strings.TrimSpace(name); name == "none" {
			continue
		}
		content, err := file.Read(name)
		if err != nil {
			return written, nil, fmt.Errorf("permutation: %w", err)
		}
		written.Values["permutation"][i] = "permutation.txt"
		inputs["permutation.txt"] = content
		copies = append(copies, &written.Values["permutation"][i])
	}
	const times = "application.compute_file"
	for i, name := range written.Values[times] {
		if name = strings.TrimSpace(name); name == "none" {
			continue
		}
		content, err := file.Read(name)
		if err != nil {
			return written, nil, fmt.Errorf("%s: %w", times, err)
		}
		place := path.Join(fmt.Sprintf("compute-%d", i), filepath.Base(name))
		inputs[place], written.Values[times][i] = content, place
		copies = append(copies, &written.Values[times][i])
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

// gatherProfile reads a profile, and the traces that it replays, into inputs below place.
// It fails if the name of a trace leads out of the profile's directory.
func gatherProfile(name, place string, inputs map[string][]byte) error {
	text, err := file.Read(name)
	if err != nil {
		return err
	}
	p, err := profile.Read(text, name)
	if err != nil {
		return err
	}
	inputs[path.Join(place, profileName)] = text
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
		if inputs[at], err = file.Read(trace); err != nil {
			return err
		}
	}
	return nil
}
