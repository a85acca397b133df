package collectives

import (
	"bytes"
	"math"
	"math/bits"

	"jitterfly/internal/vector"
)

// Rounds at once.
//
// Where noise is rare, most ranks go through several rounds untouched, and the rounds of a
// sweep are played up to three at a time in registers ([vector.Rounds]): that leaves out
// loads, stores and calls. Two kinds of ranks it does not suit, and they are marked: receivers of
// messages that the network holds, which are known before, and those whom a detour strikes,
// which is seen by the end of the gap that they compute in. They and those who hear from them
// in these rounds, a column of up to 64 ranks, are played again with what strikes them. What meets a
// detour that is not known yet is left to be played round by round.

// GapDetours know the gaps between detours. They remember where a trial has led each rank, and are
// drawn again before another one.
type GapDetours interface {
	Detours
	// Untouched says that none of the n ranks from lo has been in a detour or is in one up to a time, if it
	// knows at little cost.
	Untouched(lo, n int, upto float64) bool
	// Gaps returns the gaps of all ranks, of which those of the n from lo, of one block, count.
	// They may work up to a time: of a later one less need be known.
	Gaps(lo, n int, upto float64) vector.Gaps
}

// A pass is some rounds of a sweep at once.
type pass struct {
	from   int // the first
	rounds vector.Rounds
	wire   [3]float64
	spare  bool
	across int // bits of the masks in which blocks differ
}

// to is the round after the last.
func (p *pass) to() int { return p.from + p.rounds.N }

// atOnce is what a timeline needs for rounds at once.
type atOnce struct {
	passes  []pass
	marks   []byte // of the chunks of a block
	delays  vector.Delays
	delayed []*float64 // those that are not 0
	hold    heldIn
	note    func(i int, delay float64)
	// Of rounds in which ranks wait for messages, and in which they may do without.
	proper, spare balance
}

// heldIn is of which round of a pass, and how far from its first block, messages are that are told of.
type heldIn struct {
	pass          *pass
	round, offset int
}

// A balance is what rounds at once have saved in a trial and what marked columns have cost, in
// messages one round after the other.
type balance struct{ saved, cost int }

// crowded says that so many columns were marked that one round after the other is better.
func (b *balance) crowded() bool { return b.cost > b.saved+512 }

// add adds messages, and how many columns of so many of them were marked. At once a message
// costs a third less, and a marked column as much as its messages and 64 more.
func (b *balance) add(messages, marked, column int) {
	b.saved += messages / 3
	b.cost += marked * (64 + column)
}

// balance is the one that a pass counts in.
func (a *atOnce) balance(p *pass) *balance {
	if p.spare {
		return &a.spare
	}
	return &a.proper
}

// passesOf are the passes of a sweep, none if its rounds are not for passes.
func (t *Timeline) passesOf(w *sweep) []pass {
	a := &t.sweeping.atOnce
	a.passes = a.passes[:0]
	if w.rare == nil || w.gaps == nil || w.ranks < vector.Chunk || !vector.AtOnce() {
		return nil
	}
	for n := w.from; n < w.to; n++ {
		round := &w.Rounds[n]
		wire, spare := round.wire(w.problem), round.Wait == Spare
		mask := w.single(n)
		if mask == 0 || !w.rare.Rare(wire) {
			return nil
		}
		last := len(a.passes) - 1
		if last < 0 || !a.passes[last].takes(mask, spare) {
			a.passes = append(a.passes, pass{from: n, spare: spare})
			last++
		}
		p := &a.passes[last]
		p.rounds.Mask[p.rounds.N], p.rounds.By[p.rounds.N], p.rounds.Work[p.rounds.N] = mask, round.Sources[0].Post+wire, round.Combine
		p.wire[p.rounds.N] = wire
		p.rounds.N++
		p.across |= mask &^ (Block - 1)
	}
	if a.note == nil {
		a.note = a.holds
		a.marks = make([]byte, Block/vector.Chunk)
		a.delays = vector.NewDelays(Block)
	}
	return a.passes
}

// single is the one dimension that a round crosses if it is for a pass, and 0 if it is not.
func (w *sweep) single(n int) int {
	round := &w.Rounds[n]
	proper := round.Wait == Combined && n < w.Results[0].Rounds
	if !proper && round.Wait != Spare || !round.plain(w.problem) {
		return 0
	}
	mask := int(round.Sources[0].Peers.(Xor))
	if mask&(mask-1) != 0 {
		return 0
	}
	return mask
}

// takes says whether one more round, across a mask, goes with the others.
func (p *pass) takes(mask int, spare bool) bool {
	all := 0
	for _, m := range p.rounds.Mask[:p.rounds.N] {
		all |= m
	}
	return p.rounds.N < len(p.rounds.Mask) && spare == p.spare && (mask < vector.Chunk) == (all < vector.Chunk) && all&mask == 0
}

// playPasses plays the passes of a sweep on the tile of the block at base: those inside blocks
// one after the other as long as the block is in the first-level cache.
func (t *Timeline) playPasses(w *sweep, passes []pass, base int) {
	for from, to := 0, 0; from < len(passes); from = to {
		across := passes[from].across
		to = from + 1
		for to < len(passes) && across == 0 && passes[to].across == 0 {
			to++
		}
		for block := range within(w.across &^ across) {
			for i := range passes[from:to] {
				t.playPass(w, &passes[from+i], base+block)
			}
		}
	}
}

// playPass plays a pass on the block at lo and those across its bits.
func (t *Timeline) playPass(w *sweep, p *pass, lo int) {
	a, size := &t.sweeping.atOnce, min(Block, w.ranks)
	if t.playAlike(w, p.from, p.to(), lo, p.across) {
		t.joinAlike(w, p, lo)
		return
	}
	if a.balance(p).crowded() {
		t.playApart(w, p, lo)
		return
	}
	for o := range within(p.across) {
		t.sweeping.write(w.clock, lo+o)
	}
	far := math.Inf(-1) // when the last of them is where it is
	if !p.spare {
		for o := range within(p.across) {
			far = max(far, t.farthest(w, lo+o))
		}
	}
	t.hold(w, p, lo, size)
	least, most := t.playColumns(w, p, lo, 0, size, far)
	t.release()
	if w.results && p.spare {
		for n := range p.rounds.N {
			t.sweeping.extents[p.from+n-w.from].join(extent{least, most[n]})
		}
	} else if w.results && p.to() == w.Results[0].Rounds {
		t.sweeping.extents[p.to()-1-w.from].join(extent{least, most[0]})
	}
	last := most[0]
	if p.spare {
		last = most[p.rounds.N-1]
	}
	for o := range within(p.across) {
		t.sweeping.blocks[(lo+o)/Block] = extent{math.Inf(-1), last}
	}
}

// joinAlike has extents after a pass be of the blocks at lo and across, whose ranks are alike.
func (t *Timeline) joinAlike(w *sweep, p *pass, lo int) {
	if !w.results {
		return
	}
	for n := p.from; n < p.to(); n++ {
		if p.spare || n+1 == w.Results[0].Rounds {
			for o := range within(p.across) {
				t.sweeping.extents[n-w.from].join(t.sweeping.blocks[(lo+o)/Block])
			}
		}
	}
}

// playApart plays the rounds of a pass one by one.
func (t *Timeline) playApart(w *sweep, p *pass, lo int) {
	for n := p.from; n < p.to(); n++ {
		across := p.rounds.Mask[n-p.from] &^ (Block - 1)
		for o := range within(p.across) {
			if other := o ^ across; other >= o {
				t.meet(w, n, lo+o, lo+other)
			}
		}
	}
}

// hold marks the columns of whom the network holds messages, in the blocks of the size at lo and across.
func (t *Timeline) hold(w *sweep, p *pass, lo, size int) {
	a := &t.sweeping.atOnce
	clear(a.marks[:size/vector.Chunk])
	for n := range p.rounds.N {
		exchange := w.Rounds[p.from+n].Exchange
		for o := range within(p.across) {
			a.hold = heldIn{p, n, o}
			w.rare.Held(exchange, lo+o, size, p.wire[n], a.note)
		}
	}
}

// holds notes that the message to the i-th of a block is held.
func (a *atOnce) holds(i int, delay float64) {
	r := &a.hold.pass.rounds
	at := a.hold.offset | i
	row := r.Row(at)
	c := at &^ r.Offset(row) & (Block - 1)
	a.marks[c/vector.Chunk] = vector.HeldMark
	late := &a.delays.Of[a.delays.At(a.hold.round, row, c)]
	*late = delay
	a.delayed = append(a.delayed, late)
}

// late are the delays of the messages to a chunk of row j, from index c on, in round n.
func (a *atOnce) late(n, j, c int) []float64 {
	return a.delays.Of[a.delays.At(n, j, c):][:vector.Chunk]
}

// release forgets who was held.
func (t *Timeline) release() {
	a := &t.sweeping.atOnce
	for _, late := range a.delayed {
		*late = 0
	}
	a.delayed = a.delayed[:0]
}

// playColumns plays a pass from the ranks [from, from+size) of the block at lo, and returns
// the least clock in the end and the last: after each round if they are spare.
func (t *Timeline) playColumns(w *sweep, p *pass, lo, from, size int, far float64) (least float64, most [3]float64) {
	a, r := &t.sweeping.atOnce, &p.rounds
	marks, clock := a.marks[from/vector.Chunk:(from+size)/vector.Chunk], w.clock[lo+from:]
	var gaps vector.Gaps
	if p.spare {
		least, most = r.Earlier(clock, size, marks)
	} else {
		gaps = t.gaps(w, p, lo+from, size, far)
		least, most[0] = r.Later(clock, &gaps, size, marks)
	}
	marked := markedOf(marks)
	a.balance(p).add(size<<bits.OnesCount(uint(p.across))*r.N, marked, vector.Chunk*r.Rows()*r.N)
	if marked == 0 {
		return least, most
	}
	var delays vector.Delays
	if len(a.delayed) > 0 {
		delays = vector.Delays{Of: a.delays.Of[from:], Row: a.delays.Row}
	}
	join := func(first float64, last [3]float64) {
		least = min(least, first)
		for n := range most {
			most[n] = max(most[n], last[n])
		}
	}
	if p.spare {
		join(r.EarlierMarked(clock, delays, size, marks))
	} else {
		gaps = t.gaps(w, p, lo+from, size, far+gaps.Length) // for a detour takes them beyond what is known
		least, last := r.LaterMarked(clock, &gaps, delays, size, marks)
		join(least, [3]float64{last})
	}
	// What was played in vain may remember a later gap than that in which it begins, and so is left to Finish.
	if markedOf(marks) > 0 {
		for c, mark := range marks {
			if mark > 0 {
				join(t.playColumn(w, p, lo, from+vector.Chunk*c))
			}
		}
	}
	return least, most
}

// markedOf is how many chunks are marked.
func markedOf(marks []byte) int { return len(marks) - bytes.Count(marks, []byte{0}) }

// gaps are those of the size ranks from lo and of those across a pass's bits.
func (t *Timeline) gaps(w *sweep, p *pass, lo, size int, far float64) (gaps vector.Gaps) {
	for n := range p.rounds.N {
		far += p.rounds.By[n] + p.rounds.Work[n]
	}
	known := math.Inf(1)
	for o := range within(p.across) {
		gaps = w.gaps.Gaps(lo+o, size, far)
		known = min(known, gaps.Known)
	}
	gaps.First, gaps.End, gaps.Known = gaps.First[lo:], gaps.End[lo:], known
	return gaps
}

// playColumn plays a pass on the ranks that hear from each other from the eight at index c of the
// block at lo on, round by round, and returns their extremes as playColumns does.
func (t *Timeline) playColumn(w *sweep, p *pass, lo, c int) (least float64, most [3]float64) {
	a, r := &t.sweeping.atOnce, &p.rounds
	at := func(j int) []float64 { return w.clock[lo+c+r.Offset(j):][:vector.Chunk] }
	for n := range r.N {
		for j := range r.Rows() {
			switch other := j ^ 1<<n; {
			case r.Rows() == 1:
				was := [vector.Chunk]float64(at(0))
				p.receive(at(0), was[:], a.late(n, 0, c), r.Mask[n], r.By[n])
			case j < other:
				here, there := [vector.Chunk]float64(at(j)), [vector.Chunk]float64(at(other))
				p.receive(at(j), there[:], a.late(n, j, c), 0, r.By[n])
				p.receive(at(other), here[:], a.late(n, other, c), 0, r.By[n])
			}
		}
		least, most[n] = math.Inf(1), math.Inf(-1)
		for j := range r.Rows() {
			if !p.spare {
				w.detours.Finish(lo+c+r.Offset(j), at(j), r.Work[n])
			}
			first, last := vector.Extremes(at(j))
			least, most[n] = min(least, first), max(most[n], last)
		}
	}
	if !p.spare {
		most = [3]float64{most[r.N-1]}
	}
	return least, most
}

// receive has eight ranks receive from those whose clocks are in from.
func (p *pass) receive(here, from, late []float64, mask int, by float64) {
	for i, now := range here {
		there := from[i^mask] + late[i] + by
		if p.spare && there < now || !p.spare && there > now {
			here[i] = there
		}
	}
}
