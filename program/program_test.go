package program

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"jitterfly/internal/rng"
	"jitterfly/internal/tests"
	"jitterfly/noise"
)

// A times returns what a rank computes before a collective [s].
type times func(rank, iteration int) float64

// record writes what ranks do that compute and then call an allreduce of 8 B, which takes 10 µs after
// the last has arrived, and reads it again.
func record(t tests.Failer, dir string, ranks, iterations int, compute times) *Program {
	enter, now := make([]float64, ranks), 0.0
	writers := make([]*tests.CallWriter, ranks)
	for r := range writers {
		writers[r] = tests.NewCallWriter(r, ranks, fmt.Sprint("node", r/2))
		writers[r].Communicator(0, r, 1, tests.WorldMembers(ranks))
	}
	for i := range iterations + 1 {
		last := 0.0
		for r := range ranks {
			enter[r] = now + compute(r, i)
			last = max(last, enter[r])
		}
		now = last + 10e-6
		for r, w := range writers {
			w.Events(tests.CallEvent{
				Entry: uint64(math.Round(1e9 * enter[r])), Exit: uint64(math.Round(1e9 * now)), Bytes: 8,
				Kind: uint8(Allreduce),
			})
		}
	}
	return recorded(t, dir, writers)
}

// recorded returns the program whose ranks' recordings the writers write to a directory.
func recorded(t tests.Failer, dir string, writers []*tests.CallWriter) *Program {
	for _, w := range writers {
		w.End(0)
		tests.NoError(t, w.Write(dir))
	}
	return tests.Must(Read(dir))(t)
}

// normal returns a number of mean 0 and standard deviation 1 for a rank and an iteration.
func normal(what string, rank, iteration int) float64 {
	return rng.NewKey(1, what).Derive(uint64(rank)).Counter().Normal(iteration)
}

func near(got, want, relative float64) bool { return math.Abs(got-want) <= relative*math.Abs(want) }

// Components of variance are those of the times, whatever else varies, and what changes slowly is
// correlated.
func TestComponents(t *testing.T) {
	for _, slow := range []float64{0, 0.8} {
		before := make([]float64, 32)
		p := record(t, t.TempDir(), 32, 500, func(r, i int) float64 {
			before[r] = slow*before[r] + math.Sqrt(1-slow*slow)*normal("changes", r, i)
			return 1e-3 + 20e-6*normal("stays", r, 0) + 30e-6*normal("common", 0, i) + 40e-6*before[r]
		})
		c := p.Rows[0].Computing
		if c.Samples != 500 || !near(c.Mean, 1e-3, 0.02) || !near(c.Common, 30e-6, 0.1) ||
			!near(c.Random, 40e-6, 0.03) {
			t.Errorf("%+v", c)
		}
		sum, square := 0.0, 0.0
		for r := range 32 {
			x := normal("stays", r, 0)
			sum, square = sum+x, square+x*x
		}
		want := 20e-6 * math.Sqrt((square-sum*sum/32)/31)
		if tolerance := 0.05 + 0.4*slow; !near(c.Persistent, want, tolerance) {
			t.Errorf("%g stays, want %g", c.Persistent, want)
		}
		if math.Abs(c.Correlation-slow) > 0.03 {
			t.Errorf("the correlation is %g, want %g", c.Correlation, slow)
		}
	}
}

// Who waits, and for whom, is what the times say.
func TestLastAndWaiting(t *testing.T) {
	p := record(t, t.TempDir(), 4, 99, func(r, i int) float64 {
		switch {
		case r == 2 && i%4 != 0:
			return 150e-6
		case r == 1 && i%4 == 0:
			return 120e-6
		}
		return 100e-6
	})
	last := p.Last((*Rank).Name)
	if last[0].Name != "rank 2 on node1" || last[0].Share != 0.75 || last[1].Name != "rank 1 on node0" ||
		last[0].Even != 0.25 {
		t.Errorf("%+v", last)
	}
	nodes := p.Last(func(r *Rank) string { return r.Host })
	if len(nodes) != 2 || nodes[0].Name != "node1" || nodes[0].Share != 0.75 {
		t.Errorf("%+v", nodes)
	}
	in, waiting := p.Time()
	want := (75*3*50e-6 + 25*3*20e-6) / 4
	if !near(waiting, want, 1e-9) || !near(in, want+100*10e-6, 1e-9) {
		t.Errorf("%g s in collectives, %g s of waiting, want %g", in, waiting, want)
	}
	if w := p.Worst; w == nil || !near(w.wait, 150e-6, 1e-9) || len(w.Calls) != 4 {
		t.Errorf("%+v", w)
	}
}

// A rank that was killed before it wrote calls does not end the run.
func TestRankWithoutTimes(t *testing.T) {
	dir := t.TempDir()
	var writers []*tests.CallWriter
	for r := range 3 {
		w := tests.NewCallWriter(r, 3, "node")
		if r < 2 {
			w.Communicator(1, r, 1, tests.WorldMembers(2))
			w.Events(tests.CallEvent{Entry: 1e6, Exit: 2e6, Bytes: 8, Kind: uint8(Allreduce), Communicator: 1},
				tests.CallEvent{Entry: 3e6, Exit: 4e6, Bytes: 8, Kind: uint8(Allreduce), Communicator: 1})
		}
		writers = append(writers, w)
	}
	if p := recorded(t, dir, writers); !near(p.Duration, 3e-3, 1e-9) {
		t.Errorf("the run takes %g s", p.Duration)
	}
}

// What is there alone has all of the waiting, and what the profile explains is noise.
func TestSplit(t *testing.T) {
	os := noise.Periodic{Period: 1e-3, Duration: 50e-6, Start: noise.Random}
	extra, _ := extras(os, 200e-6, 16, 401, math.Inf(1), rng.NewKey(5, "test"))
	stays := func(r int) float64 { return 3e-6 * float64(r) }
	changes := func(r, i int) float64 { return 20e-6 * math.Abs(normal("changes", r, i)) }
	detours := func(r, i int) float64 { return extra[16*i+r] }
	for name, c := range map[string]struct {
		compute times
		os      noise.OS
		want    [3]float64
		near    float64
	}{
		"stays":   {func(r, _ int) float64 { return 200e-6 + stays(r) }, nil, [3]float64{1, 0, 0}, 0.001},
		"changes": {func(r, i int) float64 { return 200e-6 + changes(r, i) }, nil, [3]float64{0, 1, 0}, 0.02},
		"noise":   {func(r, i int) float64 { return 200e-6 + detours(r, i) }, os, [3]float64{0, 0, 1}, 0.07},
		"unknown": {func(r, i int) float64 { return 200e-6 + detours(r, i) }, nil, [3]float64{0, 1, 0}, 0.02},
		"no noise": {
			func(r, i int) float64 { return 200e-6 + changes(r, i) },
			noise.Periodic{Period: 1, Duration: 1e-9, Start: noise.Random},
			[3]float64{0, 1, 0}, 0.02,
		},
	} {
		w := record(t, t.TempDir(), 16, 400, c.compute).Split(c.os)
		got := [3]float64{w.Persistent, w.Random, w.Noise}
		for i := range got {
			if math.Abs(got[i]-c.want[i]) > c.near {
				t.Errorf("%s: %v, want %v", name, got, c.want)
			}
		}
		if math.Abs(got[0]+got[1]+got[2]-1) > 1e-9 || w.Known < 0.99 {
			t.Errorf("%s: %+v", name, w)
		}
	}
}

// Of many collectives runs are kept, within the limit, from all parts of the program.
func TestSampler(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ranks := rapid.SampledFrom([]int{2, 30, 900}).Draw(t, "ranks")
		s, row := newSampler(5000), &Row{Kind: Allreduce, Size: ranks}
		n := rapid.IntRange(10, max(20, 20000/ranks)).Draw(t, "collectives")
		x := &Instance{Kind: Allreduce, Calls: make([]Call, ranks)}
		for r := range x.Calls {
			x.Calls[r].Rank = r
		}
		for range n {
			s.add(row, x)
		}
		g := s.list[0]
		if s.kept != g.sampled() || s.kept > 5000 || len(g.Samples) == 0 || g.Calls != n {
			t.Fatalf("%d of %d calls are kept", s.kept, n*ranks)
		}
		if g.level == 0 && len(g.Samples) != n {
			t.Fatalf("%d of %d collectives", len(g.Samples), n)
		}
	})
}

// Times are those that were recorded; without the noise that a profile has they have the mean and the
// variance that they had before it came.
func TestTimes(t *testing.T) {
	os := noise.Periodic{Period: 1e-3, Duration: 50e-6, Start: noise.Random}
	extra, _ := extras(os, 200e-6, 16, 401, math.Inf(1), rng.NewKey(5, "test"))
	without := func(r, i int) float64 { return 200e-6 + 20e-6*normal("changes", r, i) }
	p := record(t, t.TempDir(), 16, 400, func(r, i int) float64 { return without(r, i) + extra[16*i+r] })
	g := p.Groups[0]
	all, left := g.Times(1000, nil)
	if len(all) != 400 || !near(left, 1, 1e-9) || !near(all[7][3], without(3, 8)+extra[16*8+3], 1e-5) {
		t.Errorf("%d times, %g left, %g s", len(all), left, all[7][3])
	}
	if want := p.Duration / 401; !near(g.Iteration(), want, 0.02) {
		t.Errorf("an iteration takes %g s, want %g", g.Iteration(), want)
	}
	quiet, _ := g.Times(100, os)
	sum, square, n := 0.0, 0.0, 0.0
	for _, row := range quiet {
		for _, v := range row {
			sum, square, n = sum+v, square+v*v, n+1
		}
	}
	mean := sum / n
	if sd := math.Sqrt(square/n - mean*mean); len(quiet) != 100 || !near(mean, 200e-6, 0.01) ||
		!near(sd, 20e-6, 0.1) {
		t.Errorf("%d times of %g ± %g s", len(quiet), mean, sd)
	}
}

// A part of the times has the mean of all, whatever a loop of the program does in turns, and however long
// it takes before its first collective.
func TestPartOfTimes(t *testing.T) {
	for period := 2; period <= 5; period++ {
		p := record(t, t.TempDir(), 2, 1200, func(_, i int) float64 {
			switch {
			case i <= 1:
				return 0.1
			case i%period == 0:
				return 500e-6
			}
			return 1e-6
		})
		times, _ := p.Groups[0].Times(120, nil)
		sum := 0.0
		for _, row := range times[1:] {
			sum += row[0]
		}
		if mean := sum / 119; !near(mean, 500e-6/float64(period), 0.4) {
			t.Errorf("one in %d is long: the mean is %g s", period, mean)
		}
	}
}

// Collectives of the same ranks are sampled together, whatever communicator has them; those of others
// are counted.
func TestSameRanks(t *testing.T) {
	of := [][]int{{0, 1}, {0, 1}, {2, 3}}
	s, row := newSampler(5000), &Row{Kind: Allreduce, Size: 2}
	for i := range 30 {
		first := of[i%3][0]
		s.add(row, &Instance{
			Kind: Allreduce, Members: of[i%3], Calls: []Call{{Rank: first}, {Rank: first + 1}},
		})
	}
	if g := s.list[0]; len(s.list) != 1 || len(g.Samples) != 20 || g.Calls != 20 {
		t.Errorf("%d groups, %d samples of %d calls", len(s.list), len(g.Samples), g.Calls)
	}
}

// Redundancy reaches what allreduces and barriers of three ranks or more take after the last has come, and
// the waiting that noise causes; nothing of others.
func TestReach(t *testing.T) {
	p := &Program{Ranks: make([]*Rank, 4), Rows: []*Row{
		{Kind: Allreduce, Size: 4, Time: 10, Waiting: 6},
		{Kind: Allreduce, Size: 2, Time: 100, Waiting: 50},
		{Kind: Barrier, Size: 4, Time: 20, Waiting: 12},
		{Kind: Allgather, Size: 4, Time: 1000, Waiting: 500},
	}}
	for noise, want := range map[float64]float64{0: 3, 0.5: 5.25, 1: 7.5} {
		if got := p.Reach(noise); got != want {
			t.Errorf("with %g of the waiting for noise %g s are in reach, not %g", noise, got, want)
		}
	}
}

// Where ranks complete a nonblocking allreduce they wait until the last has started it.
func TestCompletionWaits(t *testing.T) {
	var writers []*tests.CallWriter
	for rank := range 2 {
		w := tests.NewCallWriter(rank, 2, "node")
		w.Clock(0, 0, 0)
		w.Communicator(0, rank, 1, tests.WorldMembers(2))
		start := uint64(1000 + 5000*rank)
		w.Events(
			tests.CallEvent{Entry: start, Exit: start + 10, Bytes: 8, Kind: uint8(Allreduce | Started)},
			tests.CallEvent{Entry: start + 1000, Exit: 7500, Kind: uint8(Allreduce | Completed)},
		)
		writers = append(writers, w)
	}
	p := recorded(t, t.TempDir(), writers)
	row := p.Rows[0]
	if len(p.Rows) != 2 || row.Kind.String() != "end of allreduce" || row.Bytes != 8 || row.Collectives != 1 ||
		!near(row.Time, 6e-6, 1e-9) || !near(row.Waiting, 4e-6, 1e-9) || !near(p.Ranks[0].Waiting, 4e-6, 1e-9) {
		t.Errorf("%+v, rank 0 %+v", row, p.Ranks[0])
	}
}

// What is left of a detour that a call returns in is over before computing begins. Of the rest, work
// w meets one of length d in a share w/p of periods p, so that it takes d·w/p longer on average.
func TestExtraBeginsOutsideOfDetours(t *testing.T) {
	const period, duration = 1e-3, 100e-6
	for _, work := range []float64{50e-6, 400e-6} {
		os := &noise.Periodic{Period: period, Duration: duration, Start: noise.Random}
		extra, variance := extras(os, work, 64, 1000, math.Inf(1), rng.NewKey(1, "extras"))
		met := work / period
		if mean := stat.Mean(extra, nil); math.Abs(mean/(duration*met)-1) > 0.05 {
			t.Errorf("work of %g s takes %g s longer, want %g s", work, mean, duration*met)
		}
		want := duration * duration * met * (1 - met)
		if math.Abs(variance/want-1) > 0.05 {
			t.Errorf("work of %g s: variance %g s², want %g s²", work, variance, want)
		}
	}
}

// A time that is put together from pieces has the mean and the variance of a Poisson number of
// detours, few pieces or many, and detours of all ranks remain those of all.
func TestExtrasOfPieces(t *testing.T) {
	const interval, duration, ranks, draws = 1e-3, 20e-6, 4, 4096
	of := func(shared int) noise.OS {
		return &noise.Superposition{Start: noise.Random, Components: noise.Components(shared,
			noise.PoissonDetours{Interval: interval, Lengths: noise.Constant(duration)})}
	}
	for _, work := range []float64{1, 30} {
		// 256 draws of a twentieth, and of a thousandth, of the time.
		extra, variance := extras(of(1), work, ranks, draws, 256*ranks*0.05, rng.NewKey(1, "pieces"))
		// Detours of the detours' time come on top.
		met := work / interval / (1 - duration/interval)
		if mean := stat.Mean(extra, nil); math.Abs(mean/(duration*met)-1) > 0.015 {
			t.Errorf("work of %g s takes %g s longer, want %g s", work, mean, duration*met)
		}
		want := duration * duration * met / ((1 - duration/interval) * (1 - duration/interval))
		if math.Abs(variance/want-1) > 0.15 {
			t.Errorf("work of %g s: variance %g s², want %g s²", work, variance, want)
		}
	}
	extra, _ := extras(of(ranks), 30, ranks, draws, 256*ranks*0.05, rng.NewKey(1, "pieces"))
	for d := range draws {
		for r := range ranks {
			if math.Abs(extra[d*ranks+r]-extra[d*ranks]) > 1e-12 {
				t.Fatalf("draw %d prolongs rank %d by %g s, and rank 0 by %g s", d, r, extra[d*ranks+r], extra[d*ranks])
			}
		}
	}
}

// The effort does not grow with the time that a program computed.
func TestSplitIsBounded(t *testing.T) {
	for _, compute := range []float64{1e-3, 1, 1e4} {
		c := &Computing{Samples: 4, Mean: compute, Random: compute / 10, ranks: make([]float64, 8)}
		for range 4 {
			c.rest = append(c.rest, make([]float64, 8))
		}
		p := Program{Rows: []*Row{{Waiting: 3, Computing: c}, {Waiting: 1, Computing: c}}}
		os := &counting{}
		if w := p.Split(os); w.Known != 1 || os.work > mostSimulated*1.01 {
			t.Errorf("computing for %g s: %g s of noise are simulated, for %+v", compute, os.work, w)
		}
	}
}

// counting is noise that delays by a random time and counts the work of all ranks [s].
type counting struct {
	noise.None
	work float64
}

func (c *counting) Detours([]float64) noise.Detours { return &counted{counting: c} }

type counted struct {
	*counting
	key rng.Key
}

func (c *counted) Draw(_ int, trial rng.Key) { c.key = trial }

func (c *counted) Finish(_ noise.Piece, lo int, t []float64, work float64) {
	for i := range t {
		c.work += work
		t[i] += work * (1 + 0.1*c.key.Uniform(lo+i))
	}
}
