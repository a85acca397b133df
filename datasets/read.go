package datasets

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"

	"github.com/parquet-go/parquet-go"

	"jitterfly/internal/file"
)

// readTable calls each with the rows of a table up to the first that is refused. It
// fails with what each returned, or if the table is not the one that was written:
// who can write a table can write its digest too, so that other columns, or a file
// that only pretends to be Parquet, are errors as well.
func readTable[T any](r *Results, name string, each func(T) error) error {
	path := filepath.Join(r.path, name)
	content, err := readFile(path)
	if err == nil && digest(content) != r.digests[name] {
		err = errors.New("it is not what was written")
	}
	var refused error
	if err == nil {
		err = readRows(content, func(row T) {
			if refused == nil {
				refused = each(row)
			}
		})
	}
	if pathErr := new(fs.PathError); errors.As(err, &pathErr) {
		err = pathErr.Err
	}
	if err != nil {
		return fmt.Errorf(
			"%s: damaged since the study finished (%w); remove %s to compute it again", path, err,
			r.path)
	}
	if refused != nil {
		return fmt.Errorf("%s: %w", path, refused)
	}
	return nil
}

// readFile returns the content of a file of a directory of results.
func readFile(path string) ([]byte, error) {
	f, err := file.Open(path)
	if err != nil {
		return nil, err
	}
	return file.ReadAll(f, math.MaxInt64-1)
}

// readRows calls each with the rows of a Parquet file. The library panics on some
// files that are none, which is an error here.
func readRows[T any](content []byte, each func(T)) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("it cannot be read as Parquet: %v", r)
		}
	}()
	if err := checkColumns[T](content); err != nil {
		return err
	}
	reader := parquet.NewGenericReader[T](bytes.NewReader(content))
	rows := make([]T, 1024)
	for {
		n, err := reader.Read(rows)
		for _, row := range rows[:n] {
			each(row)
		}
		if errors.Is(err, io.EOF) {
			return reader.Close()
		}
		if err != nil {
			return errors.Join(err, reader.Close())
		}
	}
}

// checkColumns fails if the file lacks a column of the row type, or has it with
// another type. A reader would take a missing one for zeros.
func checkColumns[T any](content []byte) error {
	f, err := parquet.OpenFile(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return err
	}
	return checkSchema[T](f)
}

// checkSchema is checkColumns of an open file.
func checkSchema[T any](f *parquet.File) error {
	want := parquet.SchemaOf(*new(T))
	for _, path := range want.Columns() {
		expected, _ := want.Lookup(path...)
		found, ok := f.Schema().Lookup(path...)
		if !ok || found.Node.Type().Kind() != expected.Node.Type().Kind() ||
			found.Node.Optional() || found.Node.Repeated() {
			return fmt.Errorf("its column %s is missing or of another type", path[0])
		}
	}
	return nil
}
