package measured

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ParseCores returns the cores of a list of cores and ranges such as 0,2-5, as Linux
// writes them, in ascending order, each once.
func ParseCores(text string) ([]int, error) {
	var cores []int
	for item := range strings.SplitSeq(text, ",") {
		low, high, isRange := strings.Cut(strings.TrimSpace(item), "-")
		if !isRange {
			high = low
		}
		first, err := strconv.ParseUint(low, 10, 16)
		last, err2 := strconv.ParseUint(high, 10, 16)
		if err != nil || err2 != nil || first > last {
			return nil, fmt.Errorf("%q is not a core, nor a range of cores; write for example 0,2-5", item)
		}
		for id := first; id <= last; id++ {
			cores = append(cores, int(id))
		}
	}
	slices.Sort(cores)
	return slices.Compact(cores), nil
}

// Cores returns the list of cores, which ascend, as [ParseCores] reads it.
func Cores(cores []int) string {
	var items []string
	for i := 0; i < len(cores); {
		j := i + 1
		for j < len(cores) && cores[j] == cores[j-1]+1 {
			j++
		}
		item := strconv.Itoa(cores[i])
		if j-i > 1 {
			item += "-" + strconv.Itoa(cores[j-1])
		}
		items = append(items, item)
		i = j
	}
	return strings.Join(items, ",")
}
