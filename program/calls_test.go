package program

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"jitterfly/internal/tests"
)

// write writes the files of writers to a new directory.
func write(t tests.Failer, dir string, writers ...*tests.CallWriter) string {
	for _, w := range writers {
		tests.NoError(t, w.Write(dir))
	}
	return dir
}

// collect returns the collectives of a recording.
func collect(t tests.Failer, r *Recording) (all []Instance, left int) {
	left = tests.Must(r.Each(func(x *Instance) error {
		y := *x
		y.Calls = append([]Call(nil), x.Calls...)
		all = append(all, y)
		return nil
	}))(t)
	return all, left
}

// What is written is read: times on clocks with offset and drift to a nanosecond, sites,
// communicators and computing times, whatever the blocks.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(1, 5).Draw(t, "size")
		n := rapid.IntRange(1, 12).Draw(t, "calls")
		per := rapid.IntRange(1, 5).Draw(t, "per block")
		dir := tests.Must(os.MkdirTemp("", "calls"))(t)
		defer func() { _ = os.RemoveAll(dir) }()
		entry := make([][]int64, size)
		for rank := range size {
			begin := rapid.Uint64Range(1<<40, 1<<50).Draw(t, "begin")
			offset := int64(1<<51) - int64(begin)
			if rank == 0 {
				offset = 0
				begin = 1 << 51
			}
			drift := rapid.Int64Range(-1000, 1000).Draw(t, "drift") * int64(min(rank, 1))
			length := uint64(1e9)
			w := tests.NewCallWriter(rank, size, fmt.Sprint("node", rank/2))
			w.Clock(begin, offset, 7)
			w.Site(1, "/bin/app", "solve", 0x10)
			w.Communicator(3, rank, 99, tests.WorldMembers(size))
			at := uint64(0)
			var events []tests.CallEvent
			for i := range n {
				at += rapid.Uint64Range(1, 1e6).Draw(t, "compute")
				entry[rank] = append(entry[rank], int64(at)+int64(math.Round(float64(drift)*float64(at)/float64(length))))
				e := tests.CallEvent{Entry: begin + at, Bytes: uint64(8 * i), Communicator: 3, Site: 1,
					Kind: uint8(Allreduce)}
				at += 50
				e.Exit = begin + at
				if events = append(events, e); len(events) == per || i == n-1 {
					w.Events(events...)
					events = nil
				}
			}
			w.Clock(begin+length, offset+drift, 9)
			w.End(0)
			write(t, dir, w)
		}
		r := tests.Must(Open(dir))(t)
		all, left := collect(t, r)
		if len(all) != n || left != 0 || r.Size != size {
			t.Fatalf("%d of %d collectives, %d calls left, of %d ranks", len(all), n, left, r.Size)
		}
		for i, x := range all {
			if x.Bytes != uint64(8*i) || x.Kind != Allreduce || len(x.Calls) != size ||
				x.Site.String() != "solve (app+0x10)" {
				t.Fatalf("%+v", x)
			}
			for rank, c := range x.Calls {
				if want := float64(entry[rank][i]) / 1e9; math.Abs(c.Entry-want) > 1e-12 {
					t.Fatalf("rank %d enters %d at %.12g, want %.12g", rank, i, c.Entry, want)
				}
				if i > 0 && math.Abs(c.Computed-(c.Entry-all[i-1].Calls[rank].Exit)) > 1e-12 ||
					i == 0 && !math.IsNaN(c.Computed) {
					t.Fatalf("rank %d computes %g before call %d", rank, c.Computed, i)
				}
			}
		}
		for rank, p := range r.Processes {
			if p.Host != fmt.Sprint("node", rank/2) || p.Damage != "" || p.ClockError != 9e-9 || p.End < 0.999 {
				t.Fatalf("rank %d: %+v", rank, p)
			}
		}
	})
}

// Starts of nonblocking collectives keep their kind, redundant ones are marked, and sites that are not
// known have no name. What the library took to write its file is not computing.
func TestKinds(t *testing.T) {
	w := tests.NewCallWriter(0, 1, "node")
	w.Clock(0, 0, 0)
	w.Site(1, "app", "_ZN3app5solveEv", 16)
	w.Communicator(0, 0, 1, tests.WorldMembers(1))
	w.Events(tests.CallEvent{Entry: 1000, Exit: 2000, Kind: uint8(Allreduce) | ruleBit})
	w.Events(tests.CallEvent{Entry: 5000, Exit: 6000, Kind: uint8(Allreduce | Started), Site: 1})
	w.Written(6010, 8010)
	w.Events(tests.CallEvent{Entry: 9000, Exit: 9100, Kind: uint8(Other | Started)})
	w.End(0)
	r := tests.Must(Open(write(t, t.TempDir(), w)))(t)
	all, left := collect(t, r)
	if len(all) != 3 || left != 0 {
		t.Fatalf("%d collectives, %d left", len(all), left)
	}
	for i, want := range []struct {
		kind     string
		rule     bool
		site     string
		computed float64
	}{
		{"allreduce", true, "unknown", math.NaN()}, {"start of allreduce", false, "app::solve (app+0x10)", 3e-6},
		{"start of other", false, "unknown", 1e-6},
	} {
		x := all[i]
		computed := x.Calls[0].Computed
		if x.Kind.String() != want.kind || x.Rule != want.rule || x.Site.String() != want.site ||
			x.Kind.Synchronizing() != (i == 0) || i > 0 && !(math.Abs(computed-want.computed) < 1e-12) {
			t.Errorf("%+v, want %+v", x, want)
		}
	}
}

// A communicator like an earlier one has its ranks; like none that is known it is damage.
func TestCopies(t *testing.T) {
	for like, want := range map[uint32]string{4: "", 5: "it is read up to byte"} {
		w := tests.NewCallWriter(0, 2, "node")
		w.Communicator(4, 0, 1, tests.WorldMembers(2))
		w.Copy(7, 0, 2, 2, like)
		w.Events(tests.CallEvent{Communicator: 7, Kind: uint8(Split)},
			tests.CallEvent{Communicator: 7, Kind: uint8(File)})
		w.End(0)
		r := tests.Must(Open(write(t, t.TempDir(), w)))(t)
		all, _ := collect(t, r)
		if damage := r.Processes[0].Damage; !strings.HasPrefix(damage, want) || (damage == "") != (want == "") {
			t.Errorf("like %d: %s", like, damage)
		}
		if want == "" && (len(all) != 2 || all[0].Kind.String() != "communicator" ||
			all[1].Kind.String() != "file" || !slices.Equal(all[0].Members, []int{0, 1})) {
			t.Errorf("%+v", all)
		}
	}
}

// Names of C++ functions without templates and operators are plain, and nothing else changes.
func TestNames(t *testing.T) {
	for symbol, want := range map[string]string{
		"_ZN9LAMMPS_NS6Thermo10lost_checkEv": "LAMMPS_NS::Thermo::lost_check", "_Z3sumPdi": "sum",
		"_ZNK4Grid4normEv": "Grid::norm", "_ZN4GridC1Ei": "Grid::Grid", "_ZN4GridD0Ev": "Grid::~Grid",
		"_ZN4GridIdE3sumEv": "_ZN4GridIdE3sumEv", "_ZN4GridplERKS_": "_ZN4GridplERKS_", "_Z99sum": "_Z99sum",
		"_ZN": "_ZN", "_Z": "_Z", "": "", "main": "main", "_Z99999999999999999999x": "_Z99999999999999999999x",
	} {
		if got := plainName(symbol); got != want {
			t.Errorf("%s: %s, want %s", symbol, got, want)
		}
	}
}

// recording returns the file of a rank that calls its communicators in turn.
func recording(rank, size, n int) *tests.CallWriter {
	w := tests.NewCallWriter(rank, size, "node")
	w.Clock(0, 0, 1)
	w.Communicator(0, rank, 1, tests.WorldMembers(size))
	half := []uint32{uint32(rank &^ 1), uint32(rank | 1)}
	w.Communicator(1, rank&1, 2, half)
	for i := range n {
		at := uint64(1000*i + 10*rank)
		w.Events(tests.CallEvent{Entry: at, Exit: at + 500, Bytes: 8, Communicator: uint32(i % 2),
			Kind: uint8(1 + i%8)})
	}
	w.End(3)
	return w
}

// A file that ends anywhere is read up to its last complete block, and the others with it as far as
// collectives are complete.
func TestTruncated(t *testing.T) {
	whole := recording(1, 4, 20).Bytes()
	for cut := 0; cut < len(whole); cut += 1 + cut%13 {
		dir := write(t, t.TempDir(), recording(0, 4, 20), recording(2, 4, 20), recording(3, 4, 20))
		name := filepath.Join(dir, "rank-000001.calls")
		tests.NoError(t, os.WriteFile(name, whole[:cut], 0o666))
		r, err := Open(dir)
		if err != nil {
			if cut >= 64 {
				t.Fatalf("cut at %d: %v", cut, err)
			}
			continue
		}
		all, left := collect(t, r)
		if r.Processes[1].Damage == "" {
			t.Fatalf("cut at %d is no damage", cut)
		}
		calls := left
		for _, x := range all {
			calls += len(x.Calls)
		}
		kept := calls - 3*20
		if kept < 0 || kept > 20 || cut > len(whole)-32 && (kept != 20 || left != 0) {
			t.Fatalf("cut at %d: %d calls, %d left", cut, calls, left)
		}
	}
}

// Missing ranks are left out of their collectives.
func TestMissingRank(t *testing.T) {
	r := tests.Must(Open(write(t, t.TempDir(),
		recording(0, 4, 20), recording(2, 4, 20), recording(3, 4, 20))))(t)
	all, left := collect(t, r)
	if len(all) != 10+20 || left != 0 || len(all[0].Calls) != 3 || r.Size != 4 {
		t.Errorf("%d collectives, %d calls left", len(all), left)
	}
	if r.Processes[3].Lost != 3 {
		t.Errorf("%+v", r.Processes[3])
	}
}

func TestErrors(t *testing.T) {
	for want, content := range map[string]string{
		"not a recording of MPI calls": "jfrecord",
		"recorded by another version":  "jfcalls1",
		"its header is incomplete":     magic,
		"no recording of MPI calls":    "",
	} {
		dir := t.TempDir()
		if content != "" {
			_ = os.WriteFile(filepath.Join(dir, "rank-000000.calls"), []byte(content), 0o666)
		}
		tests.Fails(t, want)(Open(dir))
	}
}

// Whatever a file has, reading it ends without a panic and with times that are numbers.
func FuzzRead(f *testing.F) {
	f.Add(recording(0, 2, 5).Bytes(), recording(1, 2, 5).Bytes())
	open := starts(2, [][]int{{0, 1}, {1, 0}}, func(int, int) bool { return false })
	f.Add(open[0].Bytes(), open[1].Bytes())
	f.Fuzz(func(t *testing.T, first, second []byte) {
		dir := t.TempDir()
		for i, content := range [][]byte{first, second} {
			_ = os.WriteFile(filepath.Join(dir, fmt.Sprintf("rank-%06d.calls", i)), content, 0o666)
		}
		read(t, dir)
		for i, content := range [][]byte{first, second} {
			content = slices.Clone(content)
			tests.SealCalls(content)
			_ = os.WriteFile(filepath.Join(dir, fmt.Sprintf("rank-%06d.calls", i)), content, 0o666)
		}
		read(t, dir)
	})
}

// read reads a recording of any content.
func read(t *testing.T, dir string) {
	r, err := Open(dir)
	if err != nil {
		return
	}
	if _, err := r.Each(func(x *Instance) error {
		if len(x.Calls) == 0 {
			t.Errorf("%+v", x)
		}
		for _, c := range x.Calls {
			if !(c.Exit >= c.Entry) || c.Computed < 0 || r.Processes[c.Rank] == nil {
				t.Errorf("%+v", c)
			}
		}
		return nil
	}); err != nil {
		t.Log(err)
	}
}

// A flipped bit anywhere leaves out the block that has it and what follows, and is named.
func TestFlippedBits(t *testing.T) {
	whole := recording(1, 4, 20).Bytes()
	for bit := 0; bit < 8*len(whole); bit += 1 + bit%211 {
		dir := write(t, t.TempDir(), recording(0, 4, 20), recording(2, 4, 20), recording(3, 4, 20))
		tests.NoError(t, os.WriteFile(filepath.Join(dir, "rank-000001.calls"), tests.Flipped(whole, bit), 0o666))
		r, err := Open(dir)
		if err != nil {
			if bit >= 8*64 {
				t.Fatalf("bit %d: %v", bit, err)
			}
			continue
		}
		if r.Processes[1].Damage == "" {
			t.Fatalf("bit %d of byte %d is not seen", bit%8, bit/8)
		}
		all, _ := collect(t, r)
		for _, x := range all {
			for _, c := range x.Calls {
				if c.Exit > 1 || c.Exit-c.Entry != 500e-9 && math.Abs(c.Exit-c.Entry-500e-9) > 1e-12 {
					t.Fatalf("bit %d: a call %+v", bit, c)
				}
			}
		}
	}
}

// What cannot be right though its checksum is: calls that end before they begin or before the run
// began, vectors beyond any memory, clocks that drift beyond their errors, and zeros.
func TestImpossible(t *testing.T) {
	event := tests.CallEvent{Entry: 1000, Exit: 2000, Bytes: 8, Kind: uint8(Allreduce)}
	for want, add := range map[string]func(*tests.CallWriter){
		"is not within the run": func(w *tests.CallWriter) {
			event := event
			event.Exit = 500
			w.Events(event)
		},
		"a vector of 1152921504606846976 bytes": func(w *tests.CallWriter) {
			event := event
			event.Bytes = 1 << 60
			w.Events(event)
		},
		"its clock changes by": func(w *tests.CallWriter) { w.Clock(1e9, 5e6, 1000) },
		"it has calls after":   func(w *tests.CallWriter) { w.Clock(1500, 0, 1000) },
		"cannot be right":      func(w *tests.CallWriter) { w.Clock(1500, 0, 1<<63) },
	} {
		w := tests.NewCallWriter(0, 1, "node")
		w.Clock(0, 0, 1000)
		w.Communicator(0, 0, 1, tests.WorldMembers(1))
		w.Events(event)
		add(w)
		w.End(0)
		r := tests.Must(Open(write(t, t.TempDir(), w)))(t)
		if got := r.Processes[0].Damage; !strings.Contains(got, want) {
			t.Errorf("%q, want %s", got, want)
		}
		if all, _ := collect(t, r); len(all) != 1 {
			t.Errorf("%s: %d calls are left", want, len(all))
		}
	}
}

// A file that ends in zeros, as a disk may leave it, is read no further, however long it is.
func TestZerosAtTheEnd(t *testing.T) {
	dir := write(t, t.TempDir(), recording(0, 1, 20))
	name := filepath.Join(dir, "rank-000000.calls")
	if err := os.Truncate(name, 1<<36); err != nil {
		t.Skip(err) // not on this file system
	}
	r := tests.Must(Open(dir))(t)
	if damage := r.Processes[0].Damage; !strings.Contains(damage, "a block has no type") {
		t.Error(damage)
	}
}

// A rank that leaves an allreduce before another enters it has a wrong clock.
func TestEarly(t *testing.T) {
	dir := t.TempDir()
	for rank := range 2 {
		w := tests.NewCallWriter(rank, 2, "node")
		w.Clock(0, int64(1000*rank), 100)
		w.Communicator(0, rank, 1, tests.WorldMembers(2))
		for i := range uint64(3) {
			at := 10000*i + 500*i*uint64(rank)
			w.Events(tests.CallEvent{Entry: at, Exit: at + 900, Bytes: 8, Kind: uint8(Allreduce)})
		}
		w.Clock(1e6, int64(1000*rank), 100)
		w.End(0)
		write(t, dir, w)
	}
	r := tests.Must(Open(dir))(t)
	// Rank 1 enters 1, 1.5 and 2 µs after rank 0, which leaves after 0.9.
	if collect(t, r); r.Early != 2 || math.Abs(r.Earliest-900e-9) > 1e-12 {
		t.Errorf("%d, by %g s", r.Early, r.Earliest)
	}
}

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
