package datasets

import (
	"errors"
	"strconv"

	"github.com/parquet-go/parquet-go"
)

type table[T any] struct {
	name   string
	file   *pending
	writer *parquet.GenericWriter[T]
}

// groupValues is the number of values of a table that are in memory before they are
// written.
const groupValues = 1 << 22

// newTable creates a table whose metadata has the versions of the program and of the
// format, and the study.
func newTable[T any](d *Dir, name string) (*table[T], error) {
	file, err := create(d.disk, d.path, name)
	if err != nil {
		return nil, err
	}
	return &table[T]{name, file, parquet.NewGenericWriter[T](file,
		parquet.CreatedBy(program, d.plan.Version, ""),
		parquet.KeyValueMetadata("jitterfly.version", d.plan.Version),
		parquet.KeyValueMetadata("jitterfly.format", strconv.Itoa(Format)),
		parquet.KeyValueMetadata("jitterfly.study", d.plan.StudyHash),
		parquet.Compression(&parquet.Zstd),
		parquet.MaxRowsPerRowGroup(int64(groupValues/len(Columns[T]()))),
	)}, nil
}

func (t *table[T]) write(rows []T) error {
	_, err := t.writer.Write(rows)
	return err
}

func (t *table[T]) complete() error {
	return errors.Join(t.writer.Close(), t.file.complete())
}

// pending returns the name and the file of a table, of whatever rows.
func (t *table[T]) pending() (name string, file *pending) { return t.name, t.file }

// tables are those of one study. trials is nil unless trials are kept.
type tables struct {
	summary *table[SummaryRow]
	choice  *table[ChoiceRow]
	trials  *table[TrialRow]
	all     []anyTable // in the order of publication
}

type anyTable interface {
	complete() error
	pending() (name string, file *pending)
}

func (d *Dir) newTables() (*tables, error) {
	var t tables
	var err error
	if d.plan.KeepTrials {
		if t.trials, err = addTable[TrialRow](&t, d, trialsFile); err != nil {
			return nil, err
		}
	}
	if t.choice, err = addTable[ChoiceRow](&t, d, choiceFile); err != nil {
		return nil, err
	}
	t.summary, err = addTable[SummaryRow](&t, d, summaryFile)
	return &t, err
}

// addTable creates a table of the set. If it fails, it abandons the set.
func addTable[T any](t *tables, d *Dir, name string) (*table[T], error) {
	added, err := newTable[T](d, name)
	if err != nil {
		t.abandon()
		return nil, err
	}
	t.all = append(t.all, added)
	return added, nil
}

// write writes the rows of a configuration. The batches depend on the record alone, and
// so do the bytes of the files.
func (t *tables) write(a Axes, r *Record) error {
	err := errors.Join(t.summary.write(r.Summaries(a)), t.choice.write([]ChoiceRow{{a, r.Pick}}))
	if err == nil && t.trials != nil {
		err = t.trials.write(r.Trials(a.ConfigID))
	}
	return err
}

// publish completes all files, and then renames them.
func (t *tables) publish() error {
	for _, table := range t.all {
		if err := table.complete(); err != nil {
			return err
		}
	}
	for _, table := range t.all {
		name, file := table.pending()
		if err := file.publish(name); err != nil {
			return err
		}
	}
	return nil
}

func (t *tables) digests() map[string]string {
	digests := map[string]string{}
	for _, table := range t.all {
		name, file := table.pending()
		digests[name] = file.digest()
	}
	return digests
}

func (t *tables) abandon() {
	for _, table := range t.all {
		_, file := table.pending()
		file.abandon()
	}
}
