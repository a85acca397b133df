package datasets

import (
	"fmt"
	"strconv"
	"strings"
)

// Indexes are ascending numbers of configurations or of shards. Their string is an array
// specification of schedulers: 3,7-9.
type Indexes []int

func (x Indexes) String() string {
	var b strings.Builder
	for i := 0; i < len(x); {
		n := 1
		for i+n < len(x) && x[i+n] == x[i]+n {
			n++
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(x[i]))
		if n > 1 {
			b.WriteString("-" + strconv.Itoa(x[i]+n-1))
		}
		i += n
	}
	return b.String()
}

// eachRange calls each with the ranges of a text that String wrote. It fails if the
// text is another.
func eachRange(text string, each func(first, last int) error) error {
	before := -1
	for item := range strings.SplitSeq(text, ",") {
		from, to, isRange := strings.Cut(item, "-")
		if !isRange {
			to = from
		}
		first, err1 := strconv.ParseUint(from, 10, 31)
		last, err2 := strconv.ParseUint(to, 10, 31)
		if err1 != nil || err2 != nil || last < first || int(first) <= before {
			return fmt.Errorf("%.40q is not ascending numbers and ranges like 3,7-9", item)
		}
		if err := each(int(first), int(last)); err != nil {
			return err
		}
		before = int(last)
	}
	return nil
}
