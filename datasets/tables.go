package datasets

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"strconv"

	"jitterfly/internal/vector"

	"github.com/parquet-go/parquet-go"
)

// A table is a Parquet file being written.
type table struct {
	name   string
	file   *pending
	writer io.Closer
	add    func(a Axes, r *Record) error // writes the rows of a configuration
}

// groupValues is the number of values of a table that are in memory before they are written.
const groupValues = 1 << 22

// tables are the tables of one study, in the order of publication.
type tables []table

// newTables creates the tables of a study, to be abandoned also if it fails.
func (d *Dir) newTables() (t tables, err error) {
	if d.plan.KeepTrials {
		err = addTable(&t, d, trialsFile, func(a Axes, r *Record) []TrialRow { return r.Trials(a.ConfigID) })
	}
	if err == nil {
		err = addTable(&t, d, choiceFile, func(a Axes, r *Record) []ChoiceRow { return []ChoiceRow{{a, r.Pick}} })
	}
	if err == nil {
		err = addTable(&t, d, summaryFile, func(a Axes, r *Record) []SummaryRow { return r.Summaries(a) })
	}
	return t, err
}

// addTable creates a table of the set, whose metadata has the versions of the program and of the
// format, the study, and what the columns are. The batches of rows depend on the records alone, and so
// do the bytes of the file.
func addTable[T any](t *tables, d *Dir, name string, rows func(a Axes, r *Record) []T) error {
	file, err := create(d.disk, d.path, name)
	if err != nil {
		return err
	}
	writer := parquet.NewGenericWriter[T](file,
		parquet.CreatedBy(program, d.plan.Version, ""),
		parquet.KeyValueMetadata("jitterfly.version", d.plan.Version),
		parquet.KeyValueMetadata("jitterfly.format", strconv.Itoa(Format)),
		parquet.KeyValueMetadata("jitterfly.study", d.plan.StudyHash),
		parquet.KeyValueMetadata(columnsKey, describe(name, Columns[T]())),
		parquet.Compression(&parquet.Zstd),
		parquet.MaxRowsPerRowGroup(int64(groupValues/len(Columns[T]()))),
	)
	*t = append(*t, table{name, file, writer, func(a Axes, r *Record) error {
		_, err := writer.Write(rows(a, r))
		return err
	}})
	return nil
}

// writeTable writes a table alone, and returns its digest by its name.
func writeTable[T any](d *Dir, name string, rows []T) (digests map[string]string, err error) {
	var t tables
	defer func() { t.abandon() }()
	err = addTable(&t, d, name, func(Axes, *Record) []T { return rows })
	if err == nil {
		err = t.add(Axes{}, nil)
	}
	if err == nil {
		digests, err = t.publish()
	}
	return digests, brief(err)
}

// add writes the rows of a configuration.
func (t tables) add(a Axes, r *Record) error {
	for _, table := range t {
		if err := table.add(a, r); err != nil {
			return err
		}
	}
	return nil
}

// publish completes all files, and then renames them. It returns their digests by name.
func (t tables) publish() (digests map[string]string, err error) {
	for _, table := range t {
		if err := errors.Join(table.writer.Close(), table.file.complete()); err != nil {
			return nil, err
		}
	}
	digests = map[string]string{}
	for _, table := range t {
		if err := table.file.publish(table.name); err != nil {
			return nil, err
		}
		digests[table.name] = table.file.digest()
	}
	return digests, nil
}

func (t tables) abandon() {
	for _, table := range t {
		table.file.abandon()
	}
}

// WriteAttribution adds the table of what sources of noise cost to a finished study, or replaces
// it.
func (d *Dir) WriteAttribution(rows []AttributionRow) error {
	if !d.Finished() {
		return fmt.Errorf("%s: the study has not finished", d.path)
	}
	digests, err := writeTable(d, attributionFile, rows)
	if err != nil {
		return err
	}
	tables := maps.Clone(d.run.Tables)
	maps.Copy(tables, digests)
	return d.writeRun(tables, d.run.Configurations)
}

// Attribution reads the costs of the sources of noise, nil if they were not computed. It fails if
// the table has changed since it was written.
func (r *Results) Attribution() ([]AttributionRow, error) {
	if r.Tables[attributionFile] == "" {
		return nil, nil
	}
	c, err := openTable[AttributionRow](r, attributionFile)
	if err != nil {
		return nil, err
	}
	defer c.close()
	var rows []AttributionRow
	for {
		row, err := c.peek()
		if row == nil || err != nil {
			return rows, err
		}
		rows = append(rows, *row)
		c.skip()
	}
}

// WriteProgram writes the table of the choices for a recorded program into a directory, where the
// study of each row has a directory of its own. It fails if the directory itself has a study.
func WriteProgram(path, version string, rows []ProgramRow) error {
	studies := vector.Each(rows, func(r ProgramRow) string { return r.Study })
	if err := CheckProgram(path); err != nil {
		return err
	}
	d := &Dir{disk: osDisk{}, path: path, plan: &Plan{Version: version, StudyHash: digestOf(studies)}}
	_, err := writeTable(d, ProgramFile, rows)
	return err
}

// CheckProgram fails if a directory has a study of its own, so that it cannot have those for a program.
func CheckProgram(path string) error {
	if exists(filepath.Join(path, PlanFile)) {
		return fmt.Errorf("%s: has another study; name another directory with --out", path)
	}
	return nil
}

// programsStudies fails if a directory has the studies for a program, and none itself.
func programsStudies(path string) error {
	if !exists(filepath.Join(path, ProgramFile)) {
		return nil
	}
	found, _ := filepath.Glob(filepath.Join(path, "*", RunFile)) // a pattern that is bad finds none
	example := filepath.Join(path, "*")
	if len(found) > 0 {
		example = filepath.Dir(found[0])
	}
	return fmt.Errorf("%s: has the choices for a program, each in a directory of its own; name one, as %s",
		path, example)
}
