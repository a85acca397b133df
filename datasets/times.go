package datasets

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Times are how long [s] each rank of an application computed in each iteration.
type Times struct {
	Ranks, Iterations int
	// Seconds has the times of all ranks in the first iteration, then of all ranks in the next.
	Seconds []float64
}

var timesColumns = []string{"rank", "iteration", "seconds"}

// DecodeTimes returns the times in the content of a Parquet or CSV file with the columns rank,
// iteration and seconds, in any order. It fails unless the file has one time from 0 s on for each
// rank from 0 on in each iteration from 0 on.
func DecodeTimes(content []byte) (*Times, error) {
	var rows timeRows
	read := rows.readCSV
	if bytes.HasPrefix(content, []byte("PAR1")) {
		read = rows.readParquet
	}
	if err := read(content); err != nil {
		return nil, err
	}
	return rows.table()
}

// EncodeTimes returns the content of a CSV file of compute times [s], times[i][r] of rank r in
// iteration i, with 10 significant digits.
func EncodeTimes(times [][]float64) []byte {
	b := []byte(strings.Join(timesColumns, ",") + "\n")
	for i, row := range times {
		for rank, v := range row {
			b = fmt.Appendf(b, "%d,%d,", rank, i)
			b = append(strconv.AppendFloat(b, v, 'g', 10, 64), '\n')
		}
	}
	return b
}

type timeRow struct {
	rank, iteration int32
	seconds         float64
}

type timeRows []timeRow

// maxTimes is the largest number of rows of a file, and so the largest rank and iteration. A small
// Parquet file can have any number of rows.
const maxTimes = 1 << 23

// add adds a row of values in the order of timesColumns. It fails if one is out of range; row
// numbers from 1 on.
func (rows *timeRows) add(values []float64) error {
	row, rank, iteration, seconds := len(*rows)+1, values[0], values[1], values[2]
	switch {
	case row > maxTimes:
		return fmt.Errorf("there are more than %d rows", maxTimes)
	case rank != math.Trunc(rank) || iteration != math.Trunc(iteration):
		return fmt.Errorf("row %d: the rank is %g and the iteration %g; both must be whole", row, rank, iteration)
	case rank < 0 || rank > maxTimes:
		return fmt.Errorf("row %d: the rank is %.0f", row, rank)
	case iteration < 0 || iteration > maxTimes:
		return fmt.Errorf("row %d: the iteration is %.0f", row, iteration)
	case !(seconds >= 0 && seconds <= math.MaxFloat64):
		return fmt.Errorf("row %d: %g s is not a compute time", row, seconds)
	}
	*rows = append(*rows, timeRow{int32(rank), int32(iteration), seconds})
	return nil
}

// table arranges the rows. It fails if a rank has not one time in each iteration.
func (rows timeRows) table() (*Times, error) {
	if len(rows) == 0 {
		return nil, errors.New("there are no times")
	}
	t := &Times{Seconds: make([]float64, len(rows))}
	for _, r := range rows {
		t.Ranks, t.Iterations = max(t.Ranks, int(r.rank)+1), max(t.Iterations, int(r.iteration)+1)
	}
	order := func(a, b timeRow) int {
		return cmp.Or(cmp.Compare(a.iteration, b.iteration), cmp.Compare(a.rank, b.rank))
	}
	slices.SortStableFunc(rows, order)
	fit := 0 // rows that are where they belong
	for fit < len(rows) && int(rows[fit].rank) == fit%t.Ranks && int(rows[fit].iteration) == fit/t.Ranks {
		t.Seconds[fit] = rows[fit].seconds
		fit++
	}
	switch {
	case fit == len(rows) && fit == t.Ranks*t.Iterations:
		return t, nil
	case fit > 0 && fit < len(rows) && order(rows[fit-1], rows[fit]) == 0:
		return nil, fmt.Errorf("rank %d has two times in iteration %d", rows[fit].rank, rows[fit].iteration)
	}
	return nil, fmt.Errorf("rank %d has no time in iteration %d, of %d ranks and %d iterations",
		fit%t.Ranks, fit/t.Ranks, t.Ranks, t.Iterations)
}

// readCSV adds the rows of a CSV file, whose first line names the columns.
func (rows *timeRows) readCSV(content []byte) error {
	reader := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(content, []byte("\ufeff"))))
	reader.Comment, reader.TrimLeadingSpace, reader.ReuseRecord = '#', true, true
	header, err := reader.Read()
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	at, err := findColumns(header)
	if err != nil {
		return err
	}
	for values := make([]float64, len(at)); ; {
		record, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for i, column := range at {
			if values[i], err = strconv.ParseFloat(strings.TrimSpace(record[column]), 64); err != nil {
				return fmt.Errorf("row %d: %q are not a rank, an iteration and seconds",
					len(*rows)+1, []string{record[at[0]], record[at[1]], record[at[2]]})
			}
		}
		if err := rows.add(values); err != nil {
			return err
		}
	}
}

func findColumns(names []string) (at []int, err error) {
	for _, want := range timesColumns {
		i := slices.IndexFunc(names, func(name string) bool {
			return strings.EqualFold(strings.TrimSpace(name), want)
		})
		if i < 0 {
			return nil, fmt.Errorf("there is no column %s; a file of times has the columns %s",
				want, strings.Join(timesColumns, ", "))
		}
		at = append(at, i)
	}
	return at, nil
}

// readParquet adds the rows of a Parquet file of any encoding.
func (rows *timeRows) readParquet(content []byte) error {
	meta, err := readFooter(content)
	if err != nil {
		return err
	}
	return readNumbers(content, meta, maxTimes, findColumns, rows.add)
}
