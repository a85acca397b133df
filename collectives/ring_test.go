package collectives_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"jitterfly/collectives"
	"jitterfly/internal/tests"
)

// The ring is P−1 steps that combine and P−1 that deliver, each of S rounds, outlined by one round
// for each half.
func TestRingSchedule(t *testing.T) {
	ring := tests.Must(collectives.Find("ring"))(t)
	for _, ranks := range []int{1, 2, 3, 5, 16} {
		for _, segments := range []int{0, 1, 2, 3} {
			p := collectives.Problem{
				Ranks: ranks, Bytes: 7, Bandwidth: 1, MemoryBandwidth: 3, Segments: segments,
				Redundancy: collectives.Redundancy{Sources: 1, Reception: collectives.NIC},
			}
			S, everyone := max(1, segments), collectives.Span{Lo: 0, Hi: ranks}
			half, n := (ranks-1)*S, 7/float64(ranks*S)
			want := collectives.Schedule{
				Ranks: ranks, Checkpoints: []collectives.Checkpoint{{Rounds: 2 * half, Posters: everyone}},
			}
			for i := range 2 * half {
				r := collectives.Round{
					Receivers: everyone, Bytes: n, Lag: S - 1, Queue: true, Exchange: i,
					Sources: []collectives.Sender{{Peers: collectives.Rotation{By: 1, Ranks: ranks}}},
				}
				if r.Wait, r.Combine = collectives.Combined, n/3; i >= half {
					r.Wait, r.Combine, r.Reception = collectives.Delivered, 0, collectives.NIC
				}
				want.Rounds, want.Lag, want.Queue = append(want.Rounds, r), S-1, true
			}
			outline, got := tests.Must(ring.Outline(p))(t), tests.Must(ring.Schedule(p))(t)
			diff := tests.Diff(want, got, cmpopts.IgnoreUnexported(want), cmpopts.EquateEmpty())
			if diff != "" {
				t.Errorf("%d ranks, %d segments: schedule (-want +got):\n%s", ranks, segments, diff)
			}
			if n := len(outline.Rounds); n > 2 || outline.Length() != len(want.Rounds) {
				t.Errorf("%d ranks, %d segments: %d rounds stand for %d",
					ranks, segments, n, outline.Length())
			}
			if outline.Work() != got.Work() || outline.Messages(0) != got.Messages(0) {
				t.Errorf("%d ranks, %d segments: a work of %g with %g messages, want %g with %g",
					ranks, segments, outline.Work(), outline.Messages(0), got.Work(), got.Messages(0))
			}
		}
	}
}

// Messages of all sources are numbered through the repetitions, and checkpoints count these.
func TestExpand(t *testing.T) {
	outline := collectives.Schedule{
		Rounds: []collectives.Round{
			{Sources: make([]collectives.Sender, 2), Repeats: 2, Bytes: 1},
			{Sources: make([]collectives.Sender, 1), Exchange: 6, Bytes: 2},
			{
				Sources: make([]collectives.Sender, 3), Exchange: 7, Medium: collectives.Memory,
				Repeats: 1, Bytes: 3,
			},
		},
		Checkpoints: []collectives.Checkpoint{{Rounds: 1}, {T: 1, Rounds: 3}},
	}
	kept := slices.Clone(outline.Checkpoints)
	var exchanges []int
	got := outline.Expand()
	for _, r := range got.Rounds {
		exchanges = append(exchanges, r.Exchange)
	}
	if want := []int{0, 2, 4, 6, 7, 8}; !slices.Equal(exchanges, want) {
		t.Errorf("exchanges %v, want %v", exchanges, want)
	}
	ends := []collectives.Checkpoint{{Rounds: 3}, {T: 1, Rounds: 6}}
	if !slices.Equal(got.Checkpoints, ends) {
		t.Errorf("checkpoints %+v, want %+v", got.Checkpoints, ends)
	}
	if !slices.Equal(outline.Checkpoints, kept) {
		t.Errorf("the outline's checkpoints have become %+v", outline.Checkpoints)
	}
}
