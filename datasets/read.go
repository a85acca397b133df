package datasets

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/parquet-go/parquet-go"
)

// A cursor reads the rows of a table in batches.
type cursor[T any] struct {
	results *Results
	path    string
	file    *os.File
	reader  *parquet.GenericReader[T]
	rows    []T // that are read, and the rows that are left
	left    []T
	ended   bool
	next    int64 // number of the first row that is left
}

const batchRows = 256

// openTable returns a cursor before the first row of a table. It fails if the table is not the one
// that was written: a program that can write a table can write its digest too, so that other columns, or a
// file that only pretends to be Parquet, are errors as well.
func openTable[T any](r *Results, name string) (*cursor[T], error) {
	c := &cursor[T]{results: r, path: filepath.Join(r.path, name)}
	var err error
	if c.file, err = OpenFile(c.path); err != nil {
		return nil, c.damaged(err)
	}
	err = guarded(func() error {
		sum, size, err := sumOf(c.file)
		if err == nil && sum != r.Tables[name] {
			err = errors.New("it is not what was written")
		}
		if err != nil {
			return err
		}
		last := make([]byte, tail)
		if _, err := c.file.ReadAt(last, max(0, size-tail)); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if _, err := footerSize(last, size); err != nil { // the library would take memory for it
			return err
		}
		table, err := parquet.OpenFile(c.file, size)
		if err != nil {
			return err
		}
		if err := checkSchema[T](table); err != nil {
			return err
		}
		c.reader, c.rows = parquet.NewGenericReader[T](table), make([]T, batchRows)
		return nil
	})
	if err == nil {
		return c, nil
	}
	_ = c.file.Close()
	if errors.Is(err, errOtherColumns) {
		return nil, fmt.Errorf("%s: %w; run the study again with --out and a new directory, or read %s "+
			"with the build that wrote it", c.path, err, r.path)
	}
	return nil, c.damaged(err)
}

// errOtherColumns is the error of a table that is as it was written, but without a column that
// this program reads.
var errOtherColumns = errors.New("written by another build of jitterfly")

// sumOf returns the SHA-256 of the content of an open file, in hexadecimal, and its size.
func sumOf(f *os.File) (sum string, size int64, err error) {
	hash := sha256.New()
	size, err = io.Copy(hash, f)
	return hex.EncodeToString(hash.Sum(nil)), size, err
}

// guarded returns the error of f. The library panics on some files that are not Parquet, which is
// an error here.
func guarded(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("it cannot be read as Parquet: %v", r)
		}
	}()
	return f()
}

func (c *cursor[T]) damaged(err error) error {
	return fmt.Errorf("%s: damaged since the study finished (%w); remove %s to compute it again",
		c.path, Unnamed(err), c.results.path)
}

func (c *cursor[T]) unfit(other string) error {
	return fmt.Errorf("%s: it does not fit %s", c.path, other)
}

// peek returns the next row, nil after the last. It is valid until the cursor moves.
func (c *cursor[T]) peek() (*T, error) {
	if len(c.left) == 0 && !c.ended {
		err := guarded(func() error {
			n, err := c.reader.Read(c.rows)
			c.left, c.ended = c.rows[:n], errors.Is(err, io.EOF)
			if c.ended {
				err = nil
			}
			return err
		})
		if err != nil {
			return nil, c.damaged(err)
		}
	}
	if len(c.left) == 0 {
		return nil, nil
	}
	return &c.left[0], nil
}

// skip moves the cursor behind the row that peek returned.
func (c *cursor[T]) skip() {
	c.left = c.left[1:]
	c.next++
}

// nearRows is how many rows ahead are passed over rather than sought, which begins a page anew.
const nearRows = 1 << 14

func (c *cursor[T]) seek(row int64) error {
	if ahead := row - c.next; ahead < 0 || ahead > nearRows {
		c.left, c.ended, c.next = nil, false, row
		if err := guarded(func() error { return c.reader.SeekToRow(row) }); err != nil {
			return c.damaged(err)
		}
	}
	for c.next < row {
		if last, err := c.peek(); err != nil || last == nil {
			return err // the next peek is behind the last row too
		}
		c.skip()
	}
	return nil
}

// close ends the reading. There may be no cursor.
func (c *cursor[T]) close() {
	if c == nil {
		return
	}
	_ = guarded(c.reader.Close)
	_ = c.file.Close()
}

// checkSchema fails with [errOtherColumns] if the file lacks a column of the row type, or has it
// with another type. A reader would take a missing column for zeros.
func checkSchema[T any](f *parquet.File) error {
	want := parquet.SchemaOf(*new(T))
	for _, path := range want.Columns() {
		expected, _ := want.Lookup(path...)
		found, ok := f.Schema().Lookup(path...)
		if !ok || found.Node.Type().Kind() != expected.Node.Type().Kind() ||
			found.Node.Optional() || found.Node.Repeated() {
			return fmt.Errorf("%w, its column %s is missing or has another type",
				errOtherColumns, path[0])
		}
	}
	return nil
}
