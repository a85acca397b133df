package sweep

import (
	"cmp"
	"container/heap"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"jitterfly/cli/internal/command"
	"jitterfly/cli/study"
	"jitterfly/datasets"
	"jitterfly/internal/queue"
	"jitterfly/internal/units"
	"jitterfly/internal/vector"
	"jitterfly/noise/profile"
)

// Begin opens the directory of a study, or makes it and divides the study into shards. If the
// directory has the same study with fewer trials, it becomes this study, and continues. It fails if
// the directory has another study.
func Begin(out string, s *study.Study, shards int, keepTrials bool) (*datasets.Dir, error) {
	return begin(out, s, shards, datasets.Plan{KeepTrials: keepTrials}, datasets.Extension{
		Allowed: func(old map[string][]string) bool { return study.Continues(s.Values, old) },
		Final:   final,
	})
}

// begin is Begin with a plan that has more than the study, and with the studies it may continue.
func begin(out string, s *study.Study, shards int, plan datasets.Plan, e datasets.Extension,
) (*datasets.Dir, error) {
	if out == "" {
		return nil, errors.New("--out: the name is empty; write for example --out results")
	}
	written, inputs, err := gather(s)
	if err != nil {
		return nil, command.Failure(err)
	}
	plan.Version, plan.StudyHash, plan.Study = datasets.Version, s.Hash, s.Values
	plan.Written, plan.Given, plan.Inputs = written.Values, written.Given, datasets.Digests(inputs)
	// Messages of the smallest number of trials, and of the trial without noise.
	least := func(c study.Configuration) float64 { return c.Work * float64(s.Trials.Min+1) }
	plan.Configurations = len(s.Configurations)
	plan.Shards = balance(vector.Each(s.Configurations, least), shards)
	dir, err := datasets.Begin(out, plan, inputs, e)
	if errors.Is(err, datasets.ErrOtherStudy) {
		return nil, otherStudy(out, dir.Plan(), &plan)
	}
	return dir, command.Failure(err)
}

// Open opens a directory that has a plan.
func Open(path string) (*datasets.Dir, error) {
	dir, err := datasets.Open(path)
	if err == nil || errors.Is(err, datasets.ErrNoPlan) {
		return dir, err
	}
	return nil, command.Failure(err)
}

// OpenPlanned opens a directory that has a plan of this version, and reads its study.
func OpenPlanned(path string) (*datasets.Dir, *study.Study, error) {
	dir, err := Open(path)
	if err != nil {
		return nil, nil, err
	}
	if dir.Plan().Choices != "" {
		return nil, nil, fmt.Errorf("%s: holds the trials of a choose; run the same choose again to "+
			"continue it", path)
	}
	if !dir.Finished() {
		if err := dir.For(datasets.Version); err != nil {
			return nil, nil, command.Failure(err)
		}
	}
	s, err := planned(dir)
	return dir, s, command.Failure(err)
}

// planned reads the study of a directory's plan. It reads nothing outside the directory.
func planned(dir *datasets.Dir) (*study.Study, error) {
	plan := dir.Plan()
	for name := range plan.Inputs {
		if _, err := dir.Input(name); err != nil {
			return nil, err
		}
	}
	in := study.Input{
		Name:     filepath.Join(dir.Path(), datasets.PlanFile),
		Recorded: &study.Recorded{Values: plan.Written, Given: plan.Given},
		Open:     dir.Input,
	}
	s, err := study.Read(in, MaxConfigs())
	if err != nil {
		return nil, err
	}
	if s.Hash != plan.StudyHash || len(s.Configurations) != plan.Configurations {
		return nil, fmt.Errorf("%s: this version reads another study than the plan says; "+
			"plan the study again in another directory", in.Name)
	}
	return s, nil
}

// Merge writes the tables of a directory whose shards are complete, and prints the
// choices. If shards are missing it returns an error with the code [command.Incomplete].
func (e *Execution) Merge(out io.Writer, show Printer, s *study.Study, dir *datasets.Dir) error {
	err := dir.Finish(func(i int) datasets.Axes { return AxesOf(s.Point(i)) })
	if _, missing := errors.AsType[datasets.Incomplete](err); missing {
		return command.With(command.Incomplete, err)
	}
	if err != nil {
		return command.Failure(err)
	}
	return e.Show(out, show, s, dir, wrote(dir))
}

// wrote returns a line that names the tables of a directory.
func wrote(dir *datasets.Dir) string {
	tables := []string{"summary.parquet", "choice.parquet"}
	if dir.Plan().KeepTrials {
		tables = append(tables, "trials.parquet")
	}
	path := func(name string) string { return filepath.Join(dir.Path(), name) }
	return "wrote " + strings.Join(vector.Each(tables, path), ", ")
}

// Show notes something, and prints the choices of a finished directory.
func (e *Execution) Show(out io.Writer, show Printer, s *study.Study, dir *datasets.Dir,
	note string,
) error {
	results, err := datasets.OpenResults(dir.Path())
	if err == nil {
		err = results.Check()
	}
	if err != nil {
		return command.Failure(err)
	}
	e.Note("%s", note)
	return command.Failure(show(out, s, results))
}

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
			preset := k == study.NoiseProfile && datasets.Presets().Find(name) != nil
			if k.Files == nil || slices.Contains(k.Names, name) || preset {
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

// balance divides configurations among shards whose costs are about equal: the most
// costly configuration that is left goes to the shard with the lowest cost so far. No
// shard then costs more than 4/3 of the optimum (Graham, Bounds on multiprocessing timing
// anomalies, 1969). Ties go to the first, so that the same costs give the same shards.
func balance(costs []float64, shards int) []datasets.Shard {
	loads := make(queue.Queue[load], shards)
	for i := range loads {
		loads[i].shard = i
	}
	for _, config := range vector.Order(len(costs), func(i int) float64 { return -costs[i] }) {
		least := &loads[0]
		least.configs = append(least.configs, config)
		least.cost += costs[config]
		heap.Fix(&loads, 0)
	}
	division := make([]datasets.Shard, shards)
	for _, load := range loads {
		slices.Sort(load.configs)
		division[load.shard] = datasets.Shard{Configurations: load.configs.String(), Cost: load.cost}
	}
	return division
}

// A load is a shard with what it has so far.
type load struct {
	shard   int
	configs units.Indexes
	cost    float64
}

// Before reports whether the shard has less than another.
func (l load) Before(other load) bool {
	return cmp.Or(cmp.Compare(l.cost, other.cost), cmp.Compare(len(l.configs), len(other.configs)),
		cmp.Compare(l.shard, other.shard)) < 0
}

// maxDifferences is the largest number of keys that an error names.
const maxDifferences = 4

// otherStudy returns the error that a directory has the plan of another study than one whose plan
// would be want: which keys differ, and what can be done.
func otherStudy(path string, have, want *datasets.Plan) error {
	var differ []*study.Key
	var texts []string
	if have.Choices != want.Choices {
		texts = append(texts, fmt.Sprintf("it was %s and is %s", commandOf(have), commandOf(want)))
	}
	chosen := have.Choices != "" && want.Choices != ""
	for _, k := range study.Keys {
		if (!chosen || k.ChangesTrials()) && !slices.Equal(have.Study[k.Path], want.Study[k.Path]) {
			differ = append(differ, k)
			before, now := written(have, want, k.Path)
			texts = append(texts, fmt.Sprintf("%s was %s and is %s", k.Path, before, now))
		}
	}
	if n := len(texts) - maxDifferences; n > 0 {
		texts = append(texts[:maxDifferences], fmt.Sprintf("and %d more", n))
	}
	return fmt.Errorf("%s: %w: %s; %s", path, datasets.ErrOtherStudy, strings.Join(texts, ", "),
		remedyFor(differ, have, want))
}

// commandOf returns the command that made a plan, with the flags that are not keys.
func commandOf(p *datasets.Plan) string { return cmp.Or(p.Choices, "a sweep") }

// remedyFor returns what to do about a directory of a study that differs in some keys.
func remedyFor(differ []*study.Key, have, want *datasets.Plan) string {
	const another = "name another directory with --out"
	bounds := slices.ContainsFunc(differ, (*study.Key).Extends)
	others := slices.ContainsFunc(differ, func(k *study.Key) bool { return !k.Extends() })
	switch {
	case have.Choices != want.Choices || others && !bounds:
		return another
	case others:
		return another + "; with only a larger --trials-max or --effort it would continue by itself"
	case !study.Continues(want.Study, have.Study):
		return "these can only become larger: give at least what they were, or " + another
	case have.Version != want.Version:
		return fmt.Sprintf("only version %s, which began it, can add trials: %s", have.Version, another)
	case have.KeepTrials != want.KeepTrials:
		return fmt.Sprintf("it was begun with --keep-trials=%t: give that to add trials, or %s",
			have.KeepTrials, another)
	}
	return another
}

// written returns the values of a key in two plans, as they were written if they differ as written.
func written(have, want *datasets.Plan, path string) (before, now string) {
	before, now = shortened(have.Written[path]), shortened(want.Written[path])
	if before == now {
		return shortened(have.Study[path]), shortened(want.Study[path])
	}
	return before, now
}

// maxText is the largest number of characters of the values of a key in an error.
const maxText = 40

// shortened returns the texts of values, of many the first and the last.
func shortened(values []string) string {
	text := strings.Join(values, ",")
	switch n := len(values); {
	case n == 0:
		return "not there"
	case n > 2 && utf8.RuneCountInString(text) > maxText:
		return fmt.Sprintf("%s,…,%s (%d values)", values[0], values[n-1], n)
	}
	return text
}
