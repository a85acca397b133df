package rounds

import (
	"testing"

	"jitterfly/collectives"
	"jitterfly/internal/vector"
	"pgregory.net/rapid"
)

// TestAlike finds the spans of ranks with the same answer, whether answers are kept or asked for.
func TestAlike(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		answers := rapid.SliceOfN(rapid.Bool(), 1, 200).Draw(t, "answers")
		if rapid.Bool().Draw(t, "all") {
			for i := range answers {
				answers[i] = answers[0]
			}
		}
		kept := vector.NewBitmask(len(answers))
		for i, answer := range answers {
			if answer {
				kept.Add(i)
			}
		}
		lo := rapid.IntRange(0, len(answers)-1).Draw(t, "lo")
		span := collectives.Span{Lo: lo, Hi: rapid.IntRange(lo, len(answers)).Draw(t, "hi")}
		for _, kept := range []vector.Bitmask{kept, nil} {
			next, last := span.Lo, false
			alike(kept, func(rank int) bool { return answers[rank] }, span, func(part collectives.Span, answer bool) {
				if part.Lo != next || part.Hi <= part.Lo || part.Lo > span.Lo && answer == last {
					t.Fatalf("span %v (%v) after %d", part, answer, next)
				}
				for rank := part.Lo; rank < part.Hi; rank++ {
					if answers[rank] != answer {
						t.Fatalf("rank %d of %v is not %v", rank, part, answer)
					}
				}
				next, last = part.Hi, answer
			})
			if next != span.Hi {
				t.Fatalf("spans end at %d of %v", next, span)
			}
		}
	})
}
