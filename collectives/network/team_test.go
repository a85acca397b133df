package network

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"jitterfly/internal/rng"
	"jitterfly/noise"
)

// beginning is the first phases of a pattern.
type beginning struct {
	Pattern
	phases int
}

func (b beginning) Phases() int { return min(b.phases, b.Pattern.Phases()) }

// drawWide returns a problem of equal sharing that is wide enough for several workers.
func drawWide(t *rapid.T) Problem {
	place, err := ParseTopology(rapid.SampledFrom([]string{
		"crossbar:150", "mesh:12x11", "torus:14x14", "torus:5x5x7", "fat-tree:4x4x8",
		"dragonfly:4x8x4",
	}).Draw(t, "topology"))
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "order"), 0))
	patterns := []Pattern{
		A2A(place.Nodes()),
		RandomRing(place.Nodes(), 3, true, random.Shuffle),
		RandomRing(place.Nodes(), 3, false, random.Shuffle),
	}
	for _, build := range []func(Topology) (Pattern, error){A2AT, A2AND} {
		if p, err := build(place); err == nil {
			patterns = append(patterns, p)
		}
	}
	sometimes := func(name string) float64 {
		return rapid.SampledFrom([]float64{0, 0.1, 0.5}).Draw(t, name)
	}
	return Problem{
		Topology: place,
		Pattern:  beginning{rapid.SampledFrom(patterns).Draw(t, "pattern"), rapid.IntRange(1, 2).Draw(t, "phases")},
		Bytes:    2, Bandwidth: 3, PortBandwidth: sometimes("port"),
		Latency: sometimes("latency"), HopLatency: sometimes("latency per hop"),
		SendWork: sometimes("send"), ReceiveWork: sometimes("receive"), EarlyWork: sometimes("early"),
		Gap: sometimes("gap"), Controllers: rapid.IntRange(1, 3).Draw(t, "controllers"),
		Sync: rapid.SampledFrom([]Sync{None, Local, LocalController, LocalCount}).Draw(t, "sync"),
	}
}

// drawNoise returns one of the kinds of noise of both sorts.
func drawNoise(t *rapid.T) *Noise {
	length := noise.Exponential{Average: 0.3}
	none := noise.None{}
	return &Noise{
		OS: rapid.SampledFrom([]noise.OS{
			none,
			noise.Periodic{Period: 3, Duration: 0.2},
			noise.Periodic{Period: 5, Duration: 0.5, Start: noise.Random, Shared: 3},
			noise.Superposition{Components: noise.Components(0, noise.PoissonDetours{Interval: 4, Lengths: length})},
			noise.Bernoulli{Probability: 0.2, Lengths: length, Other: noise.Periodic{Period: 9, Duration: 1}},
		}).Draw(t, "os"),
		Network: rapid.SampledFrom([]noise.Network{
			none, noise.PoissonDelays{Interval: 2, Lengths: length}, noise.Latencies{Lengths: length},
		}).Draw(t, "network"),
		StartSkew: rapid.SampledFrom([]float64{0, 0.7}).Draw(t, "skew"),
	}
}

// Several workers, whose number changes during the trial, simulate the same as one to the last
// bit, moment after moment, on all topologies, with all patterns, syncs and kinds of noise.
func TestWorkersDoTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, model := drawWide(t), drawNoise(t)
		numbers := rapid.SliceOfN(rapid.IntRange(1, 5), 1, 4).Draw(t, "workers")
		few := rapid.SampledFrom([]int{1, 10, 40}).Draw(t, "few")
		begin := func() (*Engine, *Source) {
			e, err := NewEngine(p)
			if err != nil {
				t.Fatal(err)
			}
			return e, model.Source(p.Topology.Nodes(), p.controllers())
		}
		one, noiseOfOne := begin()
		several, noiseOfSeveral := begin()
		asked := 0
		several.most, several.few, several.asleep = 5, few, few
		several.Share(func() int {
			asked++
			return numbers[asked/20%len(numbers)]
		}, noiseOfSeveral.ForWorker)
		several.moments.looks, several.between.looks = 100, 100 // which the race detector delays
		defer several.dismiss()
		for trial := range 2 {
			key := rng.NewKey(uint64(trial), "trial")
			one.start(noiseOfOne.Draw(key))
			several.start(noiseOfSeveral.Draw(key))
			for more := true; more; {
				if more = one.advance(); several.advance() != more {
					t.Fatalf("a trial ends at %v s", one.now)
				}
				compare(t, one, several)
			}
			several.dismiss()
		}
	})
}

// compare fails if two engines differ.
func compare(t *rapid.T, one, several *Engine) {
	if one.now != several.now || one.result != several.result {
		t.Fatalf("%+v at %v s with one worker, %+v at %v s with several",
			one.result, one.now, several.result, several.now)
	}
	if !slices.Equal(one.slots, several.slots) || !slices.Equal(one.nodes, several.nodes) {
		t.Fatalf("at %v s slots or nodes differ", one.now)
	}
	if first := several.calendar.first(); first != one.calendar.first() {
		t.Fatalf("at %v s the calendar goes on at %v s", one.now, first)
	}
}

// A small problem has one worker, and so has one of max–min fair rates, whose trials change
// with each flow.
func TestMostWorkers(t *testing.T) {
	for _, c := range []struct {
		nodes   Crossbar
		sharing Sharing
		want    int
	}{{100, Equal, 1}, {8191, Equal, 1}, {8192, Equal, 2}, {40000, Equal, 9}, {1e6, Equal, 64}, {40000, MaxMin, 1}} {
		p := Problem{Topology: c.nodes, Sharing: c.sharing}
		if got := p.MostWorkers(); got != c.want {
			t.Errorf("%d nodes: %d workers, want %d", c.nodes, got, c.want)
		}
	}
}

// Each node, slot and link has one owner, and parts of the calendar are whole.
func TestOwners(t *testing.T) {
	e, err := NewEngine(Problem{
		Topology: Crossbar(3000), Pattern: A2A(3000), Bytes: 1, Bandwidth: 1, Controllers: 3,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer e.dismiss()
	size := 1
	e.most = 5
	e.Share(func() int { return size }, func(int) (Host, Delays) { return NoiseFree{}, NoiseFree{} })
	for size = 1; size <= 5; size++ {
		e.gather(e.wanted())
		if e.from(0) != 0 || e.from(size) != len(e.slots) {
			t.Errorf("%d workers have slots %d to %d", size, e.from(0), e.from(size))
		}
		links := make([]int, size)
		for i := range e.slots {
			owner := e.ownerOfSlot(int32(i))
			if i < e.from(owner) || i >= e.from(owner+1) || e.ownerOfNode(int32(i/3)) != owner {
				t.Fatalf("%d workers: slot %d of worker %d", size, i, owner)
			}
		}
		for l := range e.traffic.links {
			links[e.ownerOfLink(int32(l))]++
		}
		fair := float64(len(e.traffic.links)) / float64(size)
		for i, n := range links {
			if e.from(i)%(partSize*3) != 0 || math.Abs(float64(n)-fair) > fair/4 {
				t.Errorf("%d workers: worker %d begins at slot %d and has %d links", size, i, e.from(i), n)
			}
		}
	}
}
