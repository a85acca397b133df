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

// Format is the version of this package's files: tables, plans, parts, traces. It changes when a
// reader of an older one would be misled.
const Format = 1

// File names in a directory of results.
const (
	PlanFile    = "plan.json"
	RunFile     = "run.json"
	summaryFile = "summary.parquet"
	choiceFile  = "choice.parquet"
	trialsFile  = "trials.parquet"
	// attributionFile is there if sources of noise were compared.
	attributionFile = "attribution.parquet"
	// ProgramFile is the table of the choices for a recorded program.
	ProgramFile = "program.parquet"
	partsDir    = "parts"
)

// finishedFiles are what a finished study adds to a directory.
var finishedFiles = []string{RunFile, summaryFile, choiceFile, trialsFile, attributionFile}

const program = "jitterfly"

// ErrOtherStudy is returned for a directory of another study, which is not changed.
var ErrOtherStudy = errors.New("holds another study")

// ErrNoPlan is returned for a directory without a plan.
var ErrNoPlan = errors.New("has no plan; make one with jitterfly cluster plan STUDY --shards N --out DIR")

// A Dir is a directory of results. It has three states: planned (there is plan.json), partly
// computed (there are parts), finished (there is run.json, with the digests of the tables).
type Dir struct {
	disk    disk
	path    string
	plan    *Plan
	run     *Run    // of a finished study
	entries []entry // of the records that are there, by configuration
}

// Begin opens the directory of a plan, or creates it with the plan and its inputs. If the
// directory has another study, which is not to be continued, it returns the directory and
// fails with [ErrOtherStudy]. One of the same study may be divided into other shards.
func Begin(path string, plan Plan, inputs map[string][]byte, e Extension) (*Dir, error) {
	return begin(osDisk{}, path, plan, inputs, e)
}

func begin(on disk, path string, plan Plan, inputs map[string][]byte, e Extension) (*Dir, error) {
	d, err := openDir(on, path)
	switch {
	case err == nil && d.extends(plan, e):
		if err := d.extend(plan, e); err != nil {
			return nil, err
		}
		d, err = openDir(on, path)
	case errors.Is(err, ErrNoPlan):
		if err := d.create(plan, inputs); err != nil {
			// Another process that has finished its study may have removed files of this one.
			if !errors.Is(err, fs.ErrNotExist) || !exists(filepath.Join(path, PlanFile)) {
				return nil, err
			}
		}
		d, err = openDir(on, path) // another process may have planned first
	}
	if err == nil {
		err = d.check(plan)
	}
	return d, err
}

// Open opens the directory of a plan. It fails with [ErrNoPlan] if the directory has no plan.
func Open(path string) (*Dir, error) { return openDir(osDisk{}, path) }

func openDir(on disk, path string) (*Dir, error) {
	if err := notDirectory(path); err != nil {
		return nil, err
	}
	d := &Dir{disk: on, path: path}
	var err error
	d.plan, err = readPlan(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := programsStudies(path); err != nil {
			return nil, err
		}
		return d, fmt.Errorf("%s: %w", path, ErrNoPlan)
	case err != nil:
		return nil, brief(err)
	}
	d.entries = make([]entry, len(d.plan.owners))
	d.run, err = readRun(path, d.plan)
	return d, err // also if the run is damaged, for Verify
}

// create creates the directory, writes the inputs, and then the plan. If another process writes a
// plan meanwhile, that plan stays, and create succeeds.
func (d *Dir) create(plan Plan, inputs map[string][]byte) error {
	if err := makeDir(d.disk, d.path); err != nil {
		return brief(err)
	}
	for _, name := range slices.Concat(finishedFiles, []string{partsDir}) {
		if !exists(filepath.Join(d.path, name)) {
			continue
		}
		// The plan is written before all of these, perhaps by another process just now.
		if exists(filepath.Join(d.path, PlanFile)) {
			return nil
		}
		return fmt.Errorf(
			"%s: has %s but no %s, so its study is unknown; name another directory with --out",
			d.path, name, PlanFile)
	}
	plan.Program, plan.Format = program, Format
	for name, content := range inputs {
		file := filepath.Join(d.path, filepath.FromSlash(name))
		if err := makeDir(d.disk, filepath.Dir(file)); err != nil {
			return brief(err)
		}
		if err := writeContent(d.disk, file, content); err != nil {
			return brief(err)
		}
	}
	plan.seal()
	err := writeAs((*pending).publishNew, d.disk, filepath.Join(d.path, PlanFile), jsonFile(plan))
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return brief(err)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// notDirectory returns an error if path, or a name above it, is a file and not a directory.
func notDirectory(path string) error {
	for ; path != filepath.Dir(path); path = filepath.Dir(path) {
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return fmt.Errorf("%s: not a directory; name a directory of results", path)
		}
	}
	return nil
}

// check fails if the directory is not one of the plan's study, or is to keep other data.
func (d *Dir) check(want Plan) error {
	err := error(nil)
	switch {
	case d.plan.StudyHash != want.StudyHash || d.plan.Choices != want.Choices:
		err = ErrOtherStudy
	case d.plan.Format != Format:
		return d.For(want.Version)
	case d.Finished() && want.KeepTrials && !d.plan.KeepTrials:
		err = errors.New(
			"finished without keeping trials; name another directory with --out to keep them")
	case !d.Finished() && want.KeepTrials != d.plan.KeepTrials:
		err = fmt.Errorf(
			"begun with --keep-trials=%t; continue with that, or name another directory with --out",
			d.plan.KeepTrials)
	case !d.Finished():
		return d.For(want.Version)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", d.path, err)
	}
	return nil
}

// For fails if a version of the program cannot compute what the directory lacks.
func (d *Dir) For(version string) error {
	switch {
	case d.plan.Format != Format:
		return fmt.Errorf(
			"%s: planned in format %d, this program writes %d; plan the study again in another "+
				"directory", d.path, d.plan.Format, Format)
	case d.plan.Version != version:
		return fmt.Errorf(
			"%s: begun by version %s, which may draw other numbers than this %s; finish it with "+
				"that, or name another directory", d.path, d.plan.Version, version)
	}
	return nil
}

// Plan returns the plan of the directory, which must not be changed.
func (d *Dir) Plan() *Plan { return d.plan }

// Path returns the path of the directory.
func (d *Dir) Path() string { return d.path }

// Owner returns the shard of a configuration.
func (d *Dir) Owner(config int) int { return int(d.plan.owners[config]) }

// Input returns the content of an input of the plan. It fails if the content has changed since
// the plan was made.
func (d *Dir) Input(name string) ([]byte, error) {
	want, ok := d.plan.Inputs[name]
	if !ok {
		return nil, fmt.Errorf("%s: %.80s is not among the plan's inputs", d.path, name)
	}
	content, err := ReadFileIn(d.path, name, math.MaxInt64-1)
	if err == nil && digest(content) != want {
		err = errors.New(
			"not the file that was planned with; plan the study again in another directory")
	}
	return content, FileError(filepath.Join(d.path, name), err)
}

func (d *Dir) partsPath() string { return filepath.Join(d.path, partsDir) }

// Writable fails if parts cannot be written, which is better known before hours of computing. It
// succeeds if another process has finished the study, and then [Dir.Finished] says so.
func (d *Dir) Writable() error {
	if d.finishedElsewhere() {
		return nil
	}
	err := makeDir(d.disk, d.partsPath())
	if err == nil {
		err = canCreate(d.disk, d.partsPath(), "probe")
	}
	if err != nil && !d.finishedElsewhere() {
		return brief(err)
	}
	return nil
}
