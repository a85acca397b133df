package datasets

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"
)

// Format is the version of the tables' columns and of this package's files. It
// changes when a reader of an older one would be misled; docs/format.md has the
// history.
const Format = 3

// An Identity says which study a directory is for. Directories of unfinished
// studies are also bound to the program's version, since another may draw
// other numbers.
type Identity struct {
	Version        string // of the program
	Study          string // digest of the study
	Values         map[string][]string
	Configurations int
	KeepTrials     bool
}

// run is run.json. All that may differ between two runs of one study is here
// and not in the tables.
type run struct {
	Program        string              `json:"program"`
	Version        string              `json:"version"`
	Format         int                 `json:"format"`
	StudyHash      string              `json:"study_hash"`
	Study          map[string][]string `json:"study"`
	Configurations int                 `json:"configurations"`
	KeepTrials     bool                `json:"keep_trials"`
	State          string              `json:"state"`
	// Tables are the SHA-256 of the published tables, by file name.
	Tables map[string]string `json:"tables,omitempty"`

	Started    time.Time  `json:"started"`
	Finished   *time.Time `json:"finished,omitempty"`
	Host       string     `json:"host"`
	Platform   string     `json:"platform"`
	Processors int        `json:"processors"`
}

// The states of a run.
const (
	running  = "running"
	finished = "finished"
)

// File names in a directory of results.
const (
	runFile     = "run.json"
	summaryFile = "summary.parquet"
	choiceFile  = "choice.parquet"
	trialsFile  = "trials.parquet"
	partsDir    = "parts"
)

// ErrOtherStudy says that a directory belongs to another study, and stays as it
// is.
var ErrOtherStudy = errors.New("holds another study; name another directory with --out")

// A Dir is a directory of results.
type Dir struct {
	path  string
	id    Identity
	run   run
	parts []part // complete ones, by their first configuration
}

// Open makes the directory for the study, or finds what it has of it. Parts are
// read and checked against their digests.
func Open(path string, id Identity) (*Dir, error) {
	d := &Dir{path: path, id: id}
	text, err := os.ReadFile(filepath.Join(path, runFile))
	if errors.Is(err, fs.ErrNotExist) {
		return d, d.begin()
	}
	if err != nil {
		return nil, brief(err)
	}
	if err := json.Unmarshal(text, &d.run); err != nil || d.run.Program != program {
		return nil, fmt.Errorf("%s: damaged or not ours; name another directory with --out", filepath.Join(path, runFile))
	}
	if err := d.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if d.Finished() {
		return d, nil
	}
	if err := d.writable(); err != nil {
		return nil, brief(err)
	}
	d.parts, err = findParts(d.partsPath())
	return d, err
}

const program = "jitterfly"

// begin writes the first file of a new directory, which also shows that it can
// be written.
func (d *Dir) begin() error {
	if err := os.MkdirAll(d.path, 0o777); err != nil {
		return brief(err)
	}
	for _, name := range []string{summaryFile, choiceFile, trialsFile, partsDir} {
		if _, err := os.Lstat(filepath.Join(d.path, name)); err == nil {
			return fmt.Errorf("%s: has %s but no %s to say of which study; name another directory with --out", d.path, name, runFile)
		}
	}
	host, _ := os.Hostname()
	d.run = run{
		Program: program, Version: d.id.Version, Format: Format,
		StudyHash: d.id.Study, Study: d.id.Values,
		Configurations: d.id.Configurations, KeepTrials: d.id.KeepTrials,
		State: running, Started: time.Now().UTC(),
		Host: host, Platform: runtime.GOOS + "/" + runtime.GOARCH, Processors: runtime.NumCPU(),
	}
	return d.writeRun()
}

func (d *Dir) writeRun() error {
	err := writeWhole(d.path, runFile, func(w io.Writer) error {
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		return encoder.Encode(d.run)
	})
	return brief(err)
}

// check compares the directory's study with the one wanted.
func (d *Dir) check() error {
	switch {
	case d.run.StudyHash != d.id.Study:
		return ErrOtherStudy
	case d.run.Format != Format:
		return fmt.Errorf("written in format %d, this program writes %d; name another directory with --out", d.run.Format, Format)
	case !d.Finished() && d.run.Version != d.id.Version:
		return fmt.Errorf("begun by version %s, which may draw other numbers than this %s; finish it with that, or name another directory with --out", d.run.Version, d.id.Version)
	case d.Finished() && d.id.KeepTrials && !d.run.KeepTrials:
		return errors.New("finished without keeping trials; name another directory with --out to keep them")
	case !d.Finished() && d.id.KeepTrials != d.run.KeepTrials:
		return fmt.Errorf("begun with --keep-trials=%t; go on with that, or name another directory with --out", d.run.KeepTrials)
	}
	return nil
}

// writable finds out before hours of computing whether results can be written.
func (d *Dir) writable() error {
	p, err := create(d.path, runFile)
	if err != nil {
		return err
	}
	p.abandon()
	return nil
}

func (d *Dir) partsPath() string { return filepath.Join(d.path, partsDir) }

// Finished says whether the directory has the study's tables.
func (d *Dir) Finished() bool { return d.run.State == finished }

// Complete says of every configuration whether the directory has it.
func (d *Dir) Complete() []bool {
	complete := make([]bool, d.id.Configurations)
	for _, p := range d.parts {
		for i := p.first; i < min(p.first+p.count, len(complete)); i++ {
			complete[i] = true
		}
	}
	return complete
}

// Finish merges the parts, which must have every configuration, into the
// tables. The tables appear one by one, each whole; until the last is there the
// parts remain, and finishing can be repeated. That another process has finished
// the same study meanwhile is as good.
func (d *Dir) Finish() error {
	if err := d.merge(); err != nil {
		if d.finishedElsewhere() {
			return d.sweepUp()
		}
		return err
	}
	now := time.Now().UTC()
	d.run.State, d.run.Finished = finished, &now
	if err := d.writeRun(); err != nil {
		return err
	}
	return d.sweepUp()
}

// finishedElsewhere looks whether the directory has become finished, and takes
// that up.
func (d *Dir) finishedElsewhere() bool {
	text, err := os.ReadFile(filepath.Join(d.path, runFile))
	var now run
	if err != nil || json.Unmarshal(text, &now) != nil || now.State != finished || now.StudyHash != d.id.Study {
		return false
	}
	d.run = now
	return true
}

// merge publishes the tables.
func (d *Dir) merge() error {
	tables, err := d.newTables()
	if err != nil {
		return brief(err)
	}
	defer tables.abandon()
	next := 0
	for _, p := range d.parts {
		if p.first > next {
			return fmt.Errorf("%s: configuration %d is missing", d.path, next)
		}
		if p.first+p.count <= next {
			continue
		}
		records, err := p.read(d.partsPath())
		if err != nil {
			return err
		}
		for i := range records[next-p.first:] {
			if err := tables.write(&records[next-p.first+i]); err != nil {
				return brief(err)
			}
		}
		next = p.first + p.count
	}
	if next != d.id.Configurations {
		return fmt.Errorf("%s: configuration %d is missing", d.path, next)
	}
	if err := tables.publish(); err != nil {
		return brief(err)
	}
	d.run.Tables = tables.digests()
	return nil
}

// sweepUp removes what only an unfinished study needs.
func (d *Dir) sweepUp() error {
	if err := os.RemoveAll(d.partsPath()); err != nil {
		return brief(err)
	}
	entries, err := os.ReadDir(d.path)
	if err != nil {
		return brief(err)
	}
	for _, e := range entries {
		if isTemporary(e.Name()) {
			if err := os.Remove(filepath.Join(d.path, e.Name())); err != nil {
				return brief(err)
			}
		}
	}
	return nil
}

// Choices reads the table of choices of a finished directory.
func (d *Dir) Choices() ([]ChoiceRow, error) {
	return all[ChoiceRow](d, choiceFile)
}

// all reads a whole table.
func all[T any](d *Dir, name string) (rows []T, err error) {
	err = readTable(d, name, func(row T) { rows = append(rows, row) })
	return rows, err
}

// Floors reads the floor of every configuration of a finished directory, in the
// order of the table of choices.
func (d *Dir) Floors() ([]float64, error) {
	type row struct {
		Redundancy int64   `parquet:"redundancy"`
		Floor      float64 `parquet:"floor_s"`
	}
	var floors []float64
	err := readTable(d, summaryFile, func(r row) {
		if r.Redundancy == 0 {
			floors = append(floors, r.Floor)
		}
	})
	return floors, err
}
