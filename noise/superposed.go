package noise

import (
	"cmp"
	"math"
	"slices"

	"jitterfly/internal/rng"
	"jitterfly/internal/vector"
)

// BytesPerList is about how many more bytes a rank takes whose detours are listed, as with any
// jitter except [Periodic]: places in lists, and one detour. A further detour takes no more.
const BytesPerList = 40

// superposed draws detours no further than a trial asks for them, as [periodicDetours]
// does. They are listed for phases of ranks, the largest groups of ranks that have all of them
// together. A component can have its detours in several of these phases at once.
//
// They are drawn in blocks of at least [Block] phases of every component. How these are cut
// depends on no remedy, and nor do the windows of time, so that every component draws the same
// whatever is done about the others.
type superposed struct {
	Superposition
	ranks    int
	shared   int // ranks of a phase: the first of the trial, the next as many, and so on
	phases   int
	parts    []*part    // the components that act
	backlogs []*backlog // at the origin of a random start
	origin   float64    // when the components begin [s]
	span     int        // ranks of a block
	size     int        // phases of a block
	step     float64    // in which a phase has one detour on average [s]
	key      rng.Key    // of the trial
	stream   rng.Stream

	// Work of a rank that begins no earlier than since and ends before until is not preempted [s]. At
	// first that is all before the rank's first detour, or if none is drawn yet, up to when they are
	// drawn; later it is the gap between two detours that the rank was last in.
	since, until, room []float64

	passed []float64 // up to when each phase is not asked for any more [s]
	passes int       // how often that was said, in this trial

	blocks           []block
	batch, spreading []drawn // of a component, and room for more
	packed           []busy  // room for the detours of a block
	lists            []list  // of each phase
	listed           []int32 // the phases with a list

	hit     vector.Bitmask
	fetched float64 // keeps the compiler from leaving out fetch and touch
}

// ranksOf returns the ranks [lo, hi) of a phase.
func (d *superposed) ranksOf(phase int) (lo, hi int) {
	lo = phase * d.shared
	return lo, min(d.ranks, lo+d.shared)
}

// A part is a component that acts.
type part struct {
	Component
	process
	stream uint64 // the child of a trial's key
	phases int    // of a block
	each   int    // lists of a phase
	whole  bool   // every block has the same phase, of all ranks
	room   int    // phases that process has room for
}

// newSuperposed returns the detours of components of which at least one acts.
func newSuperposed(s Superposition, room []float64) *superposed {
	d := &superposed{
		Superposition: s, room: room, step: 1 / s.Rate(), span: Block,
		stream: rng.New(rng.Key{}), hit: vector.NewBitmask(Block),
	}
	byShared := map[int]*backlog{}
	for i, c := range s.Components {
		shared := min(max(1, c.Shared), len(room))
		if shared < len(room) { // a block has whole phases of every component
			whole := d.span / Block
			d.span = min(len(room), whole/gcd(whole, shared)*shared) * Block
		}
		b := byShared[shared]
		if b == nil {
			b = &backlog{stream: backlogChild - uint64(i)}
			byShared[shared], d.backlogs = b, append(d.backlogs, b)
		}
		var p *part
		if !c.Remedy.Removed {
			p = &part{Component: c.treated(), stream: uint64(i)}
			d.parts = append(d.parts, p)
		}
		if c.Remedy == (Remedy{}) {
			b.add(c, p)
			continue
		}
		b.add(c, nil)
		if p != nil {
			alone := &backlog{stream: backlogChild - uint64(len(s.Components)+i)}
			alone.add(p.Component, p)
			d.backlogs = append(d.backlogs, alone)
		}
	}
	if s.Start == Random {
		d.origin = -lead(s.Components)
	} else {
		d.backlogs = nil
	}
	return d
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// Draw implements [Detours]. It draws the first window of every block. Where sources begin before the
// launch that comes after what is not over at the launch.
func (d *superposed) Draw(ranks int, trial rng.Key) {
	if key := trial.Derive(osChild); key == d.key && ranks == d.ranks && d.passes == 0 {
		d.rewind()
		return
	}
	d.listed = d.listed[:0]
	d.arrange(ranks)
	d.key = trial.Derive(osChild)
	for _, p := range d.parts {
		p.draw(d.origin, d.Start)
	}
	vector.Fill(d.since[:len(d.until)], math.Inf(-1))
	vector.Fill(d.until, d.origin)
	d.passes = 0
	for b := range d.blocks {
		d.blocks[b].forget(d.lists[b*d.size:min((b+1)*d.size, d.phases)], d.origin)
		if d.origin < 0 {
			before := len(d.listed)
			d.window(b, 0)
			left := slices.DeleteFunc(d.listed[before:], d.over)
			d.listed = d.listed[:before+len(left)]
		}
		d.more(b)
	}
}

// rewind goes back to the launch of the trial that is drawn.
func (d *superposed) rewind() {
	vector.Fill(d.since[:len(d.until)], math.Inf(-1))
	for n := range d.blocks {
		b := &d.blocks[n]
		for phase := n * d.size; phase < min((n+1)*d.size, d.phases); phase++ {
			l, until := &d.lists[phase], b.drawn
			if l.at = 0; l.n > 0 {
				until = b.busy[l.from].start
			}
			lo, hi := d.ranksOf(phase)
			for r := lo; r < hi; r++ {
				d.until[r] = until
			}
		}
	}
}

// arrange makes room for trials of the given number of ranks.
func (d *superposed) arrange(ranks int) {
	listed := 0 // ranks of a list
	for _, p := range d.parts {
		if shared := p.shared(); shared < ranks {
			listed = gcd(listed, shared)
		}
	}
	listed = cmp.Or(listed, ranks)
	if d.ranks == ranks && d.shared == listed {
		return
	}
	d.ranks, d.shared, d.phases = ranks, listed, (ranks-1)/listed+1
	d.until, d.size = d.room[:ranks], max(1, min(d.phases, d.span/listed))
	blocks := (d.phases-1)/d.size + 1
	if d.phases > len(d.lists) {
		d.lists = make([]list, d.phases)
		d.since = make([]float64, len(d.room))
	}
	for _, p := range d.parts {
		p.arrange(d, blocks)
	}
	if more := blocks - len(d.blocks); more > 0 {
		d.blocks = append(d.blocks, make([]block, more)...)
	}
	d.blocks = d.blocks[:blocks]
}

// arrange makes room for the phases of a component in blocks of lists.
func (p *part) arrange(d *superposed, blocks int) {
	p.each = p.shared() / d.shared
	if p.whole = p.shared() >= d.ranks; p.whole {
		p.each = d.size
	}
	p.phases = (d.size-1)/p.each + 1
	if n := blocks * p.phases; n > p.room {
		p.process, p.room = p.Generator.process(n), n
		if r, ok := p.process.(*replaying); ok {
			r.alone = len(d.parts) == 1
		}
	}
}

// of returns the phases of a component in a block.
func (p *part) of(d *superposed, b int) phases {
	lists := min(d.size, d.phases-b*d.size)
	return phases{b, b * p.phases, (lists-1)/p.each + 1}
}

// more draws the next window of a block.
func (d *superposed) more(b int) { d.window(b, d.end(d.blocks[b].window)) }

// over drops the detours of a phase that are over at the launch, and reports whether those
// are all.
func (d *superposed) over(phase int32) bool {
	b, l := &d.blocks[int(phase)/d.size], &d.lists[phase]
	for l.n > 0 && b.busy[l.from].end <= 0 {
		l.from, l.n, l.room = l.from+1, l.n-1, l.room-1
	}
	lo, hi := d.ranksOf(int(phase))
	vector.Fill(d.until[lo:hi], b.gapBefore(b.of(l), 0).until)
	return l.n == 0
}

// end returns where a window ends [s]. The first are short, since so are most trials; later
// ones have one detour a phase.
func (d *superposed) end(window int) float64 {
	if d.origin < 0 {
		window-- // the one before the launch
	}
	if window < 8 {
		return d.step / float64(int(256)>>window)
	}
	return d.step * float64(window-7)
}

// backlogChild is far from the number of any component.
const backlogChild = math.MaxUint64

// window draws a block's detours up to a time.
func (d *superposed) window(n int, to float64) {
	b := &d.blocks[n]
	from, end := n*d.size, min((n+1)*d.size, d.phases)
	lo, _ := d.ranksOf(from)
	_, hi := d.ranksOf(end - 1)
	vector.Raise(d.until[lo:hi], b.drawn, to)
	if b.window == 0 {
		for _, left := range d.backlogs {
			d.begin(left, n)
		}
	}
	if b.passes < d.passes {
		d.packed = b.pack(d.lists[from:end], d.passed[from:end], d.packed)
		b.passes = d.passes
	}
	if to-b.drawn >= d.step/32 { // many lists get a detour
		d.fetched += b.touch(d.lists[from:end])
	}
	for _, p := range d.parts {
		stream := d.key.Derive(p.stream).Derive(p.block(n))
		d.stream.Reset(stream.Derive(uint64(b.window)))
		d.batch = p.window(d.stream, p.of(d, n), b.drawn, to, d.batch[:0])
		d.add(p, b)
	}
	b.drawn = to
	b.window++
}

// add adds the batch of detours of a component to the lists of a block.
func (d *superposed) add(p *part, b *block) {
	if p.each > 1 {
		d.spread(p)
	}
	for i := range d.batch {
		x := &d.batch[i]
		lo, hi := d.ranksOf(int(x.phase))
		for r := lo; r < hi; r++ {
			if x.start < d.until[r] {
				d.until[r] = x.start
			}
		}
		if b.insert(&d.lists[x.phase], x.start, x.length) {
			d.listed = append(d.listed, x.phase)
		}
	}
}

// spread replaces the phases of a component in the batch by the lists that it has its detours in.
func (d *superposed) spread(p *part) {
	all := d.spreading[:0]
	for _, x := range d.batch {
		phase := int(x.phase)
		block := phase / p.phases * d.size
		from := block + phase%p.phases*p.each
		for list := from; list < min(from+p.each, block+d.size, d.phases); list++ {
			x.phase = int32(list)
			all = append(all, x)
		}
	}
	d.batch, d.spreading = all, d.batch
}

// block returns the number of the random stream of a block of lists: 0 if all share one.
func (p *part) block(b int) uint64 {
	if p.whole {
		return 0
	}
	return uint64(b)
}

// begin draws what components have left to do at the origin.
func (d *superposed) begin(left *backlog, b int) {
	some := slices.IndexFunc(left.parts, func(p *part) bool { return p != nil })
	if some < 0 {
		return
	}
	p := left.parts[some]
	of := p.of(d, b)
	d.stream.Reset(d.key.Derive(left.stream).Derive(p.block(b)))
	left.draw(d.stream, of.n, func(p *part, phase int, length float64) {
		d.batch = append(d.batch[:0], drawn{int32(of.lo + phase), d.origin, length})
		d.add(p, &d.blocks[b])
	})
}

// Pass implements [PassingDetours]. What is over is dropped before more is drawn.
func (d *superposed) Pass(t []float64) {
	d.passes++
	if d.shared == 1 {
		d.passed = append(d.passed[:0], t...)
		return
	}
	d.passed = d.passed[:0]
	for phase := range d.phases {
		lo, hi := d.ranksOf(phase)
		d.passed = append(d.passed, slices.Min(t[lo:hi]))
	}
}

// Swap implements [PassingDetours]. A gap stays one when more is drawn, which begins after its end.
func (d *superposed) Swap(known *Known) {
	if len(known.until) != d.ranks {
		*known = Known{since: make([]float64, len(d.since)), until: make([]float64, d.ranks)}
		known.Forget()
	}
	d.since, known.since = known.since, d.since
	d.until, known.until = known.until, d.until
}

// Preempts implements [SparseDetours].
func (d *superposed) Preempts(upto float64) bool {
	for b := range d.blocks {
		for d.blocks[b].drawn <= upto {
			d.more(b)
		}
	}
	return slices.ContainsFunc(d.listed, func(phase int32) bool {
		return d.blocks[int(phase)/d.size].busy[d.lists[phase].from].start <= upto
	})
}

// fetch brings the next detours of some ranks of a block, from lo on, each with a phase of its own, into
// the cache. A processor waits for many of them at a time here, but later for one after the other.
func (d *superposed) fetch(lo int, some vector.Bitmask) {
	b, sum := &d.blocks[lo/d.size], 0.0
	for i := range some.All {
		if l := &d.lists[lo+i]; l.n > 0 {
			sum += b.busy[l.from+min(l.at, l.n-1)].end
		}
	}
	d.fetched = sum
}

// Finish implements [Detours].
func (d *superposed) Finish(_ Piece, lo int, t []float64, work float64) {
	since, until := d.since[lo:][:len(t)], d.until[lo:][:len(t)]
	hit := vector.AdvanceIn(t, since, until, work, d.hit)
	if d.shared == 1 {
		d.fetch(lo, hit)
	}
	for i := range hit.All {
		t[i] = d.finishIn(lo+i, t[i], work, since[i], until[i])
	}
}

// FinishEach implements [EachDetours].
func (d *superposed) FinishEach(lo int, t, work []float64) {
	since, until := d.since[lo:][:len(t)], d.until[lo:][:len(t)]
	for i, start := range t {
		t[i] = d.finishIn(lo+i, start, work[i], since[i], until[i])
	}
}

// finishIn is finish, given the gap that the rank was last in. Since it was found to be too short more may
// have been drawn, for another rank of the block, so that it is longer.
func (d *superposed) finishIn(rank int, start, work, since, until float64) float64 {
	if end := start + work; start >= since && end < until {
		return end
	}
	return d.finish(rank, start, work)
}

// finish is the preemption rule. Where the end moves beyond what is drawn it begins again,
// with more.
func (d *superposed) finish(rank int, start, work float64) float64 {
	phase := rank
	if d.shared > 1 { // seldom, and a division takes long
		phase /= d.shared
	}
	n := phase / d.size
	b, l := &d.blocks[n], &d.lists[phase]
	for {
		end, within := b.preempt(l, start, work)
		if end < b.drawn {
			d.since[rank], d.until[rank] = within.since, within.until
			return end
		}
		d.more(n)
	}
}

var (
	_ OS             = Superposition{}
	_ SparseDetours  = (*superposed)(nil)
	_ PassingDetours = (*superposed)(nil)
	_ EachDetours    = (*superposed)(nil)
)
