// Package program says what a recorded MPI program does: what it calls from where, how long its ranks
// compute, which ranks make the others wait, and how much of the waiting is imbalance or noise.
//
// A [Recording] has the collective calls of a program, in a file for each rank that the MPI library of
// this project writes. Files are read in pieces, so that a recording may be larger than memory.
package program

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"

	"jitterfly/internal/vector"
)

// A Program is what a recording shows.
type Program struct {
	*Recording
	Duration float64 // of the run [s], as long as all its ranks are recorded
	Rows     []*Row  // those that take most time first
	Ranks    []*Rank // in their order
	Groups   []*Group
	// Collectives is how many synchronizing ones have a rank that arrived after all others.
	Collectives int
	Worst       *Moment // the collective whose ranks waited longest; nil if no rank waited
	Left        int     // calls that have no others
}

// A Row is the calls of a kind with as many bytes from one place on communicators of one size.
type Row struct {
	Kind  Kind
	Site  Site
	Bytes uint64
	Size  int // of the communicator
	Rule  bool
	// Collectives is how many there were. Time is what all ranks together spent in them, and Waiting
	// the part of it in which the last rank was still to come [s].
	Collectives int
	Time        float64
	Waiting     float64
	// Computing is about their computing before; nil if too little is known.
	Computing *Computing
}

// A Rank is what one rank did [s].
type Rank struct {
	*Process
	Rank int
	Time float64 // in collectives
	// Waiting is the part of Time in which it waited for others.
	Waiting float64
	// Last is in how many collectives it arrived last.
	Last int
	// Synchronizing is in how many it could.
	Synchronizing int
}

// Name returns the rank and its node, if that is known.
func (r *Rank) Name() string {
	if r.Host == "" {
		return fmt.Sprintf("rank %d", r.Rank)
	}
	return fmt.Sprintf("rank %d on %s", r.Rank, r.Host)
}

// A Moment is what ranks did about one collective.
type Moment struct {
	Row   *Row
	Calls []Call
	Last  float64 // when the last rank entered [s]
	wait  float64
}

// mostRows is the largest number of rows with their own sizes, before these are rounded up to powers of
// two.
const mostRows = 4096

// Read reads what the recording in a directory shows. It fails if there is none, if it shows nothing, or
// if its ranks do not match.
func Read(dir string) (*Program, error) {
	r, err := Open(dir)
	if err != nil {
		return nil, err
	}
	p := &Program{Recording: r, Duration: math.Inf(1)}
	ranks := map[int]*Rank{}
	for _, rank := range slices.Sorted(maps.Keys(r.Processes)) {
		ranks[rank] = &Rank{Rank: rank, Process: r.Processes[rank]}
		p.Ranks = append(p.Ranks, ranks[rank])
		if end := ranks[rank].End; end > 0 { // else nothing of it has a time, as it was killed early
			p.Duration = min(p.Duration, end)
		}
	}
	// A row is in rows by what it is before any collective is added.
	rows, samples := map[Row]*Row{}, newSampler(mostSampled)
	p.Left, err = r.Each(func(x *Instance) error {
		row := rowOf(rows, x)
		p.add(row, ranks, x)
		if len(x.Calls) > 1 && x.Kind.Synchronizing() {
			samples.add(row, x)
		}
		return nil
	})
	if err == nil && len(rows) == 0 {
		err = fmt.Errorf("no collective of %d ranks is complete%s", len(p.Processes), p.damaged())
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	p.Groups = samples.groups()
	of := samplesOf(p.Groups)
	for _, row := range rows {
		row.Computing = computing(of[row])
		p.Rows = append(p.Rows, row)
	}
	slices.SortFunc(p.Rows, func(a, b *Row) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.Kind, b.Kind),
			cmp.Compare(a.Site.Object, b.Site.Object), cmp.Compare(a.Site.Address, b.Site.Address),
			cmp.Compare(a.Bytes, b.Bytes), cmp.Compare(a.Size, b.Size))
	})
	return p, nil
}

// damaged says of the first rank whose file is not whole what that lacks; it is empty if all are.
func (p *Program) damaged() string {
	for _, r := range p.Ranks {
		if r.Damage != "" {
			return fmt.Sprintf("; rank %d: %s", r.Rank, r.Damage)
		}
	}
	return ""
}

func rowOf(rows map[Row]*Row, x *Instance) *Row {
	key := Row{Kind: x.Kind, Site: x.Site, Bytes: x.Bytes, Size: len(x.Members), Rule: x.Rule}
	if rows[key] == nil && len(rows) >= mostRows {
		key.Bytes = uint64(1) << min(63, bits.Len64(max(1, key.Bytes)-1))
	}
	if rows[key] == nil {
		rows[key] = new(key)
	}
	return rows[key]
}

func (p *Program) add(row *Row, ranks map[int]*Rank, x *Instance) {
	row.Collectives++
	waits := len(x.Calls) > 1 && x.Kind.Synchronizing()
	last, alone := x.Calls[0], true
	for _, c := range x.Calls[1:] {
		if alone = c.Entry != last.Entry && (alone || c.Entry > last.Entry); c.Entry > last.Entry {
			last = c
		}
	}
	if waits && alone {
		p.Collectives++
		ranks[last.Rank].Last++
	}
	arrived := arrival(x, waits, last.Entry)
	all := 0.0
	for _, c := range x.Calls {
		rank, took := ranks[c.Rank], c.Exit-c.Entry
		rank.Time += took
		row.Time += took
		if waits {
			rank.Synchronizing++
		}
		wait := max(0, min(arrived-c.Entry, took))
		rank.Waiting += wait
		all += wait
	}
	row.Waiting += all
	if waits && !math.IsNaN(last.Computed) && (p.Worst == nil || all > p.Worst.wait) {
		p.Worst = &Moment{row, slices.Clone(x.Calls), last.Entry, all}
	}
}

// arrival returns when the last rank has come to a collective for which others wait, or started it
// [s]; −Inf if none waits.
func arrival(x *Instance, waits bool, last float64) float64 {
	switch {
	case waits:
		return last
	case x.Kind&Completed != 0 && x.Kind.Collective().Synchronizing():
		return x.Started
	}
	return math.Inf(-1)
}

// Time returns the mean times [s] that a rank spends in collectives, and waits in them.
func (p *Program) Time() (in, waiting float64) {
	for _, row := range p.Rows {
		in += row.Time
		waiting += row.Waiting
	}
	n := float64(len(p.Ranks))
	return in / n, waiting / n
}

// Shared returns the first node whose ranks are more than the processors that they may use, as one of
// its processes describes it; nil if there is none. Its ranks wait for processors.
func (p *Program) Shared() *Process {
	for _, r := range p.Ranks {
		if r.Processors > 0 && r.NodeRanks > r.Processors {
			return r.Process
		}
	}
	return nil
}

// Deployable reports whether rules of the MPI library can take collectives of a kind: allreduces, and
// barriers, which are allreduces of nothing.
func Deployable(k Kind) bool { return k == Allreduce || k == Barrier }

// Reach returns the largest time of a rank [s] that redundancy can save, if noise causes a share of the
// waiting: the time of allreduces and barriers after the last rank has arrived, and noise times their
// waiting. It leaves out those of two ranks, because they have only one exchange.
func (p *Program) Reach(noise float64) float64 {
	reach := 0.0
	for _, row := range p.Rows {
		if Deployable(row.Kind&^Completed) && row.Size > 2 {
			reach += row.Time - (1-noise)*row.Waiting
		}
	}
	return reach / float64(len(p.Ranks))
}

// Worth reports whether a share of the run is worth redundancy: 1% or more.
func Worth(saved float64) bool { return saved >= 0.01 }

// A Share is the share of collectives in which a rank or a node arrives last.
type Share struct {
	Name  string
	Share float64
	Even  float64 // what it would be if all its ranks were equal
}

// Last returns how often ranks arrive last, ranks of one name together: the most often first.
func (p *Program) Last(name func(*Rank) string) []Share {
	var shares []Share
	for _, same := range vector.Groups(len(p.Ranks), func(i int) string { return name(p.Ranks[i]) }) {
		last := 0
		for _, i := range same {
			last += p.Ranks[i].Last
		}
		shares = append(shares, Share{name(p.Ranks[same[0]]), float64(last) / float64(max(1, p.Collectives)),
			float64(len(same)) / float64(len(p.Ranks))})
	}
	slices.SortStableFunc(shares, func(a, b Share) int { return cmp.Compare(b.Share, a.Share) })
	return shares
}
