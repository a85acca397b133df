package sweep

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"jitterfly/cli/internal/command"
	"jitterfly/cli/study"
	"jitterfly/datasets"
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
	if len(s.Configurations) > datasets.MaxConfigurations {
		return nil, command.Failure(fmt.Errorf("the axes multiply to %d configurations, "+
			"and a plan has at most %d; split the study", len(s.Configurations), datasets.MaxConfigurations))
	}
	written, inputs, err := gather(s)
	if err != nil {
		return nil, command.Failure(err)
	}
	plan.Version, plan.StudyHash, plan.Study = datasets.Version, s.Hash, s.Values
	plan.Written, plan.Given, plan.Inputs = written.Values, written.Given, datasets.Digests(inputs)
	plan.Configurations, plan.Shards = len(s.Configurations), balance(leastMessages(s), shards)
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
		Profile: func(name string) (study.Measured, error) {
			if datasets.Presets().Find(name) != nil {
				return study.FindProfile(name)
			}
			if _, err := dir.Input(name); err != nil {
				return study.Measured{}, err
			}
			m, err := study.FindProfile(filepath.Join(dir.Path(), filepath.FromSlash(name)))
			m.Edited = false // that was said when it was planned
			return m, err
		},
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
	for i, name := range tables {
		tables[i] = filepath.Join(dir.Path(), name)
	}
	return "wrote " + strings.Join(tables, ", ")
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
