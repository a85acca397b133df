package datasets

import (
	"errors"
	"strconv"

	"github.com/parquet-go/parquet-go"
)

// A table is a Parquet file being written.
type table[T any] struct {
	name   string
	file   *pending
	writer *parquet.GenericWriter[T]
}

// groupValues is how many values of a table are in memory before they are written; the
// default is all of them.
const groupValues = 1 << 22

// newTable begins a table whose metadata names the program's version, the
// format's and the study.
func newTable[T any](d *Dir, name string) (*table[T], error) {
	file, err := create(d.path, name)
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

// pending returns what tables of different rows have in common.
func (t *table[T]) pending() (name string, file *pending) { return t.name, t.file }

// tables are those of one study. trials is nil unless they are kept.
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

// addTable begins a table of the set; on an error the set is abandoned.
func addTable[T any](t *tables, d *Dir, name string) (*table[T], error) {
	added, err := newTable[T](d, name)
	if err != nil {
		t.abandon()
		return nil, err
	}
	t.all = append(t.all, added)
	return added, nil
}

// write adds a configuration's rows. Every call writes the same batches
// wherever the record comes from, so that the files' bytes depend on the
// records alone.
func (t *tables) write(a Axes, r *Record) error {
	err := errors.Join(t.summary.write(r.Summaries(a)), t.choice.write([]ChoiceRow{{a, r.Pick}}))
	if err == nil && t.trials != nil {
		err = t.trials.write(r.Trials(a.ConfigID))
	}
	return err
}

// publish completes all files before it names the first.
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

// digests returns those of the published files, by name.
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
