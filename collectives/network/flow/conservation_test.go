package flow

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"jitterfly/collectives"
	"jitterfly/collectives/network"
	"jitterfly/internal/tests"
	"jitterfly/internal/tests/models"
)

// ledger checks an engine after every moment.
type ledger struct {
	*Engine
	t      *rapid.T
	bytes  []float64      // how many of each slot's message have arrived
	phases []int32        // of each slot's message; -1 if none
	taken  map[[2]int]int // number of arrivals of the message of a phase and sender
}

// advance advances the engine, and counts bytes and arrivals.
func (l *ledger) advance() bool {
	before := l.Now
	rates := make([]float64, len(l.slots))
	for i := range l.slots {
		if l.slots[i].state == flowing {
			rates[i] = l.slots[i].rate
		}
	}
	l.measure(rates)
	if !l.Engine.advance() {
		return false
	}
	for i := range l.slots {
		l.bytes[i] += rates[i] * (l.Now - before)
		s := &l.slots[i]
		if l.phases[i] >= 0 && (s.state == idle || l.Slots[i].Exchange != l.phases[i]) {
			if want := l.Exchanges[l.phases[i]].Bytes; math.Abs(l.bytes[i]-want) > 1e-9*(1+want) {
				l.t.Fatalf("a message of %g bytes arrives after %g", want, l.bytes[i])
			}
			l.taken[[2]int{int(l.phases[i]), i / l.Width}]++
			l.phases[i] = -1
		}
		if l.phases[i] < 0 && s.state != idle {
			l.phases[i], l.bytes[i] = l.Slots[i].Exchange, 0
		}
	}
	return true
}

// measure fails if a link carries more than its bandwidth.
func (l *ledger) measure(rates []float64) {
	carried := make([]float64, len(l.traffic.links))
	for i := range l.slots {
		s := &l.slots[i]
		if s.state != flowing {
			continue
		}
		if s.rate <= 0 {
			l.t.Fatalf("a flowing message has no rate")
		}
		links, _ := l.scenario.route(nil, i/l.Width, int(l.Slots[i].To), 0)
		for _, link := range links {
			carried[link] += rates[i]
		}
	}
	for link, sum := range carried {
		if most := l.traffic.links[link].bandwidth; sum > most*(1+1e-11) {
			l.t.Fatalf("link %d carries %.17g of %.17g", link, sum, most)
		}
	}
}

// Every message arrives once, with all of its bytes, no link ever carries more than
// its bandwidth, and nothing is complete before the busiest link can be.
func TestConservation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		place := models.Place(t, rapid.SampledFrom(models.SmallTopologies).Draw(t, "topology"))
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		sometimes := func(name string) float64 {
			return rapid.SampledFrom([]float64{0, 0.1, 0.5}).Draw(t, name)
		}
		schedules := []collectives.Schedule{
			models.A2A(place.Nodes(), 2), models.RandomRing(place.Nodes(), 3, 2, random),
		}
		for _, name := range []string{"a2at", "butterfly", "binomial", "rabenseifner", "ring"} {
			if s, err := models.On(name, place, 1, 2, math.Inf(1)); err == nil {
				schedules = append(schedules, s)
			}
		}
		p := Network{
			Scenario: network.Scenario{
				Schedule:    schedules[rapid.IntRange(0, len(schedules)-1).Draw(t, "schedule")],
				Topology:    place,
				Latency:     sometimes("latency"),
				Bandwidth:   3,
				Controllers: rapid.IntRange(1, 4).Draw(t, "controllers"),
				Sync: rapid.SampledFrom([]network.Sync{
					network.None, network.Local, network.LocalController, network.LocalCount,
				}).Draw(t, "sync"),
			},
			HopLatency:    sometimes("latency per hop"),
			PortBandwidth: sometimes("port"),
			Sharing:       rapid.SampledFrom([]Sharing{Equal, MaxMin}).Draw(t, "sharing"),
		}
		e := NewEngine(p)
		l := &ledger{e, t, make([]float64, len(e.slots)), make([]int32, len(e.slots)), map[[2]int]int{}}
		e.start(
			newJitter(place.Nodes(), 7*random.Float64(), random), &poisson{random, sometimes("events"), 1},
		)
		for i := range l.slots {
			l.phases[i] = -1
			if l.slots[i].state != idle {
				l.phases[i] = l.Slots[i].Exchange
			}
		}
		for l.advance() {
		}
		if bound := p.LowerBound(); e.CompletionTime < bound*(1-1e-9) {
			t.Fatalf("complete after %v s, and at bound %v s are needed", e.CompletionTime, bound)
		}
		messages := 0
		for phase := range e.Exchanges {
			for node := range place.Nodes() {
				want := 0
				if e.To(phase, node) != network.NoRank {
					want = 1
				}
				messages += want
				if got := l.taken[[2]int{phase, node}]; got != want {
					t.Fatalf("the message of node %d in phase %d arrives %d times", node, phase, got)
				}
			}
		}
		if e.Received != messages {
			t.Fatalf("%d messages are said to have arrived, want %d", e.Received, messages)
		}
	})
}

// Rounding does not separate simultaneous changes: on a mesh whose nodes are no longer in
// step, no two moments are closer to each other than simultaneous.
func TestMomentsAreApart(t *testing.T) {
	place := tests.Must(network.ParseTopology("mesh:6x6"))(t)
	for _, sharing := range []Sharing{Equal, MaxMin} {
		e := NewEngine(Network{
			Scenario: network.Scenario{Schedule: models.A2A(place.Nodes(), 1), Topology: place, Bandwidth: 1},
			Sharing:  sharing,
		})
		e.start(network.NoiseFree{}, network.NoiseFree{})
		for before := 0.0; e.advance(); before = e.Now {
			if e.Now-before <= 1e-12*before {
				t.Fatalf("sharing %d: moments at %.17g s and %.17g s", sharing, before, e.Now)
			}
		}
	}
}
