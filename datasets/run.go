package datasets

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"
)

// A Run is the content of run.json. It has all that may differ between two runs of
// one study; the tables do not.
type Run struct {
	Program        string              `json:"program"`
	Version        string              `json:"version"`
	Format         int                 `json:"format"`
	Plan           string              `json:"plan"`           // its digest
	Study          string              `json:"study_hash"`     // digest of the study
	Values         map[string][]string `json:"study"`          // of the study, by key
	Given          []string            `json:"given"`          // the keys that the user gave
	Configurations int                 `json:"configurations"` // their number, in the tables
	KeepTrials     bool                `json:"keep_trials"`    // whether there are trials to read
	// Tables are the SHA-256 of the published tables, by file name.
	Tables map[string]string `json:"tables"`

	Finished   time.Time `json:"finished"`
	Host       string    `json:"host"`
	Platform   string    `json:"platform"`
	Processors int       `json:"processors"`
	// Digest is the SHA-256 of all else.
	Digest string `json:"digest"`
}

func (r Run) sum() string {
	r.Digest = ""
	return digestOf(r)
}

// jsonFile returns the content of a file with a value, whose JSON has no infinite numbers.
func jsonFile(value any) []byte {
	text, _ := json.MarshalIndent(value, "", "  ")
	return append(text, '\n')
}

// parseRun returns the run of a file's text. It fails if that is damaged: one of this format, if it
// is not what writeRun writes, to the byte.
func parseRun(text []byte) (*Run, error) {
	r := new(Run)
	err := json.Unmarshal(text, r)
	switch {
	case err != nil || r.Program != program:
		return nil, errors.New("damaged or not ours")
	case r.Format == Format && r.Digest != r.sum():
		return nil, errors.New("damaged, its digest is another")
	case r.Format == Format && !bytes.Equal(text, jsonFile(r)):
		return nil, errors.New("damaged, it is not what was written")
	}
	return r, nil
}

// readRun returns the run of a plan, nil if the study has not finished.
func readRun(path string, plan *Plan) (*Run, error) {
	text, err := readFile(filepath.Join(path, RunFile), math.MaxInt64-1)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, brief(err)
	}
	r, err := parseRun(text)
	switch {
	case err == nil && slices.Contains(plan.Continues, r.Plan):
		return nil, nil // it finished with fewer trials
	case err == nil && r.Plan != plan.Digest:
		err = errors.New("of another plan")
	case err == nil && r.Format != plan.Format:
		err = fmt.Errorf("damaged, its format is %d and the plan's %d", r.Format, plan.Format)
	}
	if err != nil {
		return nil, fmt.Errorf(
			"%s: %w; remove %s to compute it again, or name another directory",
			filepath.Join(path, RunFile), err, path)
	}
	return r, nil
}

// writeRun writes run.json, which makes the directory a finished one.
func (d *Dir) writeRun(tables map[string]string, configurations int) error {
	host, _ := os.Hostname()
	r := &Run{
		Program: program, Version: d.plan.Version, Format: Format, Plan: d.plan.Digest,
		Study: d.plan.StudyHash, Values: d.plan.Study, Given: d.plan.Given,
		Configurations: configurations, KeepTrials: d.plan.KeepTrials,
		Tables: tables, Finished: time.Now().UTC(),
		Host: host, Platform: runtime.GOOS + "/" + runtime.GOARCH, Processors: runtime.NumCPU(),
	}
	r.Digest = r.sum()
	err := writeContent(d.disk, filepath.Join(d.path, RunFile), jsonFile(r))
	if err == nil {
		d.run = r
	}
	return brief(err)
}

// Finished reports whether the directory has the study's tables.
func (d *Dir) Finished() bool { return d.run != nil }

// finishedElsewhere reports whether another process has finished the directory, and reads its run.
func (d *Dir) finishedElsewhere() bool {
	now, err := readRun(d.path, d.plan)
	if err == nil && now != nil {
		d.run = now
	}
	return d.Finished()
}
