package datasets

import (
	"errors"
	"io"
	"strconv"

	"github.com/parquet-go/parquet-go"
)

// A table is a Parquet file being written.
type table struct {
	name   string
	file   *pending
	writer io.Closer
}

// groupValues is the number of values of a table that are in memory before they are
// written.
const groupValues = 1 << 22

// tables are the tables of one study, in the order of publication, and what writes their rows.
// trials is nil unless trials are kept.
type tables struct {
	all     []table
	summary *parquet.GenericWriter[SummaryRow]
	choice  *parquet.GenericWriter[ChoiceRow]
	trials  *parquet.GenericWriter[TrialRow]
}

func (d *Dir) newTables() (*tables, error) {
	t := new(tables)
	err := error(nil)
	if d.plan.KeepTrials {
		t.trials, err = addTable[TrialRow](t, d, trialsFile)
	}
	if err == nil {
		t.choice, err = addTable[ChoiceRow](t, d, choiceFile)
	}
	if err == nil {
		t.summary, err = addTable[SummaryRow](t, d, summaryFile)
	}
	if err != nil {
		t.abandon()
	}
	return t, err
}

// addTable creates a table of the set, whose metadata has the versions of the program and of the
// format, the study, and what the columns are.
func addTable[T any](t *tables, d *Dir, name string) (*parquet.GenericWriter[T], error) {
	file, err := create(d.disk, d.path, name)
	if err != nil {
		return nil, err
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
	t.all = append(t.all, table{name, file, writer})
	return writer, nil
}

// writeTable writes a table alone, and returns its digest by its name.
func writeTable[T any](d *Dir, name string, rows []T) (digests map[string]string, err error) {
	var t tables
	defer t.abandon()
	writer, err := addTable[T](&t, d, name)
	if err == nil {
		_, err = writer.Write(rows)
	}
	if err == nil {
		digests, err = t.publish()
	}
	return digests, brief(err)
}

// write writes the rows of a configuration. The batches depend on the record alone, and
// so do the bytes of the files.
func (t *tables) write(a Axes, r *Record) error {
	_, errSummary := t.summary.Write(r.Summaries(a))
	_, errChoice := t.choice.Write([]ChoiceRow{{a, r.Pick}})
	err := errors.Join(errSummary, errChoice)
	if err == nil && t.trials != nil {
		_, err = t.trials.Write(r.Trials(a.ConfigID))
	}
	return err
}

// publish completes all files, and then renames them. It returns their digests by name.
func (t *tables) publish() (digests map[string]string, err error) {
	for _, table := range t.all {
		if err := errors.Join(table.writer.Close(), table.file.complete()); err != nil {
			return nil, err
		}
	}
	digests = map[string]string{}
	for _, table := range t.all {
		if err := table.file.publish(table.name); err != nil {
			return nil, err
		}
		digests[table.name] = table.file.digest()
	}
	return digests, nil
}

func (t *tables) abandon() {
	for _, table := range t.all {
		table.file.abandon()
	}
}
