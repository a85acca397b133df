package collectives_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"jitterfly/collectives"
	"jitterfly/collectives/rounds"
	"jitterfly/internal/tests"
	"jitterfly/noise"
)

// read reads GOAL by the grammar of LogGOPSim's txt2bin: a label before it is required, and labels
// of one rank only. It shares nothing with the writer.
func read(r io.Reader) ([][]collectives.Op, error) {
	var s [][]collectives.Op
	var labels map[string]int
	rank := -1
	for lines := bufio.NewScanner(r); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		var n, peer, tag int
		var size int64
		switch words := strings.Fields(line); {
		case line == "":
		case line == "}":
			rank = -1
		case scan(line, "num_ranks %d", &n):
			s = make([][]collectives.Op, n)
		case scan(line, "rank %d {", &rank):
			labels = map[string]int{}
		case rank < 0:
			return nil, fmt.Errorf("%q is outside of a rank", line)
		case len(words) == 3 && strings.HasSuffix(words[1], "requires"):
			op, ok := labels[words[0]]
			on, known := labels[words[2]]
			if !ok || !known {
				return nil, fmt.Errorf("%q has an undefined label", line)
			}
			to := &s[rank][op].Requires
			if words[1] == "irequires" {
				to = &s[rank][op].After
			}
			*to = append(*to, on)
		default:
			label, rest, _ := strings.Cut(line, ": ")
			var op collectives.Op
			switch {
			case scan(rest, "send %db to %d tag %d", &size, &peer, &tag) && peer >= 0:
				op = collectives.Op{Kind: collectives.Send, Size: size, Peer: peer, Tag: tag}
			case scan(rest, "recv %db from %d tag %d", &size, &peer, &tag):
				op = collectives.Op{Kind: collectives.Recv, Size: size, Peer: peer, Tag: tag}
			case scan(rest, "calc %d", &size):
				op = collectives.Op{Kind: collectives.Calc, Size: size}
			default:
				return nil, fmt.Errorf("%q is not GOAL", line)
			}
			labels[label] = len(s[rank])
			s[rank] = append(s[rank], op)
		}
	}
	return s, nil
}

func scan(line, format string, to ...any) bool {
	n, err := fmt.Sscanf(line, format, to...)
	return err == nil && n == len(to)
}

// quiet is the absence of noise.
type quiet float64

func (quiet) Work(int, float64, float64) float64 { return 0 }
func (l quiet) Latency() float64                 { return float64(l) }

// written returns the schedule of an algorithm after it was written and read.
func written(t *testing.T, a collectives.Algorithm, p collectives.Problem) [][]collectives.Op {
	t.Helper()
	return tests.Must(read(bytes.NewReader(tests.Must(collectives.GOAL(a, p))(t))))(t)
}

// returns returns when each rank returns by the engine of rounds, without noise.
func returns(t *testing.T, a collectives.Algorithm, p collectives.Problem) []float64 {
	t.Helper()
	c := tests.Must(a.Schedule(p))(t)
	none := rounds.NewNoise(noise.None{}.Detours(nil), noise.None{}.Delays())
	rec := tests.Must(rounds.Record(context.Background(), rounds.Compile(&c, p), none, 0))(t)
	all := make([]float64, p.Ranks)
	for _, track := range rec.Tracks {
		for _, activity := range track.Activities {
			all[track.Rank] = max(all[track.Rank], activity.To)
		}
	}
	return all
}

// Without noise, LogGOPSim's rules give every rank the time that the engine of rounds gives, for
// every allreduce and all-to-all at 2 to 33 ranks, except for the nanosecond to which GOAL rounds
// work. From two sources that is true of the butterfly, whose copies arrive together: LogGOPSim's
// ranks finish with their last copy.
func TestLogGOPSimAgreesWithoutNoise(t *testing.T) {
	for _, a := range collectives.Algorithms {
		agree(t, a, 1)
		if a.Name == "butterfly" {
			agree(t, a, 2)
		}
	}
}

// agree compares an algorithm with the given number of sources.
func agree(t *testing.T, a collectives.Algorithm, sources int) {
	t.Helper()
	compared := 0
	for ranks := 2; ranks <= 33; ranks++ {
		p := collectives.Problem{
			Ranks: ranks, Bytes: 32000, Latency: 2e-6, Bandwidth: math.Inf(1), MemoryBandwidth: 1e9,
			Redundancy: collectives.Redundancy{Sources: sources},
		}
		c, err := a.Schedule(p)
		if err != nil {
			continue
		}
		compared++
		if c.Checkpoints[0].T != 0 {
			t.Fatal("the first checkpoint has redundant exchanges")
		}
		got := collectives.NewSimulator(written(t, a, p)).Run(
			collectives.LogGP{}, quiet(p.Latency), collectives.Rules{},
		)
		for rank, want := range returns(t, a, p) {
			if math.Abs(got[rank]-want) > 0.5e-9*float64(len(c.Rounds))+1e-12 {
				t.Errorf("%s from %d sources, %d ranks: rank %d finishes at %g us, want %g", a.Name,
					sources, ranks, rank, 1e6*got[rank], 1e6*want)
				break
			}
		}
	}
	want := map[string]int{
		"a2a-pairwise": 5,                                                // powers of two
		"a2and":        0, "a2at": 0, "random-ring": 0, "permutation": 0, // they need a topology
	}
	if n, ok := want[a.Name]; sources == 1 && compared != n && (ok || compared != 32) {
		t.Errorf("%s was compared at %d numbers of ranks", a.Name, compared)
	}
}

// With overheads and bytes LogGOPSim's rules give the same times where no message arrives before its
// receiver is ready for it: LogGOPSim then charges o and the bytes to a receiver that still works on an
// earlier round. That holds for the butterfly and Rabenseifner's algorithm at powers of two, and for the
// dissemination, and not for binomial trees. Times differ by G for each message, whose first byte
// LogGOPSim does not count, and by the nanosecond to which GOAL rounds.
func TestLogGOPSimAgreesWithOverheads(t *testing.T) {
	const o, g = 150e-9, 1e-9
	worst := func(name string, ranks int) float64 {
		a := tests.Must(collectives.Find(name))(t)
		p := collectives.Problem{
			Ranks: ranks, Bytes: 32000, Latency: 2e-6, Bandwidth: 1 / g, MemoryBandwidth: 1e9,
			Host:       collectives.Host{Overhead: o},
			Redundancy: collectives.Redundancy{Sources: 1, Reception: collectives.CPU},
		}
		c := tests.Must(a.Schedule(p))(t)
		got := collectives.NewSimulator(written(t, a, p)).Run(collectives.LogGP{L: p.Latency, O: o, G: g},
			quiet(p.Latency), collectives.Rules{})
		worst := 0.0
		for rank, want := range returns(t, a, p) {
			worst = max(worst, math.Abs(got[rank]-want)-(0.5e-9+g)*float64(len(c.Rounds)))
		}
		return worst
	}
	for ranks := 2; ranks <= 64; ranks++ {
		names := []string{"dissemination"}
		if ranks&(ranks-1) == 0 {
			names = append(names, "butterfly", "rabenseifner")
		}
		for _, name := range names {
			if off := worst(name, ranks); off > 1e-12 {
				t.Errorf("%s, %d ranks: a rank finishes %g ns from the engine of rounds", name, ranks, 1e9*off)
			}
		}
	}
	if off := worst("binomial", 33); off < 1e-6 {
		t.Errorf("binomial, 33 ranks: the times are equal to %g ns, "+
			"and docs/clouds.md says that they are not", 1e9*off)
	}
}
