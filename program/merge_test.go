package program

import (
	"math"
	"os"
	"testing"

	"pgregory.net/rapid"

	"jitterfly/internal/tests"
)

// starts returns the files of ranks that start n allreduces, of 8 bytes more each, and then complete them
// in orders of their own: rank r starts number i at 1000 i + r and completes it at order[r][i] after all,
// unless never has it.
func starts(n int, order [][]int, never func(rank, number int) bool) (writers []*tests.CallWriter) {
	for rank := range order {
		w := tests.NewCallWriter(rank, len(order), "node")
		w.Clock(0, 0, 0)
		w.Communicator(0, rank, 1, tests.WorldMembers(len(order)))
		for i := range n {
			at := uint64(1000*i + rank)
			w.Events(tests.CallEvent{Entry: at, Exit: at + 1, Bytes: uint64(8 * i), Kind: uint8(Allreduce | Started)})
		}
		for place, number := range order[rank] {
			at := uint64(1000*n + 100*place)
			if !never(rank, number) {
				w.Events(tests.CallEvent{Entry: at, Exit: at + 70, Bytes: uint64(number),
					Kind: uint8(Allreduce | Completed)})
			}
		}
		w.End(0)
		writers = append(writers, w)
	}
	return writers
}

// Calls that complete a collective belong together in whatever order ranks complete several, and whether
// or not others are known to be complete.
func TestCompletion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size, n := rapid.IntRange(1, 4).Draw(t, "size"), rapid.IntRange(1, 8).Draw(t, "n")
		var order [][]int
		for range size {
			numbers := make([]int, n)
			for i := range numbers {
				numbers[i] = i
			}
			order = append(order, rapid.Permutation(numbers).Draw(t, "order"))
		}
		missing := map[[2]int]bool{}
		for range rapid.IntRange(0, 3).Draw(t, "missing") {
			missing[[2]int{rapid.IntRange(0, size-1).Draw(t, "rank"), rapid.IntRange(0, n-1).Draw(t, "number")}] = true
		}
		dir := tests.Must(os.MkdirTemp("", "calls"))(t)
		defer func() { _ = os.RemoveAll(dir) }()
		r := tests.Must(Open(write(t, dir, starts(n, order, func(rank, number int) bool {
			return missing[[2]int{rank, number}]
		})...)))(t)
		all, left := collect(t, r)
		partly := map[int]int{}
		for at := range missing {
			partly[at[1]]++
		}
		wantLeft, ends := 0, map[uint64]bool{}
		for _, some := range partly {
			wantLeft += size - some
		}
		for _, x := range all {
			if x.Kind == Allreduce|Started {
				continue
			}
			number := int(x.Bytes) / 8
			if x.Kind != Allreduce|Completed || ends[x.Bytes] || partly[number] > 0 || len(x.Calls) != size ||
				math.Abs(x.Started-float64(1000*number+size-1)/1e9) > 1e-15 {
				t.Fatalf("%+v", x)
			}
			ends[x.Bytes] = true
			for rank, c := range x.Calls {
				place := 0
				for order[rank][place] != number {
					place++
				}
				if c.Rank != rank || math.Abs(c.Entry-float64(1000*n+100*place)/1e9) > 1e-15 {
					t.Fatalf("rank %d completes %d: %+v", rank, number, c)
				}
			}
		}
		if len(ends) != n-len(partly) || left != wantLeft {
			t.Fatalf("%d of %d are complete, %d calls left, want %d", len(ends), n-len(partly), left, wantLeft)
		}
	})
}

// What has been open for long is given up, so that memory has an end.
func TestNeverComplete(t *testing.T) {
	n := 3 * mostOpen
	order := [][]int{{n - 1, 0}, {n - 1, 0}}
	r := tests.Must(Open(write(t, t.TempDir(), starts(n, order, func(int, int) bool { return false })...)))(t)
	all, left := collect(t, r)
	if len(all) != n+1 || all[n].Bytes != uint64(8*(n-1)) || left != 2 {
		t.Errorf("%d collectives, %d left", len(all), left)
	}
}
