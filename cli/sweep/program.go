package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"jitterfly/cli/internal/command"
	"jitterfly/cli/internal/output"
	"jitterfly/cli/study"
	"jitterfly/collectives/rounds"
	"jitterfly/datasets"
	"jitterfly/internal/vector"
	"jitterfly/montecarlo"
	"jitterfly/program"
)

// A Recorded is the allreduces and barriers of a recorded program that have enough calls for a study.
type Recorded struct {
	*program.Program
	Groups []*program.Group // in descending order of their time
	few    float64          // the share of the time in all of them that others take
}

// mostStudied is for how many sizes of vectors and communicators choices are made at most, and
// leastStudied how many calls of one are enough.
const (
	mostStudied  = 16
	leastStudied = 4
)

// mostRecorded is the largest number of recorded iterations of which those of a trial are drawn.
const mostRecorded = 199

// ReadProgram reads the recording in a directory. It fails if the directory has no recording, or
// the recording nothing to choose for.
func ReadProgram(dir string) (*Recorded, error) {
	p, err := program.Read(dir)
	if err != nil {
		return nil, fmt.Errorf("--program: %w", err)
	}
	all := &Recorded{Program: p}
	whole, left := 0.0, 0.0
	for _, g := range p.Groups {
		if !program.Deployable(g.Kind) {
			continue
		}
		whole += g.Time
		if len(g.Samples) < leastStudied {
			left += g.Time
			continue
		}
		all.Groups = append(all.Groups, g)
	}
	slices.SortStableFunc(all.Groups, func(a, b *program.Group) int { return cmp.Compare(b.Time, a.Time) })
	for len(all.Groups) > mostStudied {
		left += all.Groups[len(all.Groups)-1].Time
		all.Groups = all.Groups[:len(all.Groups)-1]
	}
	if all.Groups == nil {
		return nil, fmt.Errorf("--program: %s has no allreduce or barrier that several ranks call "+
			"at least %d times", dir, leastStudied)
	}
	all.few = left / whole
	return all, nil
}

// Input returns the input of the study of a group: its ranks unless the user gives others, its bytes,
// and its compute times, as a file in memory. It subtracts the noise that the study simulates, and
// notes what it left out.
func Input(in study.Input, g *program.Group, note func(format string, args ...any)) (study.Input, error) {
	for _, k := range []*study.Key{study.Bytes, study.ComputeFile, study.Compute} {
		if in.Flags.Changed(k.Flag) {
			return in, fmt.Errorf("--%s: the recording of --program has it; leave one of them out", k.Flag)
		}
	}
	name := directoryOf(g) + ".csv"
	in.Set = append(slices.Clip(in.Set), fmt.Sprintf("%s=%dB", study.Bytes.Path, max(1, g.Bytes)),
		study.ComputeFile.Path+"="+name)
	if !in.Flags.Changed(study.Ranks.Flag) {
		in.Set = append(in.Set, fmt.Sprintf("%s=%d", study.Ranks.Path, g.Size))
	}
	times, _ := g.Times(leastStudied, nil)
	in.Files = map[string][]byte{name: datasets.EncodeTimes(times)}
	s, err := study.Read(in, MaxConfigs())
	if err != nil {
		return in, err
	}
	model, ok := s.Config(0).Model.(*rounds.Application)
	if s.Len() != 1 || !ok {
		return in, errors.New("--program: write one value for each key, and no topology")
	}
	times, left := g.Times(mostRecorded, model.Collective.OS)
	note("%s of %d ranks: %d of %d recorded iterations; simulated noise replaces %s of what changes "+
		"in them", nameOf(g), g.Size, len(times), g.Calls, output.Percent(1-left))
	in.Files = map[string][]byte{name: datasets.EncodeTimes(times)}
	return in, nil
}

// directoryOf returns the name of the directory of a group's study.
func directoryOf(g *program.Group) string {
	return fmt.Sprintf("%s-%dB-%d-ranks", g.Kind, g.Bytes, g.Size)
}

// lengthOf returns the number of bytes of the vectors of a group, which barriers do not have.
func lengthOf(g *program.Group) string {
	if g.Kind == program.Barrier {
		return "barrier"
	}
	return output.Bytes(g.Bytes)
}

// nameOf returns what the calls of a group are, with their bytes.
func nameOf(g *program.Group) string {
	if g.Kind == program.Barrier {
		return "barriers"
	}
	return output.Bytes(g.Bytes) + " allreduces"
}

// whatOf returns what the calls of groups are, such as allreduces.
func whatOf(groups []*program.Group) string {
	kinds := vector.Each(groups, func(g *program.Group) string { return g.Kind.String() + "s" })
	slices.Sort(kinds)
	return strings.Join(slices.Compact(kinds), " and ")
}

// UseProgram sets an input to the allreduces or barriers that take most time in a recorded program,
// and returns how many of them it calls.
func UseProgram(in *study.Input, dir string, note func(format string, args ...any)) (calls int, err error) {
	r, err := ReadProgram(dir)
	if err != nil {
		return 0, err
	}
	*in, err = Input(*in, r.Groups[0], note)
	return r.Groups[0].Calls, err
}

// runProgram chooses for each group of allreduces or barriers of a recorded program.
func (o *chooseOptions) runProgram(ctx context.Context, out io.Writer) error {
	d, err := o.check()
	switch {
	case err != nil:
		return err
	case o.dryRun:
		return errors.New("--dry-run: it is not for --program; leave one of them out")
	}
	if err := datasets.CheckProgram(o.out); o.out != "" && err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	r, err := ReadProgram(o.program)
	if err == nil && o.out != "" {
		err = ofProgram(o.out, r.Groups)
	}
	if err != nil {
		return err
	}
	var all []saving
	var advices []advice
	for i, g := range r.Groups {
		x, err := o.group(ctx, d, g, len(r.Groups)-i)
		if err != nil {
			return err
		}
		if x.Run = r.Duration; i == 0 {
			o.Notes(x.study)
		}
		all = append(all, x)
		if !ruled(all) {
			advices = append(advices, x.advice)
		}
	}
	if o.out != "" {
		rows := vector.Each(all, func(x saving) datasets.ProgramRow { return x.ProgramRow })
		if err := datasets.WriteProgram(o.out, datasets.Version, rows); err != nil {
			return command.Failure(err)
		}
		o.Note("wrote %s", filepath.Join(o.out, datasets.ProgramFile))
	}
	if o.format != "table" {
		return command.Failure(d.print(out, all[0].study, advices))
	}
	return command.Failure(printSavings(out, r, all))
}

// ofProgram fails if a directory has the study of a group that the program has not, as it is another
// program's. A study of the same name is compared when it is resumed.
func ofProgram(dir string, groups []*program.Group) error {
	plans, err := filepath.Glob(filepath.Join(dir, "*", datasets.PlanFile))
	if err != nil {
		return nil // a name that is a bad pattern finds none
	}
	names := vector.Each(groups, directoryOf)
	for _, plan := range plans {
		if study := filepath.Dir(plan); !slices.Contains(names, filepath.Base(study)) {
			return fmt.Errorf("--out: %s has %s, of another program; name another directory", dir,
				filepath.Base(study))
		}
	}
	return nil
}

// group chooses for a group on one machine, of the groups that are left, which share what is left of the
// time.
func (o *chooseOptions) group(ctx context.Context, d decider, g *program.Group, left int,
) (x saving, err error) {
	one := *o
	if one.begin = time.Now(); o.time > 0 {
		one.time = max(1, (o.time-one.begin.Sub(o.begin))/time.Duration(left))
	}
	if o.out != "" {
		one.out = filepath.Join(o.out, directoryOf(g))
	}
	if one.input, err = Input(o.input, g, o.Note); err != nil {
		return x, err
	}
	s, estimate, err := one.study(d)
	if err != nil {
		return x, err
	}
	decisions, err := one.decide(ctx, s, estimate.Workers)
	if err != nil {
		return x, err
	}
	a := advices(s, decisions, one.time.Seconds())[0]
	if a.calls = g.Calls; a.redundant() {
		a.runs, err = RunsOf(ctx, s, []montecarlo.Candidate{a.Base, a.Star}, g.Calls, estimate.Workers)
	}
	return newSaving(g, a, s), err
}

// ruled reports whether the last of some groups shares a rule with an earlier one, which takes more time:
// barriers follow the rule of one byte.
func ruled(all []saving) bool {
	last := all[len(all)-1].group
	return slices.ContainsFunc(all[:len(all)-1], func(x saving) bool {
		return x.group.Size == last.Size && max(1, x.group.Bytes) == max(1, last.Bytes)
	})
}
