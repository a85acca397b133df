package cli

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"jitterfly/cli/study"
	"jitterfly/datasets"
	"jitterfly/noise/profile"
)

// begin finds or makes the directory of a study, divided into shards if it is new.
func begin(out string, s *study.Study, shards int, keepTrials bool) (*datasets.Dir, error) {
	if len(s.Configs) > datasets.MaxConfigurations {
		return nil, fmt.Errorf("the axes multiply to %d configurations, and a plan holds %d; split the study", len(s.Configs), datasets.MaxConfigurations)
	}
	written, inputs, err := gather(s.Recorded)
	if err != nil {
		return nil, err
	}
	plan := datasets.Plan{
		Version: Version, StudyHash: s.Hash, Study: s.Values, Written: written.Values, Given: written.Given,
		Inputs: datasets.Digests(inputs), KeepTrials: keepTrials,
		Configurations: len(s.Configs), Shards: balance(costs(s), shards),
	}
	return datasets.Begin(out, plan, inputs)
}

// costs are the estimated ones of the study's configurations, in rank-rounds.
func costs(s *study.Study) []float64 {
	costs := make([]float64, len(s.Work))
	for i, work := range s.Work {
		costs[i] = work * float64(s.Trials.Min+1)
	}
	return costs
}

// gather reads the files that a study refers to, for a plan that needs no others:
// they get names in its directory, by which what is recorded then refers to them.
func gather(r study.Recorded) (study.Recorded, map[string][]byte, error) {
	written, inputs := study.Recorded{Values: map[string][]string{}, Given: r.Given}, map[string][]byte{}
	for key, values := range r.Values {
		written.Values[key] = slices.Clone(values)
	}
	for i, name := range written.Values["noise.profile"] {
		if name = strings.TrimSpace(name); name == "none" || isPreset(name) {
			continue
		}
		place := path.Join(datasets.InputsDir, fmt.Sprintf("noise-%d", i))
		if err := gatherProfile(name, place, inputs); err != nil {
			return written, nil, fmt.Errorf("noise.profile: %w", err)
		}
		written.Values["noise.profile"][i] = path.Join(place, profileName)
	}
	for i, name := range written.Values["permutation"] {
		if name = strings.TrimSpace(name); name == "none" {
			continue
		}
		content, err := readInput(name)
		if err != nil {
			return written, nil, fmt.Errorf("permutation: %w", err)
		}
		written.Values["permutation"][i] = path.Join(datasets.InputsDir, "permutation.txt")
		inputs[written.Values["permutation"][i]] = content
	}
	return written, inputs, nil
}

const profileName = "profile.yaml"

// readInput reads a file that a study refers to.
func readInput(name string) ([]byte, error) {
	content, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, unnamed(err))
	}
	return content, nil
}

func isPreset(name string) bool {
	return slices.ContainsFunc(datasets.Presets(), func(p datasets.Preset) bool { return p.Name == name })
}

// gatherProfile reads a profile, and the traces that it replays.
func gatherProfile(name, place string, inputs map[string][]byte) error {
	text, err := readInput(name)
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
			return fmt.Errorf("%s: the trace %s cannot be copied beside it; put it into the profile's directory under another name", name, c.Trace)
		}
		if inputs[at], err = readInput(filepath.Join(filepath.Dir(name), filepath.FromSlash(c.Trace))); err != nil {
			return err
		}
	}
	return nil
}

// planned reads the study of a directory's plan, for which nothing outside the
// directory is read.
func planned(dir *datasets.Dir) (*study.Study, error) {
	plan := dir.Plan()
	for name := range plan.Inputs {
		if _, err := dir.Input(name); err != nil {
			return nil, err
		}
	}
	in := study.Input{
		Name:     filepath.Join(dir.Path(), "plan.json"),
		Recorded: &study.Recorded{Values: plan.Written, Given: plan.Given},
		Open:     dir.Input,
		Profile: func(name string) (study.Measured, error) {
			if isPreset(name) {
				return findProfile(name)
			}
			if _, err := dir.Input(name); err != nil {
				return study.Measured{}, err
			}
			return findProfile(filepath.Join(dir.Path(), filepath.FromSlash(name)))
		},
	}
	s, err := study.Read(in, availableMemory()/4/study.BytesPerConfig)
	if err != nil {
		return nil, err
	}
	if s.Hash != plan.StudyHash || len(s.Configs) != plan.Configurations {
		return nil, fmt.Errorf("%s: another study than it says, as this version reads it; plan the study again in another directory", in.Name)
	}
	return s, nil
}
