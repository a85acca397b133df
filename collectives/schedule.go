// Package collectives holds collective operations as data, and the alpha-beta
// timeline that plays them under noise.
//
// An algorithm is a function from a [Problem] to a [Schedule]: a list of
// rounds, each saying whom every rank hears from, how many bytes cross, what
// the receiver computes, and whether it needs the copy or already has one. The
// [Timeline] plays any schedule and knows none of them, so a new algorithm is a
// new file with one function, and one row in [Algorithms].
package collectives

import "fmt"

// A Problem is one collective on one machine. All fields are in SI units.
type Problem struct {
	Ranks int
	// Bytes is the length of the vector that every rank contributes, or of the
	// block that every rank has for each other.
	Bytes float64

	Latency         float64 // α: seconds before the first byte of a message
	Bandwidth       float64 // 1/β: bytes per second on the wire
	MemoryBandwidth float64 // 1/γ: bytes per second combined into the result

	Node       Node
	Host       Host
	Redundancy Redundancy
	// Segments is in how many pieces [Ring] cuts each of its chunks; at 0 or 1
	// it sends them whole.
	Segments int
	// HoL has messages that block the heads of each other's lines at a switch
	// take longer: see [A2ARing].
	HoL bool
}

// Node says which ranks share a node, and what a message between two of them
// takes instead: it does not cross the network, nor meets noise there. Rank r is
// on node r / Ranks; the last node may have fewer.
type Node struct {
	Ranks     int     // on a node; at 0 or 1 every rank is alone
	Latency   float64 // seconds before the first byte of a message
	Bandwidth float64 // bytes per second
}

// Redundancy is how much more than necessary an algorithm exchanges, so that
// an early copy can stand in for a late one.
type Redundancy struct {
	// Max bounds T, the number of redundant exchanges; at AllExchanges the
	// algorithm's own structure is the bound.
	Max int
	// Sources is R: in how many places a rank asks for the same partial
	// result in one exchange of the algorithm proper; 1 is the paper's scheme.
	Sources int
	// SendOverhead is c, what posting one redundant copy costs its sender beyond
	// what any message costs it.
	SendOverhead float64
	// Reception says what the arrival of a redundant copy needs.
	Reception Reception
}

// AllExchanges lets the redundancy be as large as the algorithm can use.
const AllExchanges = -1

// Reception is what the arrival of a redundant copy needs of its receiver.
type Reception int

const (
	// Offload needs nothing: the network interface delivers (paper 003, 4.1.2 B).
	Offload Reception = iota
	// CPU needs the processor, so that a copy arriving in a detour waits for its
	// end.
	CPU
)

// Wire is α + βN, the undisturbed transit time of n bytes through the network, and what
// they stall.
func (p Problem) Wire(n float64) float64 { return p.Latency + n/p.Bandwidth + p.stall(n) }

// Wire is the transit time of n bytes between two ranks of a node.
func (node Node) Wire(n float64) float64 { return node.Latency + n/node.Bandwidth }

// Combine is γN, the time to combine n bytes into the local result.
func (p Problem) Combine(n float64) float64 { return n / p.MemoryBandwidth }

// A Schedule is a collective as data.
type Schedule struct {
	Ranks  int
	Rounds []Round
	// Chunks is how many parts the vector falls into, for [Round.Carries].
	Chunks int
	// Idempotent says that contributions may be combined more than once, so
	// that the operation must bear it: a maximum does, a sum does not.
	Idempotent bool
	// Results are the points at which the collective may be declared done,
	// one for each redundancy T = 0, 1, 2, …, each at least a round after
	// the one before. After the first all rounds bring spare copies to the
	// same ranks.
	Results []Result

	// Lag is the largest of its rounds'.
	Lag int

	exchanges int
}

// newSchedule returns one without rounds.
func newSchedule(ranks, chunks int) Schedule { return Schedule{Ranks: ranks, Chunks: chunks} }

// add appends a round of messages of its own.
func (s *Schedule) add(r Round) {
	r.Exchange = s.exchanges
	s.exchanges += len(r.Sources)
	s.Lag = max(s.Lag, r.Lag)
	s.Rounds = append(s.Rounds, r)
}

// again appends a round that sends the messages of an earlier one in its place,
// as of now: they meet the same delays.
func (s *Schedule) again(r Round) { s.Rounds = append(s.Rounds, r) }

// done appends a result: the collective may end here.
func (s *Schedule) done(posters Span, copies int, post float64) {
	s.Results = append(s.Results, Result{len(s.Rounds), posters, copies, post})
}

// Work is how many rank-rounds there are, those of several sources counted as
// often: what playing the schedule costs.
func (s *Schedule) Work() float64 {
	work := 0.0
	for _, r := range s.Rounds {
		work += float64(r.Receivers.Hi-r.Receivers.Lo) * float64(max(1, len(r.Sources)))
	}
	return work
}

// Messages is how many messages the collective sends at a redundancy of T.
func (s *Schedule) Messages(t int) float64 {
	messages, seen := 0.0, 0
	for _, r := range s.Rounds[:s.Results[t].Rounds] {
		if r.Exchange == seen { // else the messages of an earlier round
			messages += float64(r.Receivers.Hi-r.Receivers.Lo) * float64(len(r.Sources))
			seen += len(r.Sources)
		}
	}
	return messages
}

// A Result is the completion of the collective after its first Rounds rounds.
type Result struct {
	Rounds int
	// Each of the Posters still posts so many redundant Copies before the call
	// returns, for which it pays Post and what any message costs it.
	Posters Span
	Copies  int
	Post    float64
}

// A Round is one exchange. Each receiver takes the earliest of the copies that
// its sources send it, and goes on as Wait says; for the other ranks nothing
// changes. A round without sources is work of each rank's own.
type Round struct {
	Receivers Span
	Sources   []Source
	Bytes     float64 // length of each message
	// Slow is what the time of those bytes on the network is multiplied by; 0
	// is 1.
	Slow float64
	// Every has the receiver need the copies of all sources, the last of
	// which counts then. What they post is on one link after the other.
	Every bool
	Wait  Wait
	// Combine is the processor time that the receiver spends on what it
	// received, in rounds that combine.
	Combine float64
	// Reception is what the arrival itself needs, in rounds that do not.
	Reception Reception
	// Copies is, of a redundant exchange, how many of its redundant copies a rank
	// has posted with this one.
	Copies int
	// Lag pipelines a round of one source: its messages leave when their senders
	// have done all rounds but the last Lag before it, or have started. So there
	// can be several on the link to a rank, which then carries one at a time, for
	// as long as its bytes take.
	Lag int
	// Exchange numbers the first source's messages, and Exchange+m the m-th's:
	// messages of one number meet the same delays.
	Exchange int
	// Carries says which of the schedule's chunks, [lo, hi), the message to
	// rank r carries. Without it messages carry the whole vector. It does not
	// matter for time.
	Carries func(r int) (lo, hi int)
	// Blocks are those of an all-to-all that the message to rank r carries. It
	// does not matter for time.
	Blocks func(r int) []Parcel
}

// A Parcel is the block of an all-to-all that one rank has for another.
type Parcel struct{ From, To int }

// Transit returns the undisturbed time [s] of a message of the round on the network.
func (r *Round) Transit(p *Problem) float64 {
	if r.Slow == 0 {
		return p.Wire(r.Bytes)
	}
	return p.Latency + r.Bytes/p.Bandwidth*r.Slow + p.stall(r.Bytes)
}

// A Span is the ranks from Lo up to but without Hi.
type Span struct{ Lo, Hi int }

// A Source is one peer that every rank receives a copy from.
type Source struct {
	Peers Peers
	// Post is how long after the sender has the data the copy leaves.
	Post float64
}

// Wait says whether a rank needs what a round brings it.
type Wait int

const (
	// Combined lets the rank go on when it has both its own data and a copy,
	// and has combined them:
	//
	//	t'[r] = Finish_r(max(t[r], arrival), Combine)
	Combined Wait = iota
	// Delivered lets it go on when it has what it is sent, which it keeps as
	// it is:
	//
	//	t'[r] = max(t[r], arrival)
	Delivered
	// Spare brings a copy of what the rank is to have anyway, so the earlier
	// of the two counts:
	//
	//	t'[r] = min(t[r], arrival)
	Spare
)

// Peers say whom each rank receives from.
type Peers interface {
	// From is the rank that rank r receives from.
	From(r int) int
	// To is the rank that receives from rank r, if there is one.
	To(r int) int
	// Nodes says whether all messages stay inside nodes of n consecutive
	// ranks, or none does. It is some of them, or not known, if both are false.
	Nodes(n int) (inside, outside bool)
	// Gather sets dst[i] = clock[From(lo+i)] for every i. All of lo+i are receivers.
	Gather(dst, clock []float64, lo int)
}

// An Algorithm makes the schedule of a collective, or says why it cannot.
type Algorithm struct {
	Name      string
	Operation Operation
	Schedule  func(Problem) (Schedule, error)
}

// Operation is what a collective does.
type Operation string

const (
	// Allreduce combines the vectors of all ranks and gives all the result.
	Allreduce Operation = "allreduce"
	// AllToAll brings every rank the blocks that all others have for it.
	AllToAll Operation = "alltoall"
)

// Algorithms are all there are.
var Algorithms = []Algorithm{
	{"butterfly", Allreduce, Butterfly},
	{"dissemination", Allreduce, Dissemination},
	{"rabenseifner", Allreduce, Rabenseifner},
	{"ring", Allreduce, Ring},
	{"binomial", Allreduce, Binomial},
	{"a2a-ring", AllToAll, A2ARing},
	{"a2a-2level", AllToAll, A2ALevels},
	{"a2a-sa", AllToAll, A2ASendSide},
	{"a2a-pairwise", AllToAll, A2APairwise},
	{"a2a-spread", AllToAll, A2ASpread},
	{"a2a-bruck", AllToAll, A2ABruck},
}

// Find returns the algorithm of that name.
func Find(name string) (Algorithm, error) {
	for _, a := range Algorithms {
		if a.Name == name {
			return a, nil
		}
	}
	return Algorithm{}, fmt.Errorf("no collective is named %q", name)
}
