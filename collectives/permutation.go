package collectives

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// A List has rank r receive from the rank at r in a list, which has every rank once. A rank that is
// its own source receives nothing.
type List struct{ from, to []int32 }

// From implements [Peers].
func (l List) From(r int) int { return int(l.from[r]) }

// To implements [Peers].
func (l List) To(r int) int { return int(l.to[r]) }

// Nodes implements [Peers].
func (l List) Nodes(n int) (inside, outside bool) { return false, n <= 1 }

// Gather implements [Peers].
func (l List) Gather(dst, clock []float64, lo int) {
	for i := range dst {
		dst[i] = clock[l.from[lo+i]]
	}
}

// maxMessages bounds the number of messages of a rank, since each is a round.
const maxMessages = 1 << 20

// Permutation sends p.Messages messages of each rank to its target, one in each round. A rank
// that is its own target sends nothing.
func Permutation(p Problem) (Schedule, error) {
	s := newSchedule(p.Ranks, 1)
	s.Direct = true
	if len(p.Targets) != p.Ranks {
		return s, invalid(ParameterRanks, "%d targets are not one for each of %d ranks",
			len(p.Targets), p.Ranks)
	}
	if p.Messages > maxMessages {
		return s, invalid(ParameterMessages, "%d messages are more than the %d of a rank that are simulated",
			p.Messages, maxMessages)
	}
	l := List{make([]int32, p.Ranks), p.Targets}
	for r, target := range p.Targets {
		l.from[target] = int32(r)
		if int(target) == r {
			s.Unsent++
		}
	}
	for range p.Messages {
		s.deliver(p, l, 1, nil)
	}
	if err := p.check(1); err != nil {
		return s, err
	}
	return s.finished()
}

// ReadPermutation reads the rank that each rank sends to, rank 0 first, one number on each line. It
// skips empty lines and lines that begin with #. It fails if a line is not a rank, if a rank occurs
// twice, or if some are missing.
func ReadPermutation(r io.Reader, ranks int) (targets []int32, err error) {
	to := make([]int32, 0, ranks)
	lines := make([]int, ranks) // the line of each rank, 0 if not read yet
	in := bufio.NewScanner(r)
	n := 0
	for in.Scan() {
		n++
		text := strings.TrimSpace(in.Text())
		if text == "" || text[0] == '#' {
			continue
		}
		target, err := strconv.Atoi(text)
		switch {
		case err != nil || target < 0 || target >= ranks:
			return nil, fmt.Errorf("line %d: %q is not a rank; write a number from 0 to %d",
				n, text, ranks-1)
		case lines[target] > 0:
			return nil, fmt.Errorf("line %d: rank %d occurs again, after line %d; write each once",
				n, target, lines[target])
		}
		lines[target] = n
		to = append(to, int32(target))
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", n+1, err)
	}
	if len(to) < ranks {
		return nil, fmt.Errorf("the list has %d of %d ranks; write a line for each",
			len(to), ranks)
	}
	return to, nil
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

var _ Peers = List{}
