package datasets

// Varying returns the columns, in their order, that have several values in the rows and that
// earlier columns do not determine: they distinguish the rows for a reader.
func Varying[V comparable](rows int, columns []int, value func(row, column int) V) []int {
	var varying []int
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
