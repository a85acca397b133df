package program

import (
	"cmp"
	"math"
	"slices"

	"jitterfly/internal/rng"
)

// A Group is the collectives of a kind with as many bytes on communicators of one size: what one choice
// of R and T is for, wherever they are called from.
type Group struct {
	Kind  Kind
	Bytes uint64
	Size  int
	// Calls is how often the rank that calls most of them does. Waiting and Time are as in a [Row].
	Calls         int
	Waiting, Time float64
	// Samples are collectives of the ranks Members in their order: all, or some runs of them.
	Samples []Sample
	Members []int
	// Rule says that a rule took some of them, with redundancy.
	Rule  bool
	rows  []*Row
	all   int         // calls of all ranks
	seen  int         // collectives of these ranks
	by    map[int]int // calls of each rank
	level int         // a run is kept with probability 2^-level
}

// A Sample is one collective. Its slices have a value for each recorded rank of the communicator.
type Sample struct {
	Row      *Row
	Number   int // of the collective among those of the group and these ranks
	Computed []float64
	Late     []float64 // behind the first [s]
	kept     int       // its run
	at       int       // its place among those of the row
}

// Limits of what is kept in memory.
const (
	mostGroups  = 256
	mostSampled = 1 << 22 // calls
	longestRun  = 64      // collectives one after the other that are kept or not
)

// A sampler keeps samples of collectives: runs of one after another, drawn without regard to what they
// are, fewer where there are many.
type sampler struct {
	all  map[Row]*Group // by what its rows have in common
	list []*Group
	kept int // calls, at most as many as
	most int
}

func newSampler(most int) *sampler { return &sampler{all: map[Row]*Group{}, most: most} }

// add adds a collective, whose row it belongs to.
func (s *sampler) add(row *Row, x *Instance) {
	key := Row{Kind: row.Kind, Bytes: row.Bytes, Size: row.Size}
	g := s.all[key]
	if g == nil {
		if len(s.list) >= mostGroups {
			return
		}
		g = &Group{
			Kind: row.Kind, Bytes: row.Bytes, Size: row.Size, Members: x.Members, by: map[int]int{},
		}
		s.all[key] = g
		s.list = append(s.list, g)
	}
	if !slices.Contains(g.rows, row) {
		g.rows = append(g.rows, row)
	}
	g.all += len(x.Calls)
	g.Rule = g.Rule || x.Rule
	for _, c := range x.Calls {
		g.by[c.Rank]++
		g.Calls = max(g.Calls, g.by[c.Rank])
	}
	if !slices.Equal(x.Members, g.Members) {
		return
	}
	g.seen++
	run := g.seen / max(1, min(longestRun, s.most/8/len(x.Calls)))
	sample := Sample{Row: row, Number: g.seen - 1, kept: run}
	if !g.keeps(&sample) {
		return
	}
	first := math.Inf(1)
	for _, c := range x.Calls {
		if math.IsNaN(c.Computed) {
			return
		}
		first = min(first, c.Entry)
	}
	for _, c := range x.Calls {
		sample.Computed = append(sample.Computed, c.Computed)
		sample.Late = append(sample.Late, c.Entry-first)
	}
	g.Samples = append(g.Samples, sample)
	s.kept += len(x.Calls)
	for s.kept > s.most {
		s.thin()
	}
}

// keeps reports whether a group keeps the run of a sample.
func (g *Group) keeps(s *Sample) bool {
	return rng.NewKey(0, "run").Derive(uint64(s.kept)).Uniform(0) < math.Ldexp(1, -g.level)
}

// thin halves what is kept of the group that has most.
func (s *sampler) thin() {
	most := slices.MaxFunc(s.list, func(a, b *Group) int { return cmp.Compare(a.sampled(), b.sampled()) })
	s.kept -= most.sampled()
	most.level++
	most.Samples = slices.DeleteFunc(most.Samples, func(s Sample) bool { return !most.keeps(&s) })
	s.kept += most.sampled()
}

func (g *Group) sampled() int {
	if len(g.Samples) == 0 {
		return 0
	}
	return len(g.Samples) * len(g.Samples[0].Computed)
}

// groups returns the groups, those with most waiting first.
func (s *sampler) groups() []*Group {
	for _, g := range s.list {
		for _, row := range g.rows {
			g.Time += row.Time
			g.Waiting += row.Waiting
		}
	}
	slices.SortStableFunc(s.list, func(a, b *Group) int { return cmp.Compare(b.Waiting, a.Waiting) })
	return s.list
}

func samplesOf(groups []*Group) map[*Row][]*Sample {
	of := map[*Row][]*Sample{}
	for _, g := range groups {
		for i := range g.Samples {
			s := &g.Samples[i]
			of[s.Row] = append(of[s.Row], s)
		}
	}
	return of
}
