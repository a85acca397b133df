package montecarlo_test

import (
	"fmt"
	"math"
	"testing"

	"jitterfly/collectives"
	"jitterfly/collectives/network"
	"jitterfly/collectives/network/flow"
	"jitterfly/collectives/recording"
	"jitterfly/internal/tests"
	"jitterfly/noise"
)

// noisy has noise be frequent.
func noisy(c *setup) {
	c.OS = noise.Periodic{Period: 2e-4, Duration: 1e-5}
	c.Network = noise.PoissonDelays{Interval: 1e-4, Lengths: noise.Constant(1e-5)}
}

// replayed are configurations of every collective, in which noise is frequent.
func replayed(t *testing.T) map[string]setup {
	configs := map[string]setup{}
	for _, a := range collectives.Algorithms {
		for _, ranks := range []int{16, 21, 2048} {
			if ranks > 16 && a.Operation != collectives.Allreduce || ranks == 2048 && a.Name == "ring" {
				continue
			}
			c := reference(ranks)
			c.Algorithm = a
			noisy(&c)
			configs[fmt.Sprintf("%s/%d", a.Name, ranks)] = c
			for i, host := range costs {
				if ranks < 2048 {
					c.Problem.Host = host
					configs[fmt.Sprintf("%s/%d host %d", a.Name, ranks, i)] = c
				}
			}
			c.Problem.Host = collectives.Host{}
			stationary(&c)
			c.Problem.Redundancy.Reception = collectives.CPU
			c.Problem.Redundancy.SendOverhead = 1e-7
			c.Problem.Node = collectives.Node{Ranks: 4, Latency: 2e-7, Bandwidth: 1e10}
			if _, err := a.Schedule(c.Problem); err != nil {
				continue // it is for one rank on each node
			}
			if a.Name == "butterfly" {
				c.Problem.Redundancy.Sources = 2
			}
			configs[fmt.Sprintf("%s/%d nodes", a.Name, ranks)] = c
			if ranks < 2048 {
				c.Problem.Host = costs[1]
				configs[fmt.Sprintf("%s/%d nodes and host", a.Name, ranks)] = c
			}
		}
	}
	ring := configs["ring/16"]
	ring.Problem.Segments, ring.Problem.Bytes = 3, 4800
	configs["ring/16 segments"] = ring
	ring.Problem.Host, ring.Problem.Node.Ranks, ring.Problem.Node.Bandwidth = costs[1], 4, 1e10
	configs["ring/16 segments and host"] = ring
	for name, c := range replayedFlows(t) {
		configs[name] = c
	}
	return configs
}

// replayedFlows are those on topologies.
func replayedFlows(t *testing.T) map[string]setup {
	configs := map[string]setup{}
	for i, c := range []setup{flowsOn(t, "torus:3x3", 1), flowsOn(t, "mesh:3x3", 2)} {
		for _, sharing := range []flow.Sharing{flow.Equal, flow.MaxMin} {
			for _, sync := range []network.Sync{network.None, network.Local, network.LocalController} {
				for _, h := range append([]collectives.Host{{}}, costs...) {
					f := *c.Flows
					f.Schedule, f.Bandwidth = on(t, "a2at", f.Topology.String(), 1e4).Schedule, 1e9
					f.Latency, f.HopLatency = 1e-6, 1e-7
					f.Sharing, f.Sync, f.PortBandwidth = sharing, sync, float64(i)*1e9
					f.SendWork, f.ReceiveWork = h.Overhead, h.Take(1)+h.Polled(9)
					f.Gap, f.EarlyWork = h.Gap*4, h.Interrupt
					f.Window, f.Reading = h.Window*1000, 1.5*h.Scan(9)
					d := c
					d.Flows, d.Problem.Host, d.Problem.Bytes = &f, h, 1e4
					noisy(&d)
					configs[fmt.Sprintf("flows %d/%d/%d/%+v", i, sharing, sync, h)] = d
				}
			}
		}
	}
	return configs
}

// A trial that is simulated again takes as long as before, to the last bit; no two activities of a
// track overlap; and the critical path leads from its beginning to its end, without gaps.
func TestReplayIsTheTrial(t *testing.T) {
	trials := tests.Part(5, 2)
	won, seen := 0, [recording.Kinds]float64{}
	for name, c := range replayed(t) {
		result, _ := run(t, trials, c)
		for trial := range trials {
			for T := range result.Summaries {
				rec, err := c.replay(t.Context(), trial, T)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if want := result.Completion[trial*len(result.Summaries)+T]; rec.End.Time != want {
					t.Fatalf("%s, trial %d, T = %d: %v, and it was %v", name, trial, T, rec.End.Time, want)
				}
				checkTracks(t, name, rec)
				path := checkPath(t, name, rec)
				for k, s := range path.Spent {
					seen[k] += s
				}
				won += len(rec.Copies)
			}
		}
	}
	if won < 200*trials {
		t.Errorf("only %d redundant copies won", won)
	}
	for _, k := range onPaths {
		if seen[k] == 0 {
			t.Errorf("kind %d is on no path", k)
		}
	}
}

// onPaths are the kinds that can be on a critical path.
var onPaths = []recording.Kind{
	recording.Computing, recording.Sending, recording.Receiving, recording.Polling,
	recording.Detour, recording.Delayed, recording.Sharing, recording.Wire, recording.Queueing,
}

// checkTracks checks that the activities of each track follow each other, from the launch
// on, and without a gap but for processors that have nothing to do and redundant
// copies: what they spare is over when the rank would have been done.
func checkTracks(t *testing.T, name string, rec *recording.Recording) {
	t.Helper()
	done := 0.0
	for place, track := range rec.Tracks {
		at := 0.0
		if per := len(rec.Tracks) / rec.Ranks; track.Rank != place/per ||
			per*rec.Ranks != len(rec.Tracks) {
			t.Fatalf("%s: track %d is of rank %d", name, place, track.Rank)
		}
		for _, a := range track.Activities {
			late := a.From - at
			if a.To <= a.From || late < 0 || track.Role != "processor" && late > 0 {
				t.Fatalf("%s, track %d: %+v after %v", name, place, a, at)
			}
			at = a.To
			if a.Kind != recording.Saved {
				done = max(done, at)
			}
		}
	}
	if done != rec.End.Time && (done < rec.End.Time || len(rec.Copies) == 0) { // detours continue
		t.Fatalf("%s: the last activity ends at %v, the trial at %v", name, done, rec.End.Time)
	}
}

// checkPath checks that the critical path goes on in time, from 0 to the completion, from one
// moment to the next on one rank or by a message.
func checkPath(t *testing.T, name string, rec *recording.Recording) recording.Path {
	t.Helper()
	path := rec.CriticalPath()
	last := path.Points[len(path.Points)-1]
	if path.Points[0].Time != 0 || last != (recording.Point{Track: rec.End.Track,
		Time: rec.End.Time}) {
		t.Fatalf("%s: the path leads from %v to %v, not %v", name, path.Points[0], last, rec.End.Time)
	}
	for i := 1; i < len(path.Points); i++ {
		a, b := path.Points[i-1], path.Points[i]
		moves, travels := a.Track != b.Track, rec.Tracks[a.Track].Rank != rec.Tracks[b.Track].Rank
		if b.Time < a.Time || i%2 == 1 && moves || i%2 == 0 && (!moves || !travels && a.Time != b.Time) {
			t.Fatalf("%s: from %v to %v, place %d", name, a, b, i)
		}
	}
	for m := rec.End; m.Cause != nil; m = m.Cause {
		if m.Time < m.Cause.Time-1e-15 {
			t.Fatalf("%s: kind %d takes from %v to %v", name, m.Kind, m.Cause.Time, m.Time)
		}
	}
	sum := 0.0
	for _, k := range onPaths {
		sum += path.Spent[k]
	}
	if math.Abs(sum-rec.End.Time) > 1e-9*rec.End.Time {
		t.Fatalf("%s: %v are not the completion, %v", name, path.Spent, rec.End.Time)
	}
	return path
}

// spent is how long all tracks together do something.
func spent(rec *recording.Recording) (seconds [recording.Kinds]float64) {
	for _, track := range rec.Tracks {
		for _, a := range track.Activities {
			seconds[a.Kind] += a.To - a.From
		}
	}
	return seconds
}

// Without noise nobody is in a detour and nothing is held, neither in a track nor on the path; and
// processors do as much, with noise or without, as the messages of the collective ask of
// them.
func TestTracksHaveAllTheWork(t *testing.T) {
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(math.Abs(a)+math.Abs(b))+1e-15 }
	for name, c := range replayed(t) {
		for _, quiet := range []bool{true, false} {
			if quiet {
				c.OS, c.Network = noise.None{}, noise.None{}
			} else {
				noisy(&c)
			}
			result, _ := run(t, 2, c)
			rec := tests.Must(c.replay(t.Context(), 1, 0))(t)
			s, path := spent(rec), rec.CriticalPath().Spent
			if noise := s[recording.Detour] + s[recording.Delayed] + path[recording.Detour] +
				path[recording.Delayed]; quiet && noise != 0 {
				t.Errorf("%s: %v of noise, and there is none", name, noise)
			}
			want := demanded(t, c, result.Checkpoints[0].Messages)
			early := 0.0
			if c.Problem.Host.Progress != collectives.Arrival {
				early = math.Inf(1) // some are copied twice
			}
			polled := near(s[recording.Polling], want.polling)
			if c.Problem.Host.Sockets() && c.Flows == nil { // from when a poll is under way
				polled = s[recording.Polling] <= 1.5*want.polling && s[recording.Polling] > 0
			}
			if !near(s[recording.Computing], want.computing) || !near(s[recording.Sending], want.sending) ||
				!polled || s[recording.Receiving] < want.taking*(1-1e-9) ||
				s[recording.Receiving] > want.taking*(1+1e-9)+1e-15+early {
				t.Errorf("%s, quiet %t: %v, want %+v", name, quiet, s, want)
			}
		}
	}
}

type demand struct{ computing, sending, polling, taking float64 }

// demanded is the work of all processors of a collective at T = 0.
func demanded(t *testing.T, c setup, messages float64) (d demand) {
	h := c.Problem.Host
	d.sending = messages * h.Overhead
	if c.Flows != nil {
		d.polling = messages * h.Polled(9)
		d.taking = messages*c.Flows.ReceiveWork - d.polling
		return d
	}
	s := tests.Must(c.Algorithm.Schedule(c.Problem))(t)
	for _, r := range s.Rounds[:s.Checkpoints[0].Rounds] {
		receivers := float64(r.Receivers.Hi - r.Receivers.Lo)
		d.computing += receivers * r.Combine
		taken := receivers
		switch {
		case r.Medium == collectives.Memory: // nothing is received
			taken = 0
		case r.Every:
			taken *= float64(len(r.Sources))
		case len(r.Sources) == 0, r.Wait == collectives.Delivered && r.Reception == collectives.Offload &&
			h.Progress == collectives.Arrival:
			taken = 0
		}
		d.polling += taken * h.Polled(c.Problem.Ranks)
		d.taking += taken * h.Take(1)
	}
	return d
}

// Without noise the critical path of a butterfly, and of an all-to-all through a crossbar whose
// nodes wait for each other, has one message per round: posted, over the wire, polled for, taken
// and combined.
func TestNoiseFreePathIsTheClosedForm(t *testing.T) {
	h := collectives.Host{Overhead: 3e-7, Progress: collectives.Polling, Poll: 1e-8, Polls: 2}
	butterfly := reference(16)
	butterfly.Problem.Host = h
	flows := flowsOn(t, "torus:3x3", 1)
	f := on(t, "a2a-ring", "crossbar:9", 8)
	f.Sync, f.Bandwidth, f.Latency, flows.Flows = network.Local, 1e9, 1e-7, f
	f.SendWork, f.ReceiveWork = h.Overhead, h.Take(1)+h.Polled(9)
	flows.Problem.Host = h
	for _, x := range []struct {
		config   setup
		messages float64
		combine  float64
		rest     float64 // of the poll that is under way when a message arrives
	}{{butterfly, 4, 8e-10, 15*1e-8 - 1.08e-7}, {flows, 8, 0, 0}} {
		c := x.config
		c.OS, c.Network = noise.None{}, noise.None{}
		rec := tests.Must(c.replay(t.Context(), 0, 0))(t)
		path := rec.CriticalPath().Spent
		for k, once := range map[recording.Kind]float64{
			recording.Sending: h.Overhead, recording.Receiving: h.Overhead, recording.Wire: 1e-7 + 8e-9,
			recording.Polling:   2e-8*float64(c.Problem.Ranks-1) + x.rest,
			recording.Computing: x.combine,
			recording.Queueing:  0, recording.Sharing: 0,
		} {
			if math.Abs(path[k]-x.messages*once) > 1e-15 {
				t.Errorf("%s: kind %d takes %v on the path, want %v", c.Environment, k, path[k],
					x.messages*once)
			}
		}
	}
}

// Where one rank starts a second late, the path leads from it to the end by as many messages
// as it takes to hear from it.
func TestPathBeginsAtWhoIsLate(t *testing.T) {
	for name, messages := range map[string]float64{"butterfly": 4, "dissemination": 4, "ring": 30,
		"a2a-ring": 15, "flows": 15} {
		c := reference(16)
		if name == "flows" {
			c = flowsOn(t, "torus:4x4", 1)
			c.Flows = on(t, "a2a-ring", "torus:4x4", 8)
			c.Flows.Sync, c.Flows.Bandwidth, c.Flows.Latency = network.Local, 1e30, 1e-7
		} else {
			a := tests.Must(collectives.Find(name))(t)
			c.Algorithm, c.Problem.Bandwidth = a, 1e30
		}
		c.OS, c.Network = late{rank: 15}, noise.None{}
		rec := tests.Must(c.replay(t.Context(), 0, 0))(t)
		path := rec.CriticalPath()
		if first := rec.Tracks[path.Points[0].Track].Rank; first != 15 ||
			path.Spent[recording.Detour] != 1 {
			t.Errorf("%s: the path begins at rank %d, with a detour of %v s", name, first,
				path.Spent[recording.Detour])
		}
		if wire := path.Spent[recording.Wire]; math.Abs(wire-messages*1e-7) > 1e-12 {
			t.Errorf("%s: %v s on the wire, want those of %v messages", name, wire, messages)
		}
	}
}

// Two messages each way between the middle of four nodes slow each other down, and on the
// path that is half of what they take.
func TestSharingIsOnThePath(t *testing.T) {
	c := flowsOn(t, "torus:3x3", 1)
	both := tests.Must(collectives.Permutation(collectives.Problem{
		Ranks: 4, Bytes: 1, Bandwidth: 1, Targets: []int32{2, 3, 0, 1}, Messages: 1,
		Redundancy: collectives.Redundancy{Sources: 1},
	}))(t)
	c.Problem.Ranks = 4
	c.Flows = on(t, "a2a-ring", "mesh:4", 1)
	c.Flows.Schedule = both
	rec := tests.Must(c.replay(t.Context(), 0, 0))(t)
	path := rec.CriticalPath()
	if rec.End.Time != 2 || path.Spent[recording.Sharing] != 1 || path.Spent[recording.Wire] != 1 {
		t.Errorf("%v s: %v", rec.End.Time, path.Spent)
	}
	if s := spent(rec); s[recording.Sharing] == 0 {
		t.Errorf("no track shows it: %v", s)
	}
}

func TestSlowestIsTheSlowest(t *testing.T) {
	c := replayed(t)["butterfly/16"]
	result, _ := run(t, 20, c)
	config := c.config()
	for T := range result.Summaries {
		trial := tests.Must(config.Slowest(t.Context(), 1, 20, T))(t)
		if got := result.Completion[trial*len(result.Summaries)+T]; got != quantile(result.Summaries[T], 1) {
			t.Errorf("T = %d: trial %d takes %v, and one takes %v", T, trial, got, quantile(result.Summaries[T], 1))
		}
	}
}
