package program

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"jitterfly/datasets"
)

// A Kind is a kind of collective.
type Kind uint8

// The kinds of collectives, by their numbers in a recording. Other has all that are not named.
const (
	Allreduce Kind = iota + 1
	Barrier
	Reduce
	Bcast
	Allgather
	Alltoall
	ReduceScatter
	Other
	Neighbor // collectives of neighbourhoods
	Split    // what makes communicators
	Window   // what all ranks of a window call
	File     // what all ranks of a file call
)

var kindNames = [...]string{
	"other", "allreduce", "barrier", "reduce", "bcast", "allgather", "alltoall", "reduce_scatter", "other",
	"neighbor", "communicator", "window", "file",
}

// Started is added to the kind of a nonblocking or persistent collective for the call that starts it,
// and Completed for that which completes it, as MPI_Wait.
const (
	Completed Kind = 32
	Started   Kind = 64
)

// String returns the name of the kind as MPI has it.
func (k Kind) String() string {
	name := kindNames[k.known().Collective()]
	switch {
	case k&Started != 0:
		return "start of " + name
	case k&Completed != 0:
		return "end of " + name
	}
	return name
}

// Collective returns the kind of collective that a call calls, starts or completes.
func (k Kind) Collective() Kind { return k &^ (Started | Completed) }

// known returns a kind that has a name.
func (k Kind) known() Kind {
	if c := k.Collective(); c == 0 || c > File {
		return Other | k&(Started|Completed)
	}
	return k
}

// Synchronizing reports whether no rank can leave the collective before all have entered it.
func (k Kind) Synchronizing() bool {
	return k == Allreduce || k == Barrier || k == Allgather || k == Alltoall || k == ReduceScatter ||
		k == Split
}

// A Site is a place in the program that calls a collective.
type Site struct {
	Object  string // file name of the executable or shared object, empty if unknown
	Symbol  string // name of the function, empty if unknown
	Address uint64 // of the return, from the beginning of the object
}

// String returns the function, if it has a name, and the address in its object.
func (s Site) String() string {
	switch {
	case s.Object == "":
		return "unknown"
	case s.Symbol != "":
		return fmt.Sprintf("%s (%s+%#x)", s.Symbol, filepath.Base(s.Object), s.Address)
	}
	return fmt.Sprintf("%s+%#x", filepath.Base(s.Object), s.Address)
}

// A Process is what a recording says of one rank.
type Process struct {
	Host, Library string
	// NodeRanks is how many ranks its node has, and Processors how many processors they may use; 0 if
	// unknown.
	NodeRanks, Processors int
	// Begin and End are when its recording begins and ends [s], since the first of all began.
	Begin, End float64
	// Lost is how many calls its recording left out for lack of space.
	Lost uint64
	// ClockError is the half width [s] of what is known of its clock against rank 0's; NaN if
	// clocks were not compared.
	ClockError float64
	// Damage says what its file lacks, or what of it cannot be right; empty if it is whole.
	Damage string
}

// A Call is a rank's part of a collective.
type Call struct {
	Rank        int     // of MPI_COMM_WORLD
	Entry, Exit float64 // [s], since the recording began
	// Computed is the time [s] since the rank left the call before, without the time of writing the
	// recording; NaN of its first.
	Computed float64
}

// An Instance is a collective that all recorded ranks of a communicator have called together.
type Instance struct {
	Kind    Kind
	Bytes   uint64 // of one rank's vector, at the first rank
	Site    Site   // at the first rank
	Members []int  // ranks of MPI_COMM_WORLD by rank of the communicator, -1 where unknown
	Rule    bool   // taken by a rule, with redundancy
	// Started is when the last rank started what the calls complete [s].
	Started float64
	Calls   []Call // in the order of the communicator's ranks; valid during the call only
}

// A Recording is what ranks did. Only ranks whose file exists have a Process.
type Recording struct {
	Size          int // of MPI_COMM_WORLD
	Processes     map[int]*Process
	sources       []*source
	zero          int64 // [ns], of rank 0's clock
	communicators map[communicatorKey]*communicator
	// Early is how many collectives a rank leaves before another enters, by more than their clocks
	// may be wrong, and Earliest by how much more at most [s]. [Recording.Each] sets them.
	Early    int
	Earliest float64
}

// A source is the file of a rank.
type source struct {
	path     string
	rank     int
	ranks    int   // of the run
	end      int64 // of what is complete [bytes]
	process  Process
	clocks   []clock
	begin    int64          // [ns], of its clock, as is last
	last     int64          // the last exit
	members  map[uint64]own // by the file's name of the communicator
	sites    map[uint32]Site
	recorded bool // whether it has any call
}

// own is a communicator and the rank of the source in it.
type own struct {
	*communicator
	rank int
}

// A clock is what a rank's clock [ns] lacks to rank 0's at a time, give or take the error.
type clock struct{ at, offset, err int64 }

// A fileRecord is a call as a file has it.
type fileRecord struct {
	entry, exit  int64 // [ns], of the rank's clock
	bytes        uint64
	communicator uint64
	site         uint32
	kind         Kind
	rule         bool
	written      int64 // for how long the library wrote its file since the call before [ns]
}

var fileName = regexp.MustCompile(`^rank-(\d{6,9})\.calls$`)

// Open reads what the files in a directory say of ranks, call sites and communicators; [Recording.Each]
// reads the calls. Files of killed ranks may end anywhere. It fails if there is no recording, or if a
// file is not one.
func Open(dir string) (*Recording, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, datasets.FileError(dir, err)
	}
	r := &Recording{Processes: map[int]*Process{}, communicators: map[communicatorKey]*communicator{}}
	for _, e := range entries {
		match := fileName.FindStringSubmatch(e.Name())
		if match == nil {
			continue
		}
		rank, _ := strconv.Atoi(match[1]) // of at most nine digits
		r.sources = append(r.sources, &source{
			path: filepath.Join(dir, e.Name()), rank: rank,
			members: map[uint64]own{}, sites: map[uint32]Site{}, process: Process{ClockError: math.NaN()},
		})
	}
	if len(r.sources) > 0 {
		return r, r.scan()
	}
	return nil, fmt.Errorf("%s: no recording of MPI calls is there; JITTERFLY_MPI_RECORD=%s makes one", dir, dir)
}

// scan scans the sources and aligns what they say.
func (r *Recording) scan() error {
	slices.SortStableFunc(r.sources, func(a, b *source) int { return a.rank - b.rank })
	r.zero = math.MaxInt64
	for _, s := range r.sources {
		if r.Processes[s.rank] != nil {
			return fmt.Errorf("%s: rank %d has two files", s.path, s.rank)
		}
		r.Processes[s.rank] = &s.process
		if err := s.scan(r); err != nil {
			return fmt.Errorf("%s: %w", s.path, err)
		}
		if first := r.sources[0]; s.ranks != first.ranks {
			return fmt.Errorf("%s is of a run of %d ranks, and %s of one of %d; read each run by itself",
				s.path, s.ranks, filepath.Base(first.path), first.ranks)
		}
		r.Size = s.ranks
		if len(s.clocks) > 0 {
			s.checkClocks()
			s.begin, s.last = s.clocks[0].at, max(s.last, s.clocks[len(s.clocks)-1].at)
			s.process.ClockError = 0
			for _, c := range s.clocks {
				s.process.ClockError = max(s.process.ClockError, seconds(c.err))
			}
		}
		if s.recorded || len(s.clocks) > 0 {
			r.zero = min(r.zero, s.aligned(s.begin))
		}
	}
	for _, s := range r.sources {
		if s.recorded || len(s.clocks) > 0 {
			s.process.Begin, s.process.End = r.seconds(s, s.begin), r.seconds(s, s.last)
		}
	}
	return nil
}

// mostDrift is by how much a clock may run faster or slower than another: clocks are kept within
// 500 ppm.
const mostDrift = 1e-3

// checkClocks notes comparisons of clocks that do not fit each other, or the calls.
func (s *source) checkClocks() {
	a, b := s.clocks[0], s.clocks[len(s.clocks)-1]
	off := math.Abs(seconds(b.offset-a.offset)) - seconds(a.err) - seconds(b.err)
	switch {
	case s.process.Damage != "":
	case b.at < a.at || a.err < 0 || b.err < 0:
		s.process.Damage = "its comparisons of clocks cannot be right"
	case off > mostDrift*seconds(b.at-a.at):
		s.process.Damage = fmt.Sprintf("its clock changes by %.3g s against rank 0's, beyond the errors of the "+
			"comparisons; was a clock set during the run?", off)
	case len(s.clocks) > 1 && s.last > b.at:
		s.process.Damage = "it has calls after MPI_Finalize"
	}
}

// seconds returns a time of a source's clock [ns] in seconds since the recording began.
func (r *Recording) seconds(s *source, at int64) float64 { return seconds(s.aligned(at) - r.zero) }

func seconds(ns int64) float64 { return float64(ns) / 1e9 }

// aligned returns a time of the source's clock as rank 0's clock has it [ns]: offsets change evenly
// between comparisons.
func (s *source) aligned(at int64) int64 {
	if len(s.clocks) == 0 {
		return at
	}
	a, b := s.clocks[0], s.clocks[len(s.clocks)-1]
	if b.at <= a.at {
		return at + a.offset
	}
	drift := float64(b.offset-a.offset) / float64(b.at-a.at)
	return at + a.offset + int64(math.Round(drift*float64(at-a.at)))
}

// A communicatorKey distinguishes communicators of all ranks.
type communicatorKey struct {
	key     uint64
	members uint64 // a hash of them
}

// A communicator has ranks that call collectives together, and how far they are.
type communicator struct {
	members       []int  // as in [Instance]
	recorded      int    // members that are recorded
	started, last uint64 // how many collectives have started, and how many there can be, as a rank has ended
}

func (r *Recording) communicator(key uint64, members []int) *communicator {
	hash := uint64(14695981039346656037) // FNV-1a
	for _, m := range members {
		hash = (hash ^ uint64(m)) * 1099511628211
	}
	k := communicatorKey{key, hash}
	if r.communicators[k] == nil {
		r.communicators[k] = &communicator{members: members}
	}
	return r.communicators[k]
}
