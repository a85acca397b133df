package datasets

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Results are what a finished directory holds, for who does not know the study
// that it is of.
type Results struct {
	Version    string // of the program that finished it
	Study      string // digest of the study
	Values     map[string][]string
	KeepTrials bool
	Choices    []ChoiceRow
	// Measures are those of each choice's configuration, by T.
	Measures [][]Measures

	dir *Dir
}

// ReadResults reads a finished directory, if its tables are those that were
// published and fit each other.
func ReadResults(path string) (*Results, error) {
	d, err := openFinished(path)
	if err != nil {
		return nil, err
	}
	r := &Results{Version: d.run.Version, Study: d.run.StudyHash, Values: d.run.Study, KeepTrials: d.run.KeepTrials, dir: d}
	return r, r.read()
}

// openFinished finds the finished study in a directory, whatever study that is, to
// read its tables.
func openFinished(path string) (*Dir, error) {
	d := &Dir{path: path}
	name := filepath.Join(path, RunFile)
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(filepath.Join(path, PlanFile)); err == nil {
			return nil, fmt.Errorf("%s: the study has not finished; run its sweep again to go on with it", path)
		}
		return nil, fmt.Errorf("%s: not a directory of results, it has no %s", path, RunFile)
	}
	if err != nil {
		return nil, brief(err)
	}
	if err := json.Unmarshal(text, &d.run); err != nil || d.run == nil || d.run.Program != program {
		return nil, fmt.Errorf("%s: damaged or not ours", name)
	}
	if d.run.Format != Format {
		return nil, fmt.Errorf("%s: written in format %d, and this program reads %d; compute it again", path, d.run.Format, Format)
	}
	return d, nil
}

// read reads the tables of choices and of summaries.
func (r *Results) read() error {
	err := checked(r.dir, choiceFile, func(row ChoiceRow) error {
		r.Choices = append(r.Choices, row)
		return nil
	})
	if err != nil {
		return err
	}
	type measuresRow struct {
		ConfigID string `parquet:"config_id,plain"`
		Measures
	}
	r.Measures = make([][]Measures, len(r.Choices))
	at := -1
	err = checked(r.dir, summaryFile, func(row measuresRow) error {
		if row.Redundancy == 0 {
			at++
		}
		if at < 0 || at >= len(r.Choices) || row.ConfigID != r.Choices[at].ConfigID || row.Redundancy != int64(len(r.Measures[at])) {
			return fmt.Errorf("it does not fit %s", choiceFile)
		}
		r.Measures[at] = append(r.Measures[at], row.Measures)
		return nil
	})
	if err != nil {
		return err
	}
	for i, c := range r.Choices {
		if n := int64(len(r.Measures[i])); c.Star < 0 || c.Star >= n || c.Argmin < 0 || c.Argmin >= n {
			return fmt.Errorf("%s: %s does not fit %s", r.dir.path, choiceFile, summaryFile)
		}
	}
	if len(r.Choices) == 0 {
		return fmt.Errorf("%s: %s has no rows", r.dir.path, choiceFile)
	}
	return nil
}

// Trials reads the kept trials and calls each with the completions of every
// configuration and T, in the order of Measures. The slice is reused.
func (r *Results) Trials(each func(config, t int, completions []float64)) error {
	config, t := 0, 0
	var sample []float64
	err := checked(r.dir, trialsFile, func(row TrialRow) error {
		if config == len(r.Choices) || row.ConfigID != r.Choices[config].ConfigID ||
			row.Redundancy != int64(t) || row.Trial != int64(len(sample)) {
			return fmt.Errorf("it does not fit %s", summaryFile)
		}
		sample = append(sample, row.Completion)
		if int64(len(sample)) < r.Measures[config][t].Trials {
			return nil
		}
		each(config, t, sample)
		sample = sample[:0]
		if t++; t == len(r.Measures[config]) {
			config, t = config+1, 0
		}
		return nil
	})
	if err == nil && config < len(r.Choices) {
		err = fmt.Errorf("%s: %s has fewer trials than %s", r.dir.path, trialsFile, summaryFile)
	}
	return err
}

// checked is readTable for rows that can be wrong; the first that is ends it.
func checked[T any](d *Dir, name string, each func(T) error) error {
	var wrong error
	err := readTable(d, name, func(row T) {
		if wrong == nil {
			wrong = each(row)
		}
	})
	if err == nil && wrong != nil {
		err = fmt.Errorf("%s: %w", filepath.Join(d.path, name), wrong)
	}
	return err
}
