package datasets

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"jitterfly/internal/units"
)

// A Plan is what a directory of results is to have, divided into shards. It is written
// once and never changed; docs/format.md describes the file.
type Plan struct {
	Program string `json:"program"`
	// Version is the program's. Only that version computes the plan, since
	// another may draw other numbers.
	Version string `json:"version"`
	Format  int    `json:"format"`
	// StudyHash is the digest of Study, the canonical values of all keys.
	StudyHash string              `json:"study_hash"`
	Study     map[string][]string `json:"study"`
	// Written are the same values as the user wrote them, but with the names of files replaced by the
	// names of Inputs; Given are the keys that have them from the user.
	Written map[string][]string `json:"written"`
	Given   []string            `json:"given"`
	// Inputs are the SHA-256 of the files that the study refers to, by their
	// paths in the directory.
	Inputs map[string]string `json:"inputs,omitempty"`
	// Choices says what is chosen among the configurations, which are candidates then; it is empty
	// where each is a choice of its own.
	Choices        string  `json:"choices,omitempty"`
	KeepTrials     bool    `json:"keep_trials"`
	Configurations int     `json:"configurations"`
	Shards         []Shard `json:"shards"`
	// Continues are the digests of plans of the same study with fewer trials, whose parts the
	// directory continues from.
	Continues []string `json:"continues,omitempty"`
	// Digest is the SHA-256 of all else. Parts carry it.
	Digest string `json:"digest"`

	owners []int32 // the shard of each configuration, of a plan that was read
}

// A Shard is what one task of a scheduler computes.
type Shard struct {
	// Configurations are [units.Indexes] as a string.
	Configurations string `json:"configurations"`
	// Cost is the estimated work, in simulated messages.
	Cost float64 `json:"cost"`
}

// MaxConfigurations is the number of configurations that a plan can have, so that a
// damaged one does not make its reader use all memory.
const MaxConfigurations = 1 << 24

// InputsDir is the subdirectory, in the directory of a plan, of the files that the plan refers to.
const InputsDir = "inputs"

const maxPlan = 1 << 28

// InputsFolder returns the path of a plan's inputs, relative to the directory of the plan. Its name
// is a digest of their names and contents.
func InputsFolder(inputs map[string][]byte) string {
	return path.Join(InputsDir, folderOf(Digests(inputs)))
}

// folderOf returns the name of the folder of inputs with these digests.
func folderOf(digests map[string]string) string { return digestOf(digests)[:16] }

// Digests returns the SHA-256 of contents, by name.
func Digests(contents map[string][]byte) map[string]string {
	digests := map[string]string{}
	for name, content := range contents {
		digests[name] = digest(content)
	}
	return digests
}

func (p *Plan) seal() { p.Digest = p.sum() }

// sum returns the digest of all but the digest.
func (p Plan) sum() string {
	p.Digest = ""
	return digestOf(p)
}

func digestOf(value any) string {
	text, _ := json.Marshal(value) // no number in it is infinite
	return digest(text)
}

func readPlan(dir string) (*Plan, error) {
	name := filepath.Join(dir, PlanFile)
	text, err := readFile(name, maxPlan)
	if err != nil {
		return nil, err
	}
	p, err := parsePlan(text)
	if err == nil && !bytes.Equal(text, jsonFile(p)) {
		err = errors.New("it is not what was written")
	}
	if err != nil {
		return nil, fmt.Errorf(
			"%s: damaged or not ours (%w); plan the study again in another directory", name, err)
	}
	return p, nil
}

// parsePlan returns the plan in the content of a file. It fails if the plan is damaged or
// contradicts itself.
func parsePlan(text []byte) (*Plan, error) {
	p := new(Plan)
	if err := json.Unmarshal(text, p); err != nil {
		return nil, err
	}
	switch {
	case p.Program != program:
		return nil, fmt.Errorf("of program %.40q", p.Program)
	case p.Digest == "" || p.Digest != p.sum():
		return nil, errors.New("its digest is another")
	}
	for name, sum := range p.Inputs {
		if path.Clean(name) != name || !strings.HasPrefix(name, InputsDir+"/") ||
			!filepath.IsLocal(name) || len(sum) != len(p.Digest) {
			return nil, fmt.Errorf("its input %.40q is not in %s", name, InputsDir)
		}
	}
	var err error
	p.owners, err = p.divide()
	return p, err
}

// divide returns the shard of every configuration. It fails if one has none, or two.
func (p *Plan) divide() ([]int32, error) {
	if p.Configurations < 1 || p.Configurations > MaxConfigurations ||
		len(p.Shards) > p.Configurations {
		return nil, fmt.Errorf("%d configurations in %d shards", p.Configurations, len(p.Shards))
	}
	owners := slices.Repeat([]int32{-1}, p.Configurations)
	total := 0
	for shard, s := range p.Shards {
		before := -1
		for item := range strings.SplitSeq(s.Configurations, ",") {
			first, last, ok := units.ParseRange(item)
			if !ok || first <= before {
				return nil, fmt.Errorf("%.40q is not ascending numbers and ranges like 3,7-9", item)
			}
			if total += last - first + 1; last >= len(owners) || total > len(owners) {
				return nil, fmt.Errorf("shard %d has configurations %d to %d, of %d", shard, first, last,
					len(owners))
			}
			for i := first; i <= last; i++ {
				if owners[i] >= 0 {
					return nil, fmt.Errorf("configuration %d is in two shards", i)
				}
				owners[i] = int32(shard)
			}
			before = last
		}
	}
	if total != p.Configurations {
		return nil, fmt.Errorf("its shards have %d of %d configurations", total, p.Configurations)
	}
	return owners, nil
}
