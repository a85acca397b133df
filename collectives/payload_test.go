package collectives_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"jitterfly/collectives"
	"jitterfly/internal/tests"
	"jitterfly/internal/tests/models"
)

// Every algorithm is run on what it is for, the ring in pieces too. A payload says of every chunk
// of the vector how often each rank's contribution is in it, so that a sum that takes one twice
// shows.
func TestEveryRankGetsEveryContributionOnce(t *testing.T) {
	for _, algorithm := range allreduces() {
		for ranks := 1; ranks <= tests.Part(70, 34); ranks++ {
			for sources := 1; sources <= 4; sources++ {
				s, err := algorithm.Schedule(collectives.Problem{
					Ranks: ranks, Bytes: 8, Bandwidth: 1e9, MemoryBandwidth: 1e10,
					Redundancy: collectives.Redundancy{Max: collectives.AllExchanges, Sources: sources},
				})
				if sources == 1 && err != nil {
					t.Errorf("%s of %d ranks: %v", algorithm.Name, ranks, err)
				}
				if err != nil {
					continue
				}
				if powerOfTwo := ranks&(ranks-1) == 0; s.Idempotent &&
					(powerOfTwo || algorithm.Name != "dissemination") {
					t.Errorf("%s of %d ranks counts contributions twice", algorithm.Name, ranks)
				}
				t.Run(fmt.Sprintf("%s/P=%d/R=%d", algorithm.Name, ranks, sources), func(t *testing.T) {
					checkPayloads(t, &s)
				})
			}
		}
	}
	for ranks := 1; ranks <= tests.Part(70, 34); ranks++ {
		for segments := 2; segments <= 3; segments++ {
			t.Run(fmt.Sprintf("ring/P=%d/S=%d", ranks, segments), func(t *testing.T) {
				s := models.Schedule(t, "ring", collectives.Problem{
					Ranks: ranks, Bytes: 8, Bandwidth: 1e9, MemoryBandwidth: 1e10, Segments: segments,
					Redundancy: collectives.Redundancy{Sources: 1},
				})
				checkPayloads(t, &s)
			})
		}
	}
}

// allreduces are the algorithms of that operation.
func allreduces() []collectives.Algorithm {
	return slices.DeleteFunc(slices.Clone(collectives.Algorithms), func(a collectives.Algorithm) bool {
		return a.Operation != collectives.Allreduce
	})
}

// payload[chunk][rank] counts contributions.
type payload [][]int

// complete says whether every chunk has every contribution once, or with
// idempotent operations at least once.
func (p payload) complete(idempotent bool) bool {
	for _, chunk := range p {
		if slices.ContainsFunc(chunk, func(n int) bool { return n < 1 || n > 1 && !idempotent }) {
			return false
		}
	}
	return true
}

// Leaders on nodes of several sizes.
func TestLeadersCombineEveryContributionOnce(t *testing.T) {
	for nodes := 1; nodes <= 9; nodes++ {
		for size := 1; size <= 5; size++ {
			for leaders := 1; leaders <= size; leaders++ {
				for n := range 8 {
					p := collectives.Problem{
						Ranks: nodes * size, Bytes: 8, Bandwidth: 1e9, MemoryBandwidth: 1e10,
						Node:    collectives.Node{Ranks: size, Bandwidth: 1e10},
						Leaders: leaders, Share: n%2 == 0, Busy: n%4 < 2,
						Redundancy: collectives.Redundancy{Max: collectives.AllExchanges, Sources: 1 + n/4},
					}
					if p.Redundancy.Sources > 1 && nodes < 4 {
						continue
					}
					s := models.Schedule(t, "leaders", p)
					checkPayloads(t, &s)
					seen := map[int]bool{}
					for r := range p.Ranks {
						seen[s.At(r)] = true
					}
					if len(seen) != p.Ranks {
						t.Errorf("%d nodes of %d: %d ranks have places", nodes, size, len(seen))
					}
				}
			}
		}
	}
}

// carried returns the parts [lo, hi) of the vector, of that many, that the message of the n-th round to
// rank r has.
func carried(s *collectives.Schedule, n, chunks, r int) (lo, hi int) {
	round := &s.Rounds[n]
	each, from := int(math.Round(round.Bytes/8*float64(chunks))), round.Sources[0].Peers.From(r)
	switch {
	case each == chunks:
		return 0, chunks
	case round.Queue: // of the ring: first the sender's own, then the one before in each step
		segments := chunks / s.Ranks
		lo = (from-n/segments+2*s.Ranks)%s.Ranks*segments + n%segments
	case round.Wait == collectives.Combined:
		lo = r &^ (each - 1)
	default:
		lo = from &^ (each - 1)
	}
	return lo, lo + each
}

func checkPayloads(t *testing.T, s *collectives.Schedule) {
	chunks := 1
	for i := range s.Rounds {
		chunks = max(chunks, int(math.Round(8/s.Rounds[i].Bytes)))
	}
	held := make([]payload, s.Ranks)
	for r := range held {
		held[r] = make(payload, chunks)
		for c := range held[r] {
			held[r][c] = make([]int, s.Ranks)
			held[r][c][r] = 1
		}
	}
	var past [][]payload // held before this round and those that it lags
	for n, round := range s.Rounds {
		past = append(past, held)
		past = past[max(0, len(past)-1-round.Lag):]
		sent := past[0]
		next := slices.Clone(held)
		for r := round.Receivers.Lo; r < round.Receivers.Hi; r++ {
			lo, hi := carried(s, n, chunks, r)
			copied := sent[round.Sources[0].Peers.From(r)][lo:hi]
			if round.Every {
				next[r] = allOf(sent, round, r)
				continue
			}
			for m, source := range round.Sources {
				if other := sent[source.Peers.From(r)][lo:hi]; !slices.EqualFunc(other, copied, slices.Equal) {
					t.Fatalf("round %d: rank %d gets %v from source %d and %v from the first", n, r, other, m,
						copied)
				}
			}
			next[r] = slices.Clone(held[r])
			for i, chunk := range copied {
				switch round.Wait {
				case collectives.Combined:
					sum := slices.Clone(held[r][lo+i])
					for rank, times := range chunk {
						sum[rank] += times
					}
					next[r][lo+i] = sum
				case collectives.Delivered:
					next[r][lo+i] = chunk
				case collectives.Spare:
					if shared := slices.Equal(chunk, held[r][lo+i]); round.Medium == collectives.Memory && shared {
						continue // a partial result that it has too
					}
					if !(payload{chunk}).complete(s.Idempotent) {
						t.Fatalf("round %d: the spare copy for rank %d is %v", n, r, chunk)
					}
				}
			}
		}
		held = next
		if n+1 < s.Checkpoints[0].Rounds {
			continue
		}
		for r := range held {
			if !held[r].complete(s.Idempotent) {
				t.Fatalf("after round %d rank %d holds %v", n, r, held[r])
			}
		}
	}
}

// allOf is what a rank has that combines what all sources of a round have.
func allOf(sent []payload, round collectives.Round, r int) payload {
	sum := payload{make([]int, len(sent))}
	for _, source := range round.Sources {
		for rank, times := range sent[source.Peers.From(r)][0] {
			sum[0][rank] += times
		}
	}
	return sum
}

// Ranks are folded in pairs of neighbours, so that every partial result of the butterfly is of
// consecutive ranks of the program: lower op upper is right for operations that do not commute.
func TestButterflyReducesInTheOrderOfRanks(t *testing.T) {
	for ranks := 1; ranks <= 70; ranks++ {
		s := models.Schedule(t, "butterfly", collectives.Problem{
			Ranks: ranks, Bytes: 8, Bandwidth: 1e9, MemoryBandwidth: 1e10,
			Redundancy: collectives.Redundancy{Sources: 1},
		})
		type span struct{ from, to int }
		held, seen := make([]span, ranks), make([]bool, ranks)
		for r := range held {
			at := s.At(r)
			if seen[at] {
				t.Fatalf("of %d ranks two are rank %d", ranks, at)
			}
			seen[at], held[r] = true, span{at, at + 1}
		}
		for n, round := range s.Rounds {
			next := slices.Clone(held)
			for r := round.Receivers.Lo; r < round.Receivers.Hi; r++ {
				own, other := held[r], held[round.Sources[0].Peers.From(r)]
				switch {
				case round.Wait != collectives.Combined:
					next[r] = other
				case own.to == other.from:
					next[r] = span{own.from, other.to}
				case other.to == own.from:
					next[r] = span{other.from, own.to}
				default:
					t.Fatalf("%d ranks, round %d: %v and %v are not neighbours", ranks, n, own, other)
				}
			}
			held = next
		}
		for r, of := range held {
			if of != (span{0, ranks}) {
				t.Errorf("of %d ranks rank %d has %v", ranks, r, of)
			}
		}
	}
}

// With all redundant exchanges every rank is offered a copy of the result by
// every rank that has it in the first place, directly or through others; folded
// ranks are handed theirs and offer none.
func TestRedundancyReachesEverybody(t *testing.T) {
	for _, algorithm := range allreduces() {
		for ranks := 1; ranks <= 70; ranks++ {
			s := tests.Must(algorithm.Schedule(collectives.Problem{
				Ranks: ranks, Bytes: 8, Bandwidth: 1e9, MemoryBandwidth: 1e10,
				Redundancy: collectives.Redundancy{Max: collectives.AllExchanges, Sources: 1},
			}))(t)
			if algorithm.Name == "ring" {
				if len(s.Checkpoints) != 1 {
					t.Errorf("ring of %d ranks has redundancy", ranks)
				}
				continue
			}
			core := s.Checkpoints[0].Posters.Hi
			offered := make([]map[int]bool, ranks)
			for r := range offered {
				offered[r] = map[int]bool{r: true}
			}
			for _, round := range s.Rounds[s.Checkpoints[0].Rounds:] {
				next := make([]map[int]bool, ranks)
				for r := range next {
					next[r] = maps.Clone(offered[r])
					if round.Receivers.Lo <= r && r < round.Receivers.Hi {
						maps.Copy(next[r], offered[round.Sources[0].Peers.From(r)])
					}
				}
				offered = next
			}
			for r := range offered {
				for other := range core {
					if !offered[r][other] {
						t.Errorf("%s of %d ranks: rank %d is offered nothing by rank %d", algorithm.Name, ranks, r,
							other)
					}
				}
			}
		}
	}
}

func TestAlgorithmsAreDocumented(t *testing.T) {
	for _, a := range collectives.Algorithms {
		document := "../docs/model/core.md"
		switch {
		case slices.Contains([]string{"a2and", "a2at"}, a.Name) || a.Operation == collectives.Permute:
			document = "../docs/model/topologies.md" // it is for a network
		case a.Operation == collectives.AllToAll:
			document = "../docs/model/alltoalls.md"
		}
		tests.Documented(t, document, a.Name)
	}
}
