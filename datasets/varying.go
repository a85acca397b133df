package datasets

import (
	"cmp"
	"slices"
)

// Varying returns the columns, in their order, that have several values in the rows and that
// earlier columns do not determine: they distinguish the rows for a reader.
func Varying[C any, V comparable](rows int, columns []C, value func(row int, column C) V) []C {
	var varying []C
	classes := make([]int, rows) // rows with the same values in the columns found have the same
	first := []int{0}            // row of each class
	for _, column := range columns {
		if len(first) >= rows {
			break
		}
		for row, class := range classes {
			if value(row, column) != value(first[class], column) {
				varying = append(varying, column)
				first = refine(classes, func(row int) V { return value(row, column) })
				break
			}
		}
	}
	return varying
}

// Classes returns classes of rows, and their number: rows with the same values in the columns have the same.
func Classes[C any, V comparable](rows int, columns []C, value func(row int, column C) V) (of []int, n int) {
	of, n = make([]int, rows), 1
	for _, column := range columns {
		n = len(refine(of, func(row int) V { return value(row, column) }))
	}
	return of, n
}

// refine divides classes of rows by a value of the rows. It returns the first row of each.
func refine[V comparable](classes []int, value func(row int) V) []int {
	type pair struct {
		class int
		value V
	}
	var first []int
	refined := map[pair]int{}
	for row := range classes {
		p := pair{classes[row], value(row)}
		class, ok := refined[p]
		if !ok {
			class = len(first)
			refined[p] = class
			first = append(first, row)
		}
		classes[row] = class
	}
	return first
}

// Distinct returns the values of rows, each once, and the place of each among them: numbers in
// ascending order, names in the order of their first occurrence.
func Distinct(rows int, value func(row int) any) (values []any, places map[any]int) {
	places = map[any]int{}
	for row := range rows {
		v := value(row)
		if _, ok := places[v]; !ok {
			places[v] = len(values)
			values = append(values, v)
		}
	}
	slices.SortStableFunc(values, func(a, b any) int { return cmp.Compare(Number(a), Number(b)) })
	for i, v := range values {
		places[v] = i
	}
	return values, places
}
