package rounds_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"jitterfly/collectives"
	"jitterfly/collectives/rounds"
	"jitterfly/internal/tests"
	"jitterfly/internal/tests/models"
	"jitterfly/noise"
)

// drawHost draws what messages cost, in whole numbers, but for some polls.
func drawHost(t *rapid.T, progress ...collectives.Progress) collectives.Host {
	whole := func(name string, most int) float64 {
		return float64(rapid.IntRange(0, most).Draw(t,
			name))
	}
	return collectives.Host{
		Overhead: whole("o", 3), Gap: rapid.SampledFrom([]float64{0, 0, 1, 7, 40}).Draw(t, "g"),
		Progress: rapid.SampledFrom(progress).Draw(t, "progress"),
		Poll:     rapid.SampledFrom([]float64{0.6180339887, 1, 2}).Draw(t, "poll"),
		Polls:    1 + whole("headers", 2), Match: whole("match", 2),
		Window:    rapid.SampledFrom([]float64{0, 20, 64, 100, 512}).Draw(t, "window"),
		Interrupt: whole("interrupt", 5),
	}
}

// hosted returns [drawHost], for any problem; hosts that messages cost nothing without progress.
func hosted(
	t *rapid.T, progress ...collectives.Progress,
) func(collectives.Problem) collectives.Host {
	return func(collectives.Problem) collectives.Host {
		if len(progress) == 0 {
			return collectives.Host{}
		}
		return drawHost(t, progress...)
	}
}

// hostedBy returns the problem with what messages cost their hosts, if that is drawn.
func hostedBy(
	p collectives.Problem, host []func(collectives.Problem) collectives.Host,
) collectives.Problem {
	for _, draw := range host {
		p.Host = draw(p)
	}
	return p
}

var everyProgress = []collectives.Progress{collectives.Arrival, collectives.Polling,
	collectives.Epoll, collectives.Async}

// definite returns the kinds of progress whose times do not depend on how a program rounds. With
// Async a message that arrives before its receiver waits for it is copied once more, and if times
// are not exact rounding decides that. Polls take what is within a millionth of one as equal.
func definite(p collectives.Problem) []collectives.Progress {
	if exact(p) {
		return everyProgress
	}
	return everyProgress[:3]
}

// hostedIf returns [drawHost] of [definite] progress, or hosts that messages cost nothing.
func hostedIf(t *rapid.T, hosts bool) func(collectives.Problem) collectives.Host {
	return func(p collectives.Problem) collectives.Host {
		if !hosts {
			return collectives.Host{}
		}
		return drawHost(t, definite(p)...)
	}
}

// noiseFree returns the completion without noise.
func noiseFree(t rapid.TB, name string, p collectives.Problem) []float64 {
	t.Helper()
	return simulateSchedule(t, models.Schedule(t, name, p), p, noise.None{}.Detours(nil),
		noise.None{}.Delays()).Completion
}

// The gap between the copies of a rank that hands out the result more than once, and their places on a
// busy link.
func TestHostsSimulationOfFoldedRanks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := collectives.Problem{
			Busy: rapid.Bool().Draw(t, "busy"), Ranks: rapid.IntRange(5, 15).Draw(t, "P"),
			Bytes: float64(rapid.IntRange(0, 3).Draw(t, "bytes")), Latency: 1, Bandwidth: 1, MemoryBandwidth: 1,
			Redundancy: collectives.Redundancy{Sources: 1, Max: collectives.AllExchanges},
			Host: collectives.Host{Gap: float64(rapid.IntRange(1, 30).Draw(t, "g")),
				Overhead: float64(rapid.IntRange(0, 2).Draw(t, "o"))},
		}
		s := models.Schedule(t, "butterfly", p)
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "noise"), 0))
		os, network := make(preempted, p.Ranks), noDelays(2*len(s.Rounds), p.Ranks)
		for i := range network {
			for r := range network[i] {
				if random.IntN(3) == 0 {
					network[i][r] = float64(random.IntN(100))
				}
			}
		}
		checkTrial(t, expected(s, p, os, network), simulateSchedule(t, s, p, os, network), close9)
	})
}

// On busy links the gap follows the bytes, as in LogGP: a round takes 2o + wire + combine, or g and the
// bytes of what a rank sends if that is longer.
func TestGapFollowsBytes(t *testing.T) {
	p := collectives.Problem{
		Busy: true, Ranks: 64, Bytes: 4, Latency: 10, Bandwidth: 1, MemoryBandwidth: 2,
		Redundancy: collectives.Redundancy{Reception: collectives.CPU},
	}
	const K, w, combine = 6., 4., 2.
	for _, c := range []struct{ o, g, R float64 }{
		{3, 0, 1}, {3, 17, 1}, {3, 18, 1}, {3, 19, 1}, {3, 1000, 1}, {0, 3, 1}, {1, 7, 2}, {0, 100, 3},
	} {
		p.Host, p.Redundancy.Sources = collectives.Host{Overhead: c.o, Gap: c.g}, int(c.R)
		names := []string{"butterfly"}
		if c.R == 1 {
			names = append(names, "dissemination")
		}
		for _, name := range names {
			now, free := 0., 0.
			for k := range int(K) {
				n := min(c.R, float64(int(1)<<k)) // messages of the round
				leave := max(now+c.o, free)
				free = leave
				for m := range int(n) {
					free = max(free, now+float64(m+1)*c.o) + w + c.g
				}
				now = max(now+n*c.o, free-c.g, leave+10+w) + c.o + combine
			}
			if got := noiseFree(t, name, p)[0]; math.Abs(got-now) > 1e-9 {
				t.Errorf("%s, o = %g, g = %g, R = %g: %g, want %g", name, c.o, c.g, c.R, got, now)
			}
		}
	}
}

// Copies leave behind what their sender has sent, a gap after the last byte of the message before.
func TestGapFollowsCopies(t *testing.T) {
	p := collectives.Problem{
		Busy: true, Ranks: 4, Bytes: 8, Latency: 1, Bandwidth: 1, MemoryBandwidth: math.Inf(1),
		Redundancy: collectives.Redundancy{Max: 2, Sources: 1}, Host: collectives.Host{Gap: 20},
	}
	s, network := models.Schedule(t, "butterfly", p), noDelays(4, 4)
	network[1][3], network[2][3] = 1000, 1000 // its last partial result, and the first copy to it
	// All have their first message at 9, and send from 28 on, when 8 and the gap are over. They have
	// the result at 37. The copies leave at 56 and at 84.
	want := []float64{1037, 1037, 93}
	got := simulateSchedule(t, s, p, make(preempted, 4), network).Completion
	if !slices.Equal(got, want) {
		t.Errorf("completions %v, want %v", got, want)
	}
}

// All ranks post, each message after the one before has left, and then take one after the other.
func TestSpreadWithHosts(t *testing.T) {
	const P, wire, busy = 64, 10. + 4, 4.
	p := collectives.Problem{Ranks: P, Bytes: 4, Latency: 10, Bandwidth: 1, MemoryBandwidth: 2,
		Redundancy: collectives.Redundancy{Sources: 1, Reception: collectives.CPU}}
	for _, c := range []struct{ o, g float64 }{{3, 0}, {3, 1}, {3, 21}, {1, 5}, {0, 3}, {0, 17}} {
		p.Host = collectives.Host{Overhead: c.o, Gap: c.g}
		want, leave := (P-1)*c.o, c.o
		for i := range P - 1 {
			if i > 0 {
				leave = max(float64(i+1)*c.o, leave+max(c.g, busy))
			}
			want = max(want, leave+wire) + c.o
		}
		if got := noiseFree(t, "a2a-spread", p)[0]; math.Abs(got-want) > 1e-9 {
			t.Errorf("o = %g, g = %g: %g, want %g", c.o, c.g, got, want)
		}
	}
}

func TestLowerBoundIsBelowEveryTrial(t *testing.T) {
	for _, progress := range [][]collectives.Progress{nil, everyProgress} {
		rapid.Check(t, func(t *rapid.T) {
			s, p, os, network := drawFamily(t, rapid.IntRange(1, 70).Draw(t, "P"),
				rapid.IntRange(0, 3).Draw(t, "o"), hosted(t, progress...))
			if rapid.Bool().Draw(t, "quiet") {
				os, network = make(preempted, p.Ranks), noDelays(len(network), p.Ranks)
			}
			for T, c := range simulateSchedule(t, s, p, os, network).Completion {
				if least := lowerBound(&s, p); c < least*(1-1e-12) {
					t.Errorf("T = %d completes at %g, below %g", T, c, least)
				}
			}
		})
	}
}

// Where all ranks do the same in every round, the least is reached without noise.
func TestHostsLowerBoundIsReached(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := collectives.Problem{
			Ranks: 32, Bytes: 256, Latency: 3, Bandwidth: 64, MemoryBandwidth: 128,
			Busy:       rapid.Bool().Draw(t, "busy"),
			Host:       drawHost(t, collectives.Arrival, collectives.Async),
			Redundancy: collectives.Redundancy{Sources: 1, Reception: collectives.CPU},
		}
		name := rapid.SampledFrom([]string{"butterfly", "dissemination", "rabenseifner", "ring",
			"a2a-ring", "a2a-spread", "a2a-bruck"}).Draw(t, "collective")
		if name == "butterfly" {
			p.Redundancy.Sources = rapid.IntRange(1, 3).Draw(t, "R")
		}
		if link := p.Bytes / p.Bandwidth; name == "a2a-spread" &&
			p.Host.Take(p.Ranks-1) < max(link, p.Host.Gap) {
			t.Skip("links are busy for longer than processors")
		}
		s := models.Schedule(t, name, p)
		if least, got := lowerBound(&s, p), noiseFree(t, name, p)[0]; math.Abs(got-least) > 1e-6*got {
			t.Errorf("%s: %g, and at least %g", name, got, least)
		}
	})
}

// A rank alone that sends to itself reads that from one socket, in polls that take time.
func TestARankAlonePolls(t *testing.T) {
	for _, a := range collectives.Algorithms {
		p := suited(a, collectives.Problem{
			Ranks: 1, Bytes: 256, Latency: 1, Bandwidth: 64, MemoryBandwidth: 128, Segments: 1,
			Node: collectives.Node{Ranks: 1}, Leaders: 1,
			Redundancy: collectives.Redundancy{Sources: 1},
			Host:       collectives.Host{Progress: collectives.Polling, Poll: 1, Polls: 1, Window: 20},
		})
		s, err := a.Schedule(p)
		if err != nil || len(s.Rounds) == 0 {
			continue
		}
		none := rounds.NewNoise(noise.None{}.Detours(nil), noise.None{}.Delays())
		got := trial(t, rounds.NewSimulator(1), s, p, none).Completion[0]
		t.Logf("%s: %g s", a.Name, got)
		if !(got < 1000) {
			t.Errorf("%s takes %g s", a.Name, got)
		}
	}
}

// counted cancels a trial at its tenth piece of work, and counts them all.
type counted struct {
	preempted
	cancel context.CancelFunc
	n      int
}

func (d *counted) Finish(noise.Piece, int, []float64, float64) {
	if d.n++; d.n == 10 {
		d.cancel()
	}
}

// A round in which every rank sends to all others ends soon after its trial was cancelled.
func TestLongRoundIsCancelled(t *testing.T) {
	p := collectives.Problem{
		Ranks: 256, Bytes: 1, Latency: 1e-6, Bandwidth: 1e9, Host: collectives.Host{Overhead: 1e-7},
		Redundancy: collectives.Redundancy{Sources: 1},
	}
	spread := tests.Must(collectives.Find("a2a-spread"))(t)
	s := tests.Must(spread.Schedule(p))(t)
	ctx, cancel := context.WithCancel(t.Context())
	d := &counted{cancel: cancel}
	err := rounds.NewSimulator(p.Ranks).Run(ctx, rounds.Compile(&s, p),
		rounds.NewNoise(d, noise.None{}.Delays()), &rounds.Trial{Completion: make([]float64, len(s.Checkpoints))})
	if !errors.Is(err, context.Canceled) || d.n > 20 {
		t.Errorf("%v after %d pieces of work", err, d.n)
	}
}
