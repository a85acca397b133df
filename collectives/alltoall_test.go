package collectives_test

import (
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"jitterfly/collectives"
	"jitterfly/internal/tests"
	"jitterfly/internal/tests/models"
)

// toAll returns the problem of an all-to-all with perNode ranks on each node.
func toAll(ranks, perNode int) collectives.Problem {
	side := 1 // of the grid whose other side is no shorter
	for n := 1; n*n <= ranks; n++ {
		if ranks%n == 0 {
			side = n
		}
	}
	return collectives.Problem{
		Sides: []int{side, ranks / side},
		Ranks: ranks, Bytes: 1000, Latency: 1e-6, Bandwidth: 1e9, MemoryBandwidth: 1e10,
		Node:       collectives.Node{Ranks: perNode, Latency: 1e-7, Bandwidth: 1e10},
		Redundancy: collectives.Redundancy{Max: collectives.AllExchanges, Sources: 1},
	}
}

// Every all-to-all is run on the blocks themselves: who sends one has it, and at
// the end every rank has those that all others had for it. Messages are as long
// as the blocks they carry.
func TestEveryBlockArrives(t *testing.T) {
	for _, algorithm := range collectives.Algorithms {
		if algorithm.Operation != collectives.AllToAll {
			continue
		}
		for ranks := 1; ranks <= 70; ranks++ {
			for _, perNode := range []int{1, 2, 3, 8} {
				p := toAll(ranks, perNode)
				s, err := algorithm.Schedule(p)
				if err != nil {
					wrong := new(collectives.Invalid)
					if errors.As(err, &wrong) && wrong.Parameter == collectives.ParameterSides && perNode > 1 {
						continue
					}
					powerOfTwo, equal := bits.OnesCount(uint(ranks)) == 1, ranks%perNode == 0
					if algorithm.Name == "a2a-pairwise" && !powerOfTwo ||
						(algorithm.Name == "a2a-levels" || algorithm.Name == "a2a-sa") && !equal {
						continue
					}
					t.Errorf("%s of %d ranks, %d on a node: %v", algorithm.Name, ranks, perNode, err)
					continue
				}
				t.Run(fmt.Sprintf("%s/P=%d/n=%d", algorithm.Name, ranks, perNode), func(t *testing.T) {
					checkBlocks(t, algorithm.Name, &s, p)
				})
			}
		}
	}
}

// Of the blocks that a rank is sent, those for others need memory: of the ring, the 2-level ring
// and the hierarchical one none, of send-side aggregation and of Bruck's at most the buffer. What
// aggregation sends to another node is in one piece, so that the rank's own blocks are there too.
func TestBuffers(t *testing.T) {
	for _, name := range []string{"a2a-ring", "a2a-levels", "a2a-hierarchical", "a2a-sa", "a2a-bruck"} {
		for _, shape := range [][2]int{{24, 8}, {24, 1}, {8, 8}, {12, 4}} {
			p := toAll(shape[0], shape[1])
			a := tests.Must(collectives.Find(name))(t)
			s := tests.Must(a.Schedule(p))(t)
			passed := 0.0
			for _, round := range s.Rounds {
				for _, block := range blocksTo(name, p, round, 0) {
					if block.to != 0 {
						passed += p.Bytes
					}
				}
			}
			want := 0.0
			if nodes := shape[0] / shape[1]; name == "a2a-sa" && shape[1] > 1 {
				want = float64((nodes-1)*shape[1]) * p.Bytes
				passed += float64(nodes-1) * p.Bytes // its own
			} else if name == "a2a-bruck" {
				want = s.Buffer
			}
			if s.Buffer != want || passed > s.Buffer || name == "a2a-sa" && passed != s.Buffer ||
				name == "a2a-bruck" && (s.Buffer == 0 || s.Buffer > 2*float64(p.Ranks)*p.Bytes) {
				t.Errorf("%s of %v: %g B, want %g; it passes on %g B", name, shape, s.Buffer, want, passed)
			}
		}
	}
}

// A parcel is the block that one rank has for another.
type parcel struct{ from, to int }

// blocksTo returns the blocks that rank r is sent in a round.
func blocksTo(name string, p collectives.Problem, round collectives.Round, r int) (parcels []parcel) {
	for _, source := range round.Sources {
		from, size := source.Peers.From(r), p.Node.Ranks
		first := from - from%size // of its node
		switch by := (r - from + p.Ranks) % p.Ranks; {
		case name == "a2a-sa" && first == r-r%size: // for the same place of all nodes
			for to := r % size; to < p.Ranks; to += size {
				parcels = append(parcels, parcel{from, to})
			}
		case name == "a2a-sa": // of its node
			for origin := range size {
				parcels = append(parcels, parcel{first + origin, r})
			}
		case name == "a2a-bruck": // whose distance has the bit
			for distance := range p.Ranks {
				if origin := (from - distance&(by-1) + p.Ranks) % p.Ranks; distance&by != 0 {
					parcels = append(parcels, parcel{origin, (origin + distance) % p.Ranks})
				}
			}
		default:
			parcels = append(parcels, parcel{from, r})
		}
	}
	return parcels
}

func checkBlocks(t *testing.T, name string, s *collectives.Schedule, p collectives.Problem) {
	has := make([]map[parcel]bool, s.Ranks)
	for r := range has {
		has[r] = map[parcel]bool{}
		for to := range s.Ranks {
			has[r][parcel{r, to}] = true
		}
	}
	for n, round := range s.Rounds {
		if len(round.Sources) == 0 {
			continue
		}
		arrived := make([][]parcel, s.Ranks)
		for r := range has {
			parcels := blocksTo(name, p, round, r)
			if got, want := float64(len(parcels))*p.Bytes, round.Bytes*float64(len(round.Sources)); got != want {
				t.Fatalf("round %d: %g B of blocks in %g B of messages", n, got, want)
			}
			for i, block := range parcels {
				// With several sources, one block from each.
				sender := round.Sources[i%len(round.Sources)].Peers.From(r)
				if !has[sender][block] {
					t.Fatalf("round %d: rank %d sends %v to rank %d without having it", n, sender, block, r)
				}
			}
			arrived[r] = parcels
		}
		for r, parcels := range arrived {
			for _, block := range parcels {
				has[r][block] = true
			}
		}
	}
	for r := range has {
		for from := range s.Ranks {
			if !has[r][parcel{from, r}] {
				t.Fatalf("rank %d has not what rank %d had for it", r, from)
			}
		}
	}
}

// offsets are the places that the first node of a square sends to, each coordinate between minus
// and plus half the side.
func offsets(s collectives.Schedule, side int) [][2]int {
	var list [][2]int
	for _, r := range s.Rounds {
		to := r.Sources[0].Peers.To(0)
		at := [2]int{to % side, to / side}
		for d := range at {
			if at[d] > side/2 {
				at[d] -= side
			}
		}
		list = append(list, at)
	}
	return list
}

// Section 3.1 of Takaue et al. for a side of 5, written out, and section 2.2 for one of 3.
func TestAllToAllsOfGridsAreThePapers(t *testing.T) {
	p := toAll(25, 1)
	if diff := tests.Diff([][2]int{
		{1, 0}, {0, 1}, {-1, 0}, {0, -1}, {1, 1}, {-1, -1}, {1, -1}, {-1, 1},
		{2, 0}, {0, 2}, {-2, 0}, {0, -2}, {2, 2}, {-2, -2}, {2, -2}, {-2, 2},
		{2, 1}, {-1, -2}, {1, 2}, {-2, -1}, {2, -1}, {-1, 2}, {1, -2}, {-2, 1},
	}, offsets(models.Schedule(t, "a2at", p), 5)); diff != "" {
		t.Error(diff)
	}
	want := [][2]int{{0, 1}, {0, -1}, {1, 0}, {1, 1}, {1, -1}, {-1, 0}, {-1, 1}, {-1, -1}}
	if diff := tests.Diff(want, offsets(models.Schedule(t, "a2and", toAll(9, 1)), 3)); diff != "" {
		t.Error(diff)
	}
}

func TestRandomRingsAreRings(t *testing.T) {
	targets := collectives.RandomRing(20, rand.New(rand.NewPCG(1, 1)).Shuffle)
	steps := 1
	for at := targets[0]; at != 0; at = targets[at] {
		steps++
	}
	if steps != 20 {
		t.Errorf("the ring of rank 0 has %d ranks", steps)
	}
}

// A rank that is its own target sends nothing.
func TestPermutation(t *testing.T) {
	targets := tests.Must(collectives.ReadPermutation(strings.NewReader("# to whom\n 2\n1\n\n0"), 3))(t)
	p := toAll(3, 1)
	p.Targets, p.Messages = targets, 2
	s := models.Schedule(t, "permutation", p)
	if len(s.Rounds) != 2 || s.Messages(0) != 4 || s.Rounds[1].Sources[0].Peers.From(0) != 2 {
		t.Errorf("%d rounds, %g messages", len(s.Rounds), s.Messages(0))
	}
	p.Messages = 1<<20 + 1
	if _, err := collectives.Permutation(p); err == nil {
		t.Error("no error for more than a million messages")
	}
	for text, want := range map[string]string{
		"":           "the list has 0 of 3 ranks; write a line for each",
		"1\n2\n":     "the list has 2 of 3 ranks; write a line for each",
		"1\n3\n0":    `line 2: "3" is not a rank; write a number from 0 to 2`,
		"1\nx\n0":    `line 2: "x" is not a rank; write a number from 0 to 2`,
		"-1":         `line 1: "-1" is not a rank; write a number from 0 to 2`,
		"1\n#\n1\n0": "line 3: rank 1 occurs again, after line 1; write each once",
		"0\n1\n2\n0": "line 4: rank 0 occurs again, after line 1; write each once",
	} {
		tests.Fails(t, "^"+want+"$", text)(collectives.ReadPermutation(strings.NewReader(text), 3))
	}
}
