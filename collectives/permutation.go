package collectives

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// A list makes rank r receive from the rank at index r of a list, which has every rank once. A rank
// that is its own source receives nothing.
type list struct{ from, to []int32 }

func (l list) From(r int) int                     { return int(l.from[r]) }
func (l list) To(r int) int                       { return int(l.to[r]) }
func (l list) Nodes(n int) (inside, outside bool) { return false, n <= 1 }

func (l list) Gather(dst, clock []float64, lo int) {
	for i := range dst {
		dst[i] = clock[l.from[lo+i]]
	}
}

// maxMessages bounds the number of messages of a rank, since each is a round.
const maxMessages = 1 << 20

// Permutation sends p.Messages messages of each rank to its target, one in each round. A rank
// that is its own target sends nothing.
func Permutation(p Problem) (Schedule, error) {
	s := Schedule{Ranks: p.Ranks, Direct: true}
	if len(p.Targets) != p.Ranks {
		return s, ParameterRanks.Invalid("%d targets are not one for each of %d ranks",
			len(p.Targets), p.Ranks)
	}
	if p.Messages > maxMessages {
		return s, ParameterMessages.Invalid("%d messages are more than the %d of a rank that are simulated",
			p.Messages, maxMessages)
	}
	l := list{make([]int32, p.Ranks), p.Targets}
	for r, target := range p.Targets {
		l.from[target] = int32(r)
		if int(target) == r {
			s.Unsent++
		}
	}
	for range p.Messages {
		s.deliver(p, l, 1)
	}
	s.done(Span{0, s.Ranks}, 0, 0)
	return s, p.check(1)
}

// ReadPermutation reads the rank that each rank sends to, rank 0 first, as [ReadList] does. It
// fails also if a rank occurs twice, or if some are missing.
func ReadPermutation(r io.Reader, ranks int) (targets []int32, err error) {
	lines := make([]int, ranks) // the line of each rank, 0 if not read yet
	to, err := ReadList(r, "rank", ranks, func(line, target int) error {
		if lines[target] > 0 {
			return fmt.Errorf("rank %d occurs again, after line %d; write each once", target, lines[target])
		}
		lines[target] = line
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(to) < ranks {
		return nil, fmt.Errorf("the list has %d of %d ranks; write a line for each", len(to), ranks)
	}
	return to, nil
}

// ReadList reads numbers from 0 to n-1, one on each line. It skips empty lines and lines that begin
// with #. It fails, with the number of the line, if a line is not such a number, which what names,
// or if check fails for it.
func ReadList(r io.Reader, what string, n int, check func(line, number int) error) ([]int32, error) {
	var numbers []int32
	in, line := bufio.NewScanner(r), 0
	for in.Scan() {
		line++
		text := strings.TrimSpace(in.Text())
		if text == "" || text[0] == '#' {
			continue
		}
		number, err := strconv.Atoi(text)
		if err != nil || number < 0 || number >= n {
			return nil, fmt.Errorf("line %d: %q is not a %s; write a number from 0 to %d", line, text, what,
				n-1)
		}
		if err := check(line, number); err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		numbers = append(numbers, int32(number))
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", line+1, err)
	}
	return numbers, nil
}

// RandomRing returns as the target of each rank its successor on a ring of all ranks in random
// order (Suzuki et al., section 3.1). The argument shuffle is as [math/rand/v2.Rand.Shuffle].
func RandomRing(ranks int, shuffle func(n int, swap func(i, j int))) []int32 {
	order, targets := make([]int32, ranks), make([]int32, ranks)
	for i := range order {
		order[i] = int32(i)
	}
	shuffle(ranks, func(i, j int) { order[i], order[j] = order[j], order[i] })
	for i, r := range order {
		targets[r] = order[(i+1)%ranks]
	}
	return targets
}
