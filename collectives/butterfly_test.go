package collectives_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"jitterfly/collectives"
	"jitterfly/internal/tests"
)

func TestButterflySchedule(t *testing.T) {
	type source = collectives.Sender
	everyone := collectives.Span{Lo: 0, Hi: 16}
	needed := func(exchange int, sources ...source) collectives.Round {
		return collectives.Round{Receivers: everyone, Sources: sources, Bytes: 8,
			Wait: collectives.Combined, Combine: 4, Exchange: exchange}
	}
	spare := func(exchange, copies int, sources ...source) collectives.Round {
		return collectives.Round{Receivers: everyone, Exchange: exchange, Sources: sources, Bytes: 8,
			Wait: collectives.Spare, Reception: collectives.CPU, Copies: copies}
	}
	got := tests.Must(collectives.Butterfly(collectives.Problem{
		Ranks: 16, Bytes: 8, Bandwidth: 1, MemoryBandwidth: 2,
		Redundancy: collectives.Redundancy{Max: 2, Sources: 3, SendOverhead: 0.5,
			Reception: collectives.CPU},
	}))(t)
	xor := func(mask int, post float64) source {
		return source{Peers: collectives.Xor(mask),
			Post: post}
	}
	want := collectives.Schedule{
		Ranks: 16,
		Rounds: []collectives.Round{
			needed(0, xor(1, 0)),
			needed(1, xor(2, 0), xor(3, 0.5)),
			needed(3, xor(4, 0), xor(5, 0.5), xor(6, 1)),
			needed(6, xor(8, 0), xor(9, 0.5), xor(10, 1)),
			spare(9, 1, xor(1, 0.5)),
			spare(10, 2, xor(2, 1)),
		},
		Checkpoints: []collectives.Checkpoint{{0, 4, everyone, 0, 0}, {1, 5, everyone, 1, 0.5},
			{2, 6, everyone, 2, 1}},
	}
	if diff := tests.Diff(want, got, cmpopts.IgnoreUnexported(collectives.Schedule{})); diff != "" {
		t.Errorf("schedule (-want +got):\n%s", diff)
	}
}

func TestButterflyBoundsT(t *testing.T) {
	for _, c := range []struct{ ranks, max, want int }{
		{1, collectives.AllExchanges, 0},
		{64, collectives.AllExchanges, 6},
		{64, 0, 0},
		{64, 4, 4},
		{64, 7, 6},
	} {
		s, err := collectives.Butterfly(collectives.Problem{
			Ranks: c.ranks, Redundancy: collectives.Redundancy{Max: c.max, Sources: 1},
		})
		if T := len(s.Checkpoints) - 1; err != nil || T != c.want {
			t.Errorf("%d ranks, at most %d exchanges: T up to %d (%v), want %d", c.ranks, c.max, T, err,
				c.want)
		}
	}
}

func TestButterflyRefuses(t *testing.T) {
	for _, c := range []struct {
		ranks, sources int
		refused        bool
	}{
		{3, 1, false}, {1 << 20, 1, false},
		{3, 2, true}, {7, 2, false}, {7, 3, true},
		{1, 1, false}, {1, 2, true},
		{2, 1, false}, {2, 2, true},
		{16, 8, false}, {16, 9, true},
		{16, 0, true}, {16, -1, true},
	} {
		t.Run(fmt.Sprintf("P=%d R=%d", c.ranks, c.sources), func(t *testing.T) {
			_, err := collectives.Butterfly(collectives.Problem{
				Ranks: c.ranks, Redundancy: collectives.Redundancy{Sources: c.sources},
			})
			if (err != nil) != c.refused {
				t.Errorf("error %v, want one: %t", err, c.refused)
			}
		})
	}
}

func TestRingBounds(t *testing.T) {
	for _, c := range []struct {
		ranks, segments int
		refused         bool
	}{
		{8, 0, false}, {8, 1, false}, {8, 1 << 15, false}, {8, 1<<15 + 1, true}, {8, math.MaxInt, true},
		{1 << 18, 1, false}, {1<<18 + 1, 1, true}, {1 << 18, 2, true}, {3, 87381, false},
		{3, 87382, true},
	} {
		t.Run(fmt.Sprintf("P=%d S=%d", c.ranks, c.segments), func(t *testing.T) {
			s, err := tests.Must(collectives.Find("ring"))(t).Schedule(collectives.Problem{
				Ranks: c.ranks, Segments: c.segments, Redundancy: collectives.Redundancy{Sources: 1},
			})
			if (err != nil) != c.refused {
				t.Errorf("error %v, want one: %t", err, c.refused)
			}
			for _, r := range s.Rounds {
				if want := max(0, c.segments-1); r.Lag != want {
					t.Fatalf("a round lags %d, want %d", r.Lag, want)
				}
			}
		})
	}
}
