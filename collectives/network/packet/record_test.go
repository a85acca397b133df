package packet

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"jitterfly/collectives/network"
	"jitterfly/collectives/recording"
	"jitterfly/internal/tests"
	"jitterfly/internal/tests/models"
)

// noises is a host with detours of 40 cycles and events of 15, at random times. Each node has its
// own random numbers, so that the order of calls for different nodes does not matter.
type noises struct{ host, delays []*rand.Rand }

func newNoises(nodes int, seed uint64) *noises {
	n := new(noises)
	for node := range nodes {
		n.host = append(n.host, rand.New(rand.NewPCG(seed, uint64(node))))
		n.delays = append(n.delays, rand.New(rand.NewPCG(seed, uint64(nodes+node))))
	}
	return n
}

func (n *noises) Finish(node int, t, work float64) float64 {
	if n.host[node].IntN(5) == 0 {
		t += 40 * n.host[node].Float64()
	}
	return t + work
}

func (n *noises) Next(node, _ int) (transit, delay float64) {
	return 200 * n.delays[node].Float64(), 15
}

func (n *noises) Extra(node, _ int) float64 { return n.delays[node].Float64() }

// TestRecordings records trials of all kinds of problems. Their completion is that of the trial,
// the critical path adds up to it, and no two activities of a track overlap.
func TestRecordings(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for i := range 200 {
		p := anyProblem(t, random)
		p.Latency, p.SendWork, p.ReceiveWork = 3, float64(random.IntN(3)), float64(random.IntN(3))
		p.Gap, p.Polling = float64(random.IntN(2)*20), p.ReceiveWork/2
		e := NewEngine(p)
		noise := func() *noises { return newNoises(e.fabric.nodes, uint64(i)) }
		n := noise()
		want := tests.Must(e.Run(context.Background(), n, n))(t)
		n = noise()
		recorded := NewEngine(p)
		rec := tests.Must(recorded.Record(context.Background(), n, n))(t)
		if rec.End.Time != want.CompletionTime {
			t.Fatalf("recorded as complete at %g, want %g", rec.End.Time, want.CompletionTime)
		}
		models.CheckRecording(t, rec)
	}
}

// TestRecordedPackets has a message wait for room in a buffer of two flits, whose credits take
// three cycles, and an event delay the rest of it.
func TestRecordedPackets(t *testing.T) {
	grid := tests.Must(network.ParseTopology("mesh:3"))(t)
	p := Network{
		Scenario: network.Scenario{Schedule: Single(3, 0, 2, 6), Topology: grid, Bandwidth: 1, Latency: 1},
		Flit:     1, Flits: 6, Channels: 1, Buffer: 2, Hop: 1, Credit: 3,
	}
	e := NewEngine(p)
	rec := tests.Must(e.Record(context.Background(), network.NoiseFree{}, &oneEvent{}))(t)
	type track = []recording.Activity
	activity := func(kind recording.Kind, from, to float64) recording.Activity {
		return recording.Activity{Kind: kind, From: from, To: to}
	}
	// The first router can send two flits in four cycles.
	for place, want := range map[int]track{
		0: {
			activity(recording.Latency, 0, 1), activity(recording.Flowing, 1, 5),
			activity(recording.Stalled, 5, 6), activity(recording.Delayed, 6, 9),
			activity(recording.Flowing, 9, 11),
		},
		7: {
			activity(recording.Waiting, 0, 4), activity(recording.Flowing, 4, 6),
			activity(recording.Waiting, 6, 8), activity(recording.Flowing, 8, 10),
			activity(recording.Waiting, 10, 12), activity(recording.Flowing, 12, 14),
		},
	} {
		if diff := tests.Diff(want, rec.Tracks[place].Activities); diff != "" {
			t.Errorf("track %d: %s", place, diff)
		}
	}
	if rec.End.Time != 14 {
		t.Errorf("complete at %g", rec.End.Time)
	}
}

// oneEvent hits the message after 6 s in transit and delays it for 3.
type oneEvent struct{ past [3]bool }

func (o *oneEvent) Next(node, _ int) (transit, delay float64) {
	if o.past[node] {
		return math.Inf(1), 0
	}
	o.past[node] = true
	return 6, 3
}

func (o *oneEvent) Extra(int, int) float64 { return 0 }
