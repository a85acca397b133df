package datasets

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
)

// Results are the tables of a finished study, of any program that writes this format.
type Results struct {
	Run
	// Choices are the choices that were read into memory, and Measures the measures of each choice's
	// configuration, by T.
	Choices  []ChoiceRow
	Measures [][]Measures

	path   string
	trials []int64 // first row of each choice in the table of trials
}

// OpenResults opens the finished study in a directory and reads none of its rows. It fails if the
// study has not finished.
func OpenResults(path string) (*Results, error) {
	if err := notDirectory(path); err != nil {
		return nil, err
	}
	name := filepath.Join(path, RunFile)
	text, err := readFile(name, math.MaxInt64-1)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(filepath.Join(path, PlanFile)); err == nil {
			return nil, fmt.Errorf("%s: the study has not finished; repeat the command that began it, "+
				"or cluster run of a plan, to resume it", path)
		}
		if err := programsStudies(path); err != nil {
			return nil, err
		}
		if !exists(path) {
			return nil, fmt.Errorf("%s: no such directory; name the directory of a finished sweep", path)
		}
		return nil, fmt.Errorf(
			"%s: not a directory of results, it has no %s; name the directory of a finished sweep",
			path, RunFile)
	}
	if err != nil {
		return nil, brief(err)
	}
	run, err := parseRun(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if run.Format != Format {
		return nil, fmt.Errorf(
			"%s: written in format %d, and this program reads %d; compute it again",
			path, run.Format, Format)
	}
	run.Configurations = min(max(0, run.Configurations), MaxConfigurations)
	return &Results{Run: *run, path: path}, nil
}

// Check fails if the choices or the summary are not as they were written.
func (r *Results) Check() error {
	c, err := r.openCursors(false)
	c.close()
	return err
}

// Read reads the choices that keep holds for, and their measures, into memory. It fails if the tables
// are not as they were written or do not fit each other.
func (r *Results) Read(keep func(*ChoiceRow) bool) error {
	row := int64(0)
	return r.Each(func(_ int, c *ChoiceRow, measures []Measures) error {
		if keep(c) {
			r.Choices = append(r.Choices, *c)
			r.Measures = append(r.Measures, slices.Clone(measures))
			r.trials = append(r.trials, row)
		}
		for _, m := range measures {
			row += m.Trials
		}
		return nil
	})
}

// Each calls f with each configuration, its choice and its measures by T, which f must not keep. It
// fails with what f does, or if the tables are not as they were written or do not fit each other.
func (r *Results) Each(f func(i int, c *ChoiceRow, measures []Measures) error) error {
	return r.walk(false, func(i int, c *ChoiceRow, m []Measures, _ []float64) error {
		return f(i, c, m)
	})
}

type measuresRow struct {
	ConfigID string `parquet:"config_id,plain"`
	Measures
}

// walk is Each, with the completions too if asked to: all of one T, then of the next.
func (r *Results) walk(completions bool,
	f func(i int, c *ChoiceRow, measures []Measures, completions []float64) error,
) error {
	c, err := r.openCursors(completions)
	defer c.close()
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		choice, err := c.next()
		if choice == nil && err == nil && i == 0 {
			err = fmt.Errorf("%s: %s has no rows", r.path, choiceFile)
		}
		if choice == nil || err != nil {
			return err
		}
		if err := f(i, choice, c.measures, c.times); err != nil {
			return err
		}
	}
}

// cursors read the tables of a study side by side. trials is nil if completions are not read.
type cursors struct {
	choices *cursor[ChoiceRow]
	summary *cursor[measuresRow]
	trials  *cursor[TrialRow]

	measures []Measures // of a configuration, by T
	times    []float64  // its completions [s], as walk gives them
}

// openCursors opens the tables, trials too if asked to, as [openTable] does. The cursors are to be
// closed also if it fails.
func (r *Results) openCursors(completions bool) (c cursors, err error) {
	if c.choices, err = openTable[ChoiceRow](r, choiceFile); err == nil {
		c.summary, err = openTable[measuresRow](r, summaryFile)
	}
	if err == nil && completions {
		c.trials, err = openTable[TrialRow](r, trialsFile)
	}
	return c, err
}

func (c *cursors) close() {
	c.choices.close()
	c.summary.close()
	c.trials.close()
}

// next reads the measures and the completions of the next configuration, and returns its choice, nil
// after the last. The choice is valid until next is called again.
func (c *cursors) next() (*ChoiceRow, error) {
	choice, err := c.choices.peek()
	if choice == nil && err == nil {
		var extra *measuresRow
		if extra, err = c.summary.peek(); extra != nil {
			err = c.summary.unfit(choiceFile)
		}
	}
	if choice == nil || err != nil {
		return nil, err
	}
	c.choices.skip()
	if c.measures, err = measuresOf(c.summary, choice.ConfigID, c.measures[:0]); err != nil {
		return nil, err
	}
	n := int64(len(c.measures))
	fits := func(t int64) bool { return t >= 0 && t < n }
	if !fits(choice.Star) || !fits(choice.Argmin) || !fits(choice.Estimate) {
		return nil, fmt.Errorf("%s: %s does not fit %s", c.choices.results.path, choiceFile, summaryFile)
	}
	c.times = c.times[:0]
	for t := 0; c.trials != nil && t < len(c.measures); t++ {
		c.times, err = trialsOf(c.trials, choice.ConfigID, t, c.measures[t].Trials, c.times)
		if err != nil {
			return nil, err
		}
	}
	return choice, nil
}

// measuresOf appends the next measures of a summary, which must belong to the configuration with
// the ID.
func measuresOf(summary *cursor[measuresRow], id string, to []Measures) ([]Measures, error) {
	for {
		row, err := summary.peek()
		switch {
		case err != nil:
			return nil, err
		case row == nil || row.Redundancy == 0 && len(to) > 0:
			if len(to) == 0 {
				return nil, summary.unfit(choiceFile)
			}
			return to, nil
		case row.ConfigID != id || row.Redundancy != int64(len(to)):
			return nil, summary.unfit(choiceFile)
		}
		to = append(to, row.Measures)
		summary.skip()
	}
}

// trialsOf appends the next n completions of a table of trials, which must belong to a
// configuration at a T.
func trialsOf(trials *cursor[TrialRow], id string, t int, n int64, to []float64,
) ([]float64, error) {
	if n < 1 {
		return nil, trials.unfit(summaryFile)
	}
	for trial := range n {
		row, err := trials.peek()
		switch {
		case err != nil:
			return nil, err
		case row == nil:
			return nil, fmt.Errorf("%s: has fewer trials than %s", trials.path, summaryFile)
		case row.ConfigID != id || row.Redundancy != int64(t) || row.Trial != trial:
			return nil, trials.unfit(summaryFile)
		}
		to = append(to, row.Completion)
		trials.skip()
	}
	return to, nil
}

// Trials calls each with the completion times of every configuration of Choices and T, in the order
// of Measures. The slice is reused. It fails if the study has kept no trials, or if they do not fit
// the summary.
func (r *Results) Trials(each func(config, t int, completions []float64)) error {
	trials, err := r.OpenTrials()
	if err != nil {
		return err
	}
	defer trials.Close()
	for i, c := range r.Choices {
		row := r.trials[i]
		for t, m := range r.Measures[i] {
			times, err := trials.At(c.ConfigID, t, row, m.Trials)
			if err != nil {
				return err
			}
			each(i, t, times)
			row += m.Trials
		}
	}
	return nil
}

// Trials is the table of the completion times of single trials.
type Trials struct {
	rows  *cursor[TrialRow]
	times []float64
}

// OpenTrials opens the table of trials, to be closed. It fails if the study has kept none.
func (r *Results) OpenTrials() (*Trials, error) {
	rows, err := openTable[TrialRow](r, trialsFile)
	return &Trials{rows: rows}, err
}

// Close ends the reading.
func (t *Trials) Close() { t.rows.close() }

// At returns the completion times [s] of n trials of a configuration at T = redundancy. The first is
// in the given row of the table. The slice is reused. It is faster where the rows ascend. It
// fails if the rows belong to others.
func (t *Trials) At(configID string, redundancy int, row, n int64) ([]float64, error) {
	err := t.rows.seek(row)
	if err == nil {
		t.times, err = trialsOf(t.rows, configID, redundancy, n, t.times[:0])
	}
	return t.times, err
}
