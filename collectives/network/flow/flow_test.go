package flow_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"jitterfly/collectives"
	"jitterfly/collectives/network"
	"jitterfly/collectives/network/flow"
	"jitterfly/internal/tests"
	"jitterfly/internal/tests/models"
)

// detours are those of each node, in their order, none touching the next.
type detours [][]struct{ begin, end float64 }

// Finish applies the preemption rule detour by detour.
func (d detours) Finish(node int, t, work float64) float64 {
	for _, detour := range d[node] {
		if detour.begin <= t && t < detour.end {
			t = detour.end
		}
	}
	end := t + work
	for _, detour := range d[node] {
		if t <= detour.begin && detour.begin < end {
			end += detour.end - detour.begin
		}
	}
	return end
}

// events are lists of events for each controller.
type events struct {
	controllers int
	gaps        [][][2]float64 // of each controller: transit and delay [s]
	next        []int
	extra       float64 // of the first message of each controller; the n-th has a n-th of it
	sent        []int
}

func (e *events) Next(node, controller int) (transit, delay float64) {
	i := node*e.controllers + controller
	if e.next[i] == len(e.gaps[i]) {
		return math.Inf(1), 0
	}
	gap := e.gaps[i][e.next[i]]
	e.next[i]++
	return gap[0], gap[1]
}

func (e *events) Extra(node, controller int) float64 {
	i := node*e.controllers + controller
	e.sent[i]++
	return e.extra / float64(e.sent[i])
}

// once returns events of one controller for each node, to be used once.
func once(gaps ...[][2]float64) *events { return (&events{controllers: 1, gaps: gaps}).again() }

// again returns the same events from the beginning.
func (e *events) again() *events {
	return &events{e.controllers, e.gaps, make([]int, len(e.gaps)), e.extra, make([]int, len(e.gaps))}
}

func drawSchedule(t *rapid.T, place network.Topology, each int) collectives.Schedule {
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "order"), 0))
	ranks, bytes := place.Nodes()*each, rapid.SampledFrom([]float64{0, 1, 3}).Draw(t, "bytes")
	schedules := []collectives.Schedule{
		models.RandomRing(ranks, 3, bytes, random), models.List(2, bytes, random.Perm(ranks)...),
	}
	for _, name := range []string{"a2a-ring", "a2a-levels", "a2a-spread", "a2and", "a2at"} {
		if s, err := models.On(name, place, each, bytes, math.Inf(1)); err == nil {
			schedules = append(schedules, s)
		}
	}
	return schedules[rapid.IntRange(0, len(schedules)-1).Draw(t, "schedule")]
}

// drawProblem draws a problem whose times are small numbers, so that they often coincide.
func drawProblem(t *rapid.T) flow.Network {
	place := models.Place(t, rapid.SampledFrom(models.SmallTopologies).Draw(t, "topology"))
	each := rapid.SampledFrom([]int{1, 1, 2, 3}).Draw(t, "ranks on a node")
	each = max(1, min(each, 50/place.Nodes())) // the reference takes 15 s for 72 ranks
	sometimes := func(name string) float64 {
		return rapid.SampledFrom([]float64{0, 0, 0.25, 1, 0.1}).Draw(t, name)
	}
	return flow.Network{
		Scenario: network.Scenario{
			Schedule:    drawSchedule(t, place, each),
			Topology:    place,
			Placement:   network.Placement{PerNode: each},
			Latency:     sometimes("latency"),
			Bandwidth:   rapid.SampledFrom([]float64{1, 3}).Draw(t, "bandwidth"),
			Controllers: rapid.IntRange(0, 4).Draw(t, "controllers"),
			Sync: rapid.SampledFrom([]network.Sync{
				network.None, network.Local, network.LocalController, network.LocalCount,
			}).Draw(t, "sync"),
			SendWork:    sometimes("send"),
			ReceiveWork: sometimes("receive"),
			EarlyWork:   sometimes("early"),
			Gap:         rapid.SampledFrom([]float64{0, 0, 0.25, 1, 10}).Draw(t, "gap"),
			Window:      rapid.SampledFrom([]float64{0, 0, 0.5, 1}).Draw(t, "window"),
			Reading:     sometimes("read"),
		},
		HopLatency:    sometimes("latency per hop"),
		PortBandwidth: sometimes("port"),
		NodeLatency:   sometimes("latency inside nodes"),
		NodeBandwidth: rapid.SampledFrom([]float64{2, 5}).Draw(t, "bandwidth inside nodes"),
		Sharing:       rapid.SampledFrom([]flow.Sharing{flow.Equal, flow.MaxMin}).Draw(t, "sharing"),
	}
}

func drawNoise(t *rapid.T, p flow.Network) (detours, *events) {
	return randomNoise(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "noise"), 0)), p)
}

func randomNoise(random *rand.Rand, p flow.Network) (detours, *events) {
	host := make(detours, p.Ranks())
	for n := range host { // not at round times, where rounding would decide what is hit
		begin := 6*random.Float64() - 1
		for range random.IntN(5) {
			end := begin + 3*random.Float64()
			host[n] = append(host[n], struct{ begin, end float64 }{begin, end})
			begin = end + 10*random.Float64()
		}
	}
	controllers := max(1, p.Controllers)
	delays := &events{controllers: controllers, gaps: make([][][2]float64, len(host)*controllers)}
	if random.IntN(2) == 0 {
		delays.extra = random.Float64()
	}
	for i := range delays.gaps {
		for range random.IntN(4) {
			delays.gaps[i] = append(delays.gaps[i], [2]float64{3 * random.Float64(), 1.5 * random.Float64()})
		}
	}
	return host, delays.again()
}

// last stores when each node's processor last completed work.
type last struct {
	network.Host
	at map[int]float64
}

func (l last) Finish(node int, t, work float64) float64 {
	l.at[node] = l.Host.Finish(node, t, work)
	return l.at[node]
}

// lasts simulates a problem, and returns when some of its nodes were done.
func lasts(
	t *testing.T, p flow.Network, host network.Host, delays network.Delays, nodes ...int,
) []float64 {
	t.Helper()
	l := last{host, map[int]float64{}}
	run(t, p, l, delays)
	var at []float64
	for _, n := range nodes {
		at = append(at, l.at[n])
	}
	return at
}

// On a line of seven nodes three messages share the link from 2 to 3, and that of them
// to 6 the link from 4 to 5 with the message from 4 to 5. That has half of the
// link, or what is left of it.
func TestSharing(t *testing.T) {
	p := flow.Network{
		Scenario: network.Scenario{
			Schedule: models.List(1, 6, 3, 4, 6, 0, 5, 1, 2), Topology: models.Place(t, "mesh:7"), Bandwidth: 1,
		},
	}
	for name, want := range map[string][]float64{
		"equal": {18, 18, 12, 18}, "maxmin": {18, 18, 9, 18},
	} {
		p.Sharing = sharings[name]
		got := lasts(t, p, network.NoiseFree{}, network.NoiseFree{}, 3, 4, 5, 6)
		if diff := tests.Diff(want, got, cmpopts.EquateApprox(1e-12, 0)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// Messages from 0 to 2 and from 1 to 3 share the link between. An event delays the first
// after 2 s, for 3 s, and the other has the link alone: it is there after 9 s, and the
// first after 12.
func TestDelayedMessagesYieldTheirShare(t *testing.T) {
	p := flow.Network{
		Scenario: network.Scenario{
			Schedule: models.List(1, 6, 2, 3, 0, 1), Topology: models.Place(t, "mesh:4"), Bandwidth: 1,
		},
	}
	for name, sharing := range sharings {
		p.Sharing = sharing
		delays := once([][2]float64{{2, 3}}, nil, nil, nil)
		got := lasts(t, p, network.NoiseFree{}, delays, 2, 3)
		if diff := tests.Diff([]float64{12, 9}, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// Node 0 starts after its detour, at 4 s, and sends until 4.5 s; the message is at node
// 1 at 10.5 s, which takes it from 11 s, after its detour, until 12 s.
func TestDetoursDelaySendAndReceive(t *testing.T) {
	p := flow.Network{
		Scenario: network.Scenario{
			Schedule:    models.List(1, 6, 1, 0),
			Topology:    models.Place(t, "crossbar:2"),
			Bandwidth:   1,
			SendWork:    0.5,
			ReceiveWork: 1,
		},
	}
	host := detours{{{-1, 4}}, {{9.5, 11}}}
	if diff := tests.Diff([]float64{7.5, 12}, lasts(t, p, host, network.NoiseFree{}, 0, 1)); diff != "" {
		t.Error(diff)
	}
	if got := run(t, p, host, network.NoiseFree{}); got.LatestStart != 4 || got.CompletionTime != 12 ||
		got.Received != 2 {
		t.Errorf("%+v, want the latest start at 4 s, and 2 messages in 12 s", got)
	}
}

// A message alone is posted, waits twice for its window, less what that takes to send, and is
// taken. It comes early to a node that starts late and has not posted its own.
func TestHostsOfOneMessage(t *testing.T) {
	p := flow.Network{
		Scenario: network.Scenario{
			Schedule:    models.List(1, 6, 2, 1, 0),
			Topology:    models.Place(t, "mesh:3"),
			Bandwidth:   1,
			Latency:     1,
			SendWork:    0.5,
			ReceiveWork: 3,
			EarlyWork:   100,
			Window:      2.5,
			Reading:     4,
		},
		HopLatency: 2,
	}
	const posted, latency, stalls = 0.5, 1 + 2*2, 2
	want := posted + latency + stalls*(2*latency+4-2.5) + 6 + 3
	for name := range sharings {
		p.Sharing = sharings[name]
		if got := run(t, p, detours{nil, nil, nil}, network.NoiseFree{}); got.CompletionTime != want {
			t.Errorf("%s: %g s, want %g s", name, got.CompletionTime, want)
		}
	}
	p.Schedule = models.List(2, 6, 1, 2, 0)
	host := detours{nil, nil, {{0, 200}}} // both messages of node 1 come before node 2 begins
	p.Sync = network.Local
	got, again := run(t, p, host, network.NoiseFree{}), p
	again.EarlyWork = 0
	without := run(t, again, host, network.NoiseFree{})
	if got.CompletionTime <= without.CompletionTime {
		t.Errorf("%g s, and %g s if nothing is copied twice", got.CompletionTime, without.CompletionTime)
	}
}

// Node 0 starts at 4 s; from 6 s on its message to node 1 shares that one's link with
// the second of node 2, and arrives at 14 s. Node 1 sends its second message, to node
// 0, when its first has arrived, at 6 s, so that the last that node 0 does is to send at 14
// s; or when it has that of node 0 too, so that node 0 receives until 20 s.
func TestLocalSync(t *testing.T) {
	p := flow.Network{
		Scenario: network.Scenario{
			Schedule: models.A2A(3, 6), Topology: models.Place(t, "crossbar:3"), Bandwidth: 1,
		},
	}
	host := detours{{{-1, 4}}, nil, nil}
	for name, want := range map[string][]float64{
		"none": {14, 16, 20}, "local": {20, 16, 20}, "local-controller": {20, 16, 20},
	} {
		p.Sync = syncs[name]
		if diff := tests.Diff(want, lasts(t, p, host, network.NoiseFree{}, 0, 1, 2)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// The engine, which looks only at what changes, and a simulation that finds
// everything anew at every moment, agree.
func TestRunIsTheReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t)
		host, delays := drawNoise(t, p)
		got, _ := runAsReference(t, p, host, delays)
		if bound := p.LowerBound(); got.CompletionTime < bound*(1-1e-9) {
			t.Fatalf("%s: %v s, and at least %v s are needed", p.Topology, got.CompletionTime, bound)
		}
		checkRecording(t, p, host, delays.again(), got)
	})
}

// A difference grows 10 times as large every 30 s in this problem. The completion times of the
// two, which round differently, are 2e-7 apart.
func TestRunIsTheReferenceUntilChaos(t *testing.T) {
	p := flow.Network{
		Scenario: network.Scenario{
			Schedule:  models.A2A(36, 1),
			Topology:  models.Place(t, "mesh:3x4"),
			Placement: network.Placement{PerNode: 3},
			Bandwidth: 1,
			Sync:      network.LocalCount,
		},
		PortBandwidth: 0.25,
		NodeBandwidth: 2,
	}
	host, delays := randomNoise(rand.New(rand.NewPCG(0x9d854c4, 0)), p)
	got, until := runAsReference(t, p, host, delays)
	if until < 60 || until > got.CompletionTime {
		t.Errorf("compared up to %v s of %v s, want about 75 s", until, got.CompletionTime)
	}
}

// On a crossbar the n ranks of a node share its link: the 2-level ring takes n·N/B for each of the
// (S − 1)·n phases between nodes, and N/M for each of the others.
func TestRanksShareTheLinkOfTheirNode(t *testing.T) {
	for _, each := range []int{1, 2, 4} {
		crossbar := models.Place(t, "crossbar:6")
		p := flow.Network{
			Scenario: network.Scenario{
				Schedule:  tests.Must(models.On("a2a-levels", crossbar, each, 8, math.Inf(1)))(t),
				Topology:  crossbar,
				Placement: network.Placement{PerNode: each},
				Bandwidth: 2,
				Latency:   0.5,
			},
			NodeLatency:   0.25,
			NodeBandwidth: 16,
		}
		n := float64(each)
		want := 5*n*(0.5+n*8/2) + (n-1)*(0.25+8./16)
		if got := noiseFree(t, p); math.Abs(got-want) > 1e-9 {
			t.Errorf("%d on a node: %g s, want %g s", each, got, want)
		}
		p.PortBandwidth = 0.25 // below a rank's part
		want = 5*n*(0.5+8/0.25) + (n-1)*(0.25+8./16)
		if got := noiseFree(t, p); math.Abs(got-want) > 1e-9 {
			t.Errorf("%d on a node, ports: %g s, want %g s", each, got, want)
		}
	}
}

// Messages inside nodes do not wait for the network, and are faster than any bound on it.
func TestInsideNodes(t *testing.T) {
	place := models.Place(t, "torus:2x2")
	p := flow.Network{
		Scenario: network.Scenario{Schedule: models.List(1, 6, 1, 0, 3, 2, 5, 4, 7, 6), Topology: place,
			Placement: network.Placement{PerNode: 2}, Bandwidth: 1e-3, Latency: 100},
		HopLatency: 100, NodeLatency: 0.5, NodeBandwidth: 3,
	}
	if got, bound := noiseFree(t, p), p.LowerBound(); got != 2.5 || bound > got {
		t.Errorf("%g s, and %g s at least, want 2.5 s", got, bound)
	}
}
