package datasets

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/parquet-go/parquet-go"
)

// A table is a Parquet file being written.
type table[T any] struct {
	name   string
	file   *pending
	writer *parquet.GenericWriter[T]
}

// newTable begins a table whose metadata names the program's version, the
// format's and the study.
func newTable[T any](d *Dir, name string) (*table[T], error) {
	file, err := create(d.path, name)
	if err != nil {
		return nil, err
	}
	return &table[T]{name, file, parquet.NewGenericWriter[T](file,
		parquet.CreatedBy(program, d.id.Version, ""),
		parquet.KeyValueMetadata("jitterfly.version", d.id.Version),
		parquet.KeyValueMetadata("jitterfly.format", strconv.Itoa(Format)),
		parquet.KeyValueMetadata("jitterfly.study", d.id.Study),
		parquet.Compression(&parquet.Zstd),
		// The default keeps a whole file's rows in memory.
		parquet.MaxRowsPerRowGroup(1<<20),
	)}, nil
}

func (t *table[T]) write(rows []T) error {
	_, err := t.writer.Write(rows)
	return err
}

func (t *table[T]) complete() error {
	return errors.Join(t.writer.Close(), t.file.complete())
}

// tables are those of one study. trials is nil unless they are kept.
type tables struct {
	summary *table[SummaryRow]
	choice  *table[ChoiceRow]
	trials  *table[TrialRow]
}

func (d *Dir) newTables() (*tables, error) {
	var t tables
	var errs [3]error
	t.summary, errs[0] = newTable[SummaryRow](d, summaryFile)
	t.choice, errs[1] = newTable[ChoiceRow](d, choiceFile)
	if d.id.KeepTrials {
		t.trials, errs[2] = newTable[TrialRow](d, trialsFile)
	}
	if err := errors.Join(errs[:]...); err != nil {
		t.abandon()
		return nil, err
	}
	return &t, nil
}

// write adds a configuration's rows. Every call writes the same batches
// wherever the record comes from, so that the files' bytes depend on the
// records alone.
func (t *tables) write(r *Record) error {
	err := errors.Join(t.summary.write(r.Summaries()), t.choice.write([]ChoiceRow{r.Choice()}))
	if err == nil && t.trials != nil {
		err = t.trials.write(r.Trials())
	}
	return err
}

// publish completes all files before it names the first.
func (t *tables) publish() error {
	err := errors.Join(t.summary.complete(), t.choice.complete())
	if t.trials != nil {
		err = errors.Join(err, t.trials.complete())
	}
	if err != nil {
		return err
	}
	if t.trials != nil {
		err = t.trials.file.publish(t.trials.name)
	}
	return errors.Join(err, t.choice.file.publish(t.choice.name), t.summary.file.publish(t.summary.name))
}

func (t *tables) abandon() {
	if t.summary != nil {
		t.summary.file.abandon()
	}
	if t.choice != nil {
		t.choice.file.abandon()
	}
	if t.trials != nil {
		t.trials.file.abandon()
	}
}

// readTable reads all rows of a table.
func readTable[T any](path string) ([]T, error) {
	rows, err := parquet.ReadFile[T](path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, brief(err)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: damaged: %w", path, err)
	}
	return rows, nil
}
