package datasets

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Results are the tables of a finished study, in whatever directory and from
// whatever program of this format they come.
type Results struct {
	Version    string              // of the program that finished the study
	Study      string              // digest of the study
	Values     map[string][]string // of the study, by key
	KeepTrials bool                // whether there are trials to read
	Choices    []ChoiceRow
	// Measures are those of each choice's configuration, by T.
	Measures [][]Measures

	path    string
	digests map[string]string // of the tables, by file name
}

// ReadResults reads the choices and the summary of the finished study in a
// directory. It fails if the study has not finished, or if the tables are not
// those that were written or do not fit each other.
func ReadResults(path string) (*Results, error) {
	name := filepath.Join(path, RunFile)
	text, err := readFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(filepath.Join(path, PlanFile)); err == nil {
			return nil, fmt.Errorf(
				"%s: the study has not finished; run its sweep again to resume it", path)
		}
		return nil, fmt.Errorf("%s: not a directory of results, it has no %s", path, RunFile)
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
	r := &Results{
		Version: run.Version, Study: run.StudyHash, Values: run.Study, KeepTrials: run.KeepTrials,
		path: path, digests: run.Tables,
	}
	return r, r.read()
}

// read reads the tables of choices and of summaries.
func (r *Results) read() error {
	err := readTable(r, choiceFile, func(row ChoiceRow) error {
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
	err = readTable(r, summaryFile, func(row measuresRow) error {
		if row.Redundancy == 0 {
			at++
		}
		if at < 0 || at >= len(r.Choices) || row.ConfigID != r.Choices[at].ConfigID ||
			row.Redundancy != int64(len(r.Measures[at])) {
			return fmt.Errorf("it does not fit %s", choiceFile)
		}
		r.Measures[at] = append(r.Measures[at], row.Measures)
		return nil
	})
	if err != nil {
		return err
	}
	for i, c := range r.Choices {
		if n := int64(len(r.Measures[i])); c.Star < 0 || c.Star >= n || c.Argmin < 0 ||
			c.Argmin >= n {
			return fmt.Errorf("%s: %s does not fit %s", r.path, choiceFile, summaryFile)
		}
	}
	if len(r.Choices) == 0 {
		return fmt.Errorf("%s: %s has no rows", r.path, choiceFile)
	}
	return nil
}

// Trials reads the trials and calls each with the completion times of every
// configuration and T, in the order of Measures. The slice is reused. It fails if
// the study has kept no trials, or if they do not fit the summary.
func (r *Results) Trials(each func(config, t int, completions []float64)) error {
	config, t := 0, 0
	var sample []float64
	err := readTable(r, trialsFile, func(row TrialRow) error {
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
		err = fmt.Errorf("%s: %s has fewer trials than %s", r.path, trialsFile, summaryFile)
	}
	return err
}
