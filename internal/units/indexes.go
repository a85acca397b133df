package units

import (
	"strconv"
	"strings"
)

// Indexes are ascending numbers. Their string has ranges, as Linux and schedulers write them: 3,7-9.
type Indexes []int

func (x Indexes) String() string {
	var items []string
	for i := 0; i < len(x); {
		n := 1
		for i+n < len(x) && x[i+n] == x[i]+n {
			n++
		}
		item := strconv.Itoa(x[i])
		if n > 1 {
			item += "-" + strconv.Itoa(x[i]+n-1)
		}
		items = append(items, item)
		i += n
	}
	return strings.Join(items, ",")
}

// ParseRange returns the first and the last number of an item of a string of [Indexes]. It reports
// false if the item is another.
func ParseRange(item string) (first, last int, ok bool) {
	from, to, isRange := strings.Cut(item, "-")
	if !isRange {
		to = from
	}
	low, errLow := strconv.ParseUint(from, 10, 63)
	high, errHigh := strconv.ParseUint(to, 10, 63)
	return int(low), int(high), errLow == nil && errHigh == nil && low <= high
}
