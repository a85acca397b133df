package calls

import (
	"bufio"
	"errors"
	"math"
	"strconv"
	"strings"
)

// liballprof, the tracer of LogGOPSim (T. Hoefler, T. Schneider, A. Lumsdaine, HPDC 2010), writes a
// line for each MPI call: its name, the time of its begin, its arguments and the time of its end, with
// colons between them, times in microseconds. A datatype is its number, size and extent, a communicator
// a handle, the rank in it and its size. Lines that begin with # are comments; two of them say what to
// add to the rank's clock [µs] to get the clock of rank 0.
const (
	allprofMark  = "PMPI Tracer"
	allprofHost  = "# hostname: "
	clockAtStart = "# clockdiff: "
	clockAtEnd   = "# Finalize clockdiff: "
)

// allprofCalls are the collectives by their names, with the field that is the count of elements; 0 if
// it has no count. The datatype follows it.
var allprofCalls = map[string]struct {
	kind  Kind
	count int
}{
	"MPI_Allreduce": {Allreduce, 4}, "MPI_Barrier": {Barrier, 0}, "MPI_Reduce": {Reduce, 4},
	"MPI_Bcast": {Bcast, 3}, "MPI_Allgather": {Allgather, 3}, "MPI_Allgatherv": {Allgather, 3},
	"MPI_Alltoall": {Alltoall, 3}, "MPI_Alltoallv": {Alltoall, 0}, "MPI_Reduce_scatter": {ReduceScatter, 0},
	"MPI_Gather": {Other, 3}, "MPI_Scatter": {Other, 3},
	"MPI_Gatherv": {Other, 3}, "MPI_Scatterv": {Other, 0}, "MPI_Scan": {Other, 4}, "MPI_Exscan": {Other, 4},
}

// A traced line is a call of a trace of liballprof.
type traced struct {
	record
	rank, size int // in the communicator
}

// parseCall returns the collective of a line. It returns false of other calls, and of lines that are
// damaged.
func parseCall(line string) (traced, bool) {
	fields := strings.Split(line, ":")
	call, ok := allprofCalls[fields[0]]
	n := len(fields)
	if !ok || n < 4 || call.count > n-3 {
		return traced{}, false
	}
	t := traced{record: record{kind: call.kind}}
	bad := false
	number := func(text string) int64 {
		text, _, _ = strings.Cut(strings.TrimSpace(text), ".")
		v, err := strconv.ParseInt(text, 10, 64)
		bad = bad || err != nil || v < 0
		return v
	}
	micros := func(text string) int64 {
		v := number(text)
		bad = bad || v > 1<<53
		return v * 1000
	}
	t.entry, t.exit = micros(fields[1]), micros(fields[n-1])
	place := strings.Split(fields[n-2], ",")
	if len(place) != 3 {
		return t, false
	}
	t.communicator = uint64(number(place[0]))
	t.rank, t.size = int(number(place[1])), int(number(place[2]))
	if call.count > 0 {
		if size := strings.Split(fields[call.count+1], ","); len(size) == 3 {
			t.bytes = uint64(number(fields[call.count])) * uint64(number(size[1]))
		}
	}
	return t, !bad
}

// scanAllprof reads the comments and the communicators. Of one that does not have all ranks the trace
// does not say which it has: it is the rank's own.
func scanAllprof(r *Recording, s *source) error {
	lines := openAllprof(s, 1<<16).(*allprof)
	var h allprofHead
	var all []uint64 // communicators of all ranks, in the order of their first calls
	ended := false
	for line, ok := lines.line(); ok; line, ok = lines.line() {
		if strings.HasPrefix(line, "#") {
			h.comment(s, line)
			continue
		}
		if !h.marked {
			break
		}
		ended = ended || strings.HasPrefix(line, "MPI_Finalize:")
		t, ok := parseCall(line)
		if !ok {
			continue
		}
		if !s.recorded {
			s.begin, s.recorded = t.entry, true
			s.clocks = append(s.clocks, clock{at: t.entry, offset: h.offset})
		}
		s.last = t.exit
		s.meet(r, t, &all)
	}
	if !h.marked {
		return errors.New("not a trace of liballprof")
	}
	if !ended {
		s.process.Damage = "it ends before MPI_Finalize"
	}
	s.sites[0] = r.site(Site{})
	return nil
}

// An allprofHead is what comments say before the first call.
type allprofHead struct {
	marked bool
	offset int64 // of the clock [ns]
}

// comment reads a line that is not a call.
func (h *allprofHead) comment(s *source, line string) {
	h.marked = h.marked || strings.Contains(line, allprofMark)
	if host, ok := strings.CutPrefix(line, allprofHost); ok {
		s.process.Host = strings.TrimSuffix(strings.TrimSuffix(host, ".(none)"), ".")
	}
	if text, ok := strings.CutPrefix(line, clockAtStart); ok {
		h.offset = nanoseconds(text)
	}
	if text, ok := strings.CutPrefix(line, clockAtEnd); ok && s.recorded {
		s.clocks = append(s.clocks, clock{at: s.last, offset: nanoseconds(text)})
	}
}

// nanoseconds returns the first number of a text, which is in microseconds, or 0 if it has no number.
func nanoseconds(text string) int64 {
	value, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	v, err := strconv.ParseFloat(value, 64)
	if err != nil || !(math.Abs(v) < 1e15) {
		return 0
	}
	return int64(math.Round(1000 * v))
}

// meet notes the communicator of a call.
func (s *source) meet(r *Recording, t traced, all *[]uint64) {
	if _, ok := s.members[t.communicator]; ok {
		return
	}
	if t.size != r.Size || t.rank != s.rank || r.Size != len(r.sources) {
		key := 1<<63 | uint64(s.rank)<<32 | uint64(len(s.members))
		s.members[t.communicator] = own{r.communicator(key, []int{s.rank}), 0}
		i := s.members[t.communicator].communicator
		r.Communicators[i].Size = max(1, t.size)
		return
	}
	members := make([]int, r.Size)
	for i := range members {
		members[i] = i
	}
	*all = append(*all, t.communicator)
	s.members[t.communicator] = own{r.communicator(uint64(len(*all)), members), s.rank}
}

// allprof is the stream of a trace of liballprof.
type allprof struct{ *bufio.Reader }

func openAllprof(s *source, buffer int) stream {
	return &allprof{bufio.NewReaderSize(&piece{path: s.path, end: math.MaxInt64}, buffer)}
}

// line returns the next line, without what exceeds the buffer.
func (a *allprof) line() (string, bool) {
	line, long, err := a.ReadLine()
	text := string(line)
	for long && err == nil {
		_, long, err = a.ReadLine()
	}
	return text, err == nil
}

func (a *allprof) next() (record, bool) {
	for line, ok := a.line(); ok; line, ok = a.line() {
		if t, ok := parseCall(line); ok {
			return t.record, true
		}
	}
	return record{}, false
}
