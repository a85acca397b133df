package noise

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"jitterfly/internal/rng"
	"jitterfly/internal/vector"
)

// receivers receive the messages of a trial.
type receivers struct {
	key   rng.Key // of the trial
	ranks int
}

// Draw implements [Delays].
func (r *receivers) Draw(ranks int, trial rng.Key) {
	r.key, r.ranks = trial.Derive(networkChild), ranks
}

// senders have messages without events, that take no longer than their latency.
type senders struct {
	key rng.Key // of the trial
}

// senderChild is not the number of any exchange.
const senderChild = math.MaxUint64

// Draw implements [Events].
func (s *senders) Draw(trial rng.Key) { s.key = trial.Derive(networkChild).Derive(senderChild) }

// Next implements [Events].
func (*senders) Next(int, int) (transit, delay float64) { return math.Inf(1), 0 }

// Extra implements [Events].
func (*senders) Extra(int, int) float64 { return 0 }

// Latencies is network noise as measured latencies show it: every message takes longer than
// the latency by one of Lengths, drawn for it.
type Latencies struct{ Lengths Length }

// Longest implements [Network].
func (l Latencies) Longest() float64 { return longest(l.Lengths) }

// Excess implements [Network].
func (l Latencies) Excess(messages []Traffic, h float64) (sum float64) {
	for _, m := range messages {
		sum += float64(m.Count * l.Lengths.Excess(h))
	}
	return sum
}

// Delays implements [Network].
func (l Latencies) Delays() Delays {
	return &latencyBlocks{excess: tabulate(l.Lengths), hit: vector.NewBitmask(Block)}
}

// Events implements [Network].
func (l Latencies) Events() Events { return &latencySenders{excess: tabulate(l.Lengths)} }

type latencyBlocks struct {
	receivers
	excess table
	hit    vector.Bitmask
	kept   []exchange // the first ones of a trial
}

// An exchange has the delays [s] of its messages in each block: of the first n[block] receivers of the block
// from block·Block on.
type exchange struct {
	delays []float64
	n      []int
}

// mostKept is how many delays of a trial are kept for others that ask for them again, as the same calls do
// with other redundancy. They are 16 MB.
const mostKept = 1 << 21

// Draw implements [Delays].
func (d *latencyBlocks) Draw(ranks int, trial rng.Key) {
	before := d.receivers
	if d.receivers.Draw(ranks, trial); d.receivers == before {
		return
	}
	if ranks != before.ranks {
		d.kept = nil
	}
	for i := range d.kept {
		clear(d.kept[i].n)
	}
}

// Delay implements [Delays].
func (d *latencyBlocks) Delay(number, lo int, arrive []float64, _ float64) {
	if number >= mostKept/d.ranks {
		d.add(number, lo/Block, arrive)
		return
	}
	if more := number + 1 - len(d.kept); more > 0 {
		d.kept = append(d.kept, make([]exchange, more)...)
	}
	e, block := &d.kept[number], lo/Block
	if e.delays == nil {
		e.delays, e.n = make([]float64, d.ranks), make([]int, (d.ranks-1)/Block+1)
	}
	delays := e.delays[block*Block:][:len(arrive)]
	if e.n[block] < len(arrive) {
		clear(delays)
		d.add(number, block, delays)
		e.n[block] = len(arrive)
	}
	vector.Sum(arrive, arrive, delays, 0)
}

// add adds the delays of an exchange to a block.
func (d *latencyBlocks) add(exchange, block int, arrive []float64) {
	words := d.key.Derive(uint64(exchange)).Derive(uint64(block)).Counter()
	for i := range vector.AddLines(arrive, &d.excess.lines, words, d.hit).All {
		arrive[i] += d.excess.bent(rng.Unit(words.Word(i)))
	}
}

type latencySenders struct {
	senders
	excess table
}

// Extra implements [Events].
func (e *latencySenders) Extra(sender, message int) float64 {
	return e.excess.quantile(e.key.Derive(uint64(sender)).Uniform(message))
}

var _ Network = Latencies{}

// PoissonDelays is network noise: while a message is in transit, events occur at rate 1/Interval,
// and each delays it by a length of its own (Matsumoto and Suda, 4.1.3 B, where all are the
// same). A message whose undisturbed transit takes w seconds meets
//
//	n ~ Poisson(w / Interval)
//
// events and arrives later by the sum of their lengths. The paper writes of a "mean waiting
// time 1/period", which as a time does not have the unit; read as a rate it gives the paper's
// results, and that is the reading here.
//
// It needs Interval > 0 [s].
type PoissonDelays struct {
	Interval float64
	Lengths  Length
}

// Longest implements [Network].
func (p PoissonDelays) Longest() float64 { return longest(p.Lengths) }

// Excess implements [Network].
func (p PoissonDelays) Excess(messages []Traffic, h float64) (sum float64) {
	for _, m := range messages {
		sum += float64(m.Count * m.Transit / p.Interval * p.Lengths.Excess(h))
	}
	return sum
}

// Delays implements [Network].
func (p PoissonDelays) Delays() Delays {
	return &poissonBlocks{
		PoissonDelays: p, stream: rng.New(rng.Key{}), candidates: vector.NewBitmask(Block),
		known: map[float64]distribution{},
	}
}

// Events implements [Network]: each sender has a Poisson process of its own.
func (p PoissonDelays) Events() Events {
	return &poissonSenders{PoissonDelays: p, stream: rng.New(rng.Key{})}
}

type poissonSenders struct {
	senders // a message that meets no event takes its latency
	PoissonDelays
	stream rng.Stream
}

// Next implements [Events].
func (e *poissonSenders) Next(sender, event int) (transit, delay float64) {
	e.stream.Reset(e.key.Derive(uint64(sender)).Derive(uint64(event)))
	transit = float64(e.stream.ExpFloat64() * e.Interval)
	return transit, draw(e.Lengths, e.stream)
}

type poissonBlocks struct {
	PoissonDelays
	receivers
	stream rng.Stream
	known  map[float64]distribution // by their means, since collectives have few lengths of messages
	none   noEvent
	// candidates are the messages to a block that may meet an event.
	candidates vector.Bitmask
}

// lengthsChild names the lengths of events, next to their numbers.
const lengthsChild = 0

// With up to fewEvents per message on average, it is cheapest to draw the number of messages
// from one event to the next: over a whole exchange if that has no more than togetherEvents, and
// else block by block. Up to rareEvents it is cheapest to find the messages that meet any by a
// few bits for each. With more, the number of events of each message is found by a search for a
// word among the shares of messages that meet none, at most one, and so on; above manyEvents it
// is drawn by a general method.
const (
	togetherEvents = 1
	fewEvents      = 1. / 256
	rareEvents     = 1. / 16
	manyEvents     = 16
)

// Delay implements [Delays].
func (d *poissonBlocks) Delay(exchange, lo int, arrive []float64, transit float64) {
	add := func(i int, delay float64) { arrive[i] += delay }
	if d.Delayed(exchange, lo, len(arrive), transit, add) {
		return
	}
	key, length := d.key.Derive(uint64(nameOf(exchange, lo/Block))), float64(d.Lengths.(Constant))
	mean := transit / d.Interval
	if mean <= manyEvents {
		vector.AddCounts(arrive, d.shares(mean).bounds, length, key.Counter())
		return
	}
	d.stream.Reset(key)
	events := distuv.Poisson{Lambda: mean, Src: d.stream}
	for i := range arrive {
		arrive[i] += float64(events.Rand() * length)
	}
}

// nameOf returns a name of the messages of an exchange to a block, unique in a trial.
func nameOf(exchange, block int) int { return exchange<<32 | block }

// Delayed implements [SparseDelays]. Events that differ in length have to be drawn one by one,
// so that to list them never costs more.
func (d *poissonBlocks) Delayed(
	exchange, lo, n int, transit float64, note func(i int, delay float64),
) bool {
	if _, same := d.Lengths.(Constant); same && transit > rareEvents*d.Interval {
		return false
	}
	perMessage := transit / d.Interval
	if perMessage == 0 {
		return true
	}
	few := perMessage <= fewEvents || perMessage > rareEvents // which differ in length
	if few && float64(d.ranks)*perMessage <= togetherEvents {
		d.skip(nameOf(exchange, 0), d.ranks, lo, n, perMessage, note)
		return true
	}
	for first := 0; first < n; first += Block {
		name, n := nameOf(exchange, (lo+first)/Block), min(Block, n-first)
		if few {
			d.skip(name, n, -first, first+n, perMessage, note)
		} else {
			d.find(name, first, n, perMessage, note)
		}
	}
	return true
}

// find calls note for the delayed ones of n messages, numbered from first on. It finds them by sixteen random
// bits for each message: only messages whose bits are in an unlikely range may meet events.
func (d *poissonBlocks) find(
	name, first, n int, perMessage float64, note func(i int, delay float64),
) {
	key, shares, drawn := d.key.Derive(uint64(name)), d.shares(perMessage), false
	short, words := key.Counter(), key.Counter().Before()
	for i := range vector.Reach(n, shares.candidate, short, d.candidates).All {
		events, word := 0, words.Word(i)
		for events < len(shares.given) && word >= shares.given[events] {
			events++
		}
		if events == 0 {
			continue
		}
		if length, ok := d.Lengths.(Constant); ok {
			note(first+i, float64(float64(events)*float64(length)))
			continue
		}
		if !drawn {
			d.stream.Reset(key.Derive(lengthsChild))
			drawn = true
		}
		delay := 0.0
		for range events {
			delay += draw(d.Lengths, d.stream)
		}
		note(first+i, delay)
	}
}

// shares returns the distribution of the number of events of a mean.
func (d *poissonBlocks) shares(mean float64) distribution {
	known, ok := d.known[mean]
	if !ok {
		known = newDistribution(mean)
		d.known[mean] = known
	}
	return known
}

// distribution is the distribution of the number of a message's events, which is the number of
// bounds that a random word is not below. What is beyond the last, some 10^-16, is left out. For
// find, only messages whose sixteen bits are not below candidate can have events, and then as many
// as there are bounds in given that a word is not below.
type distribution struct {
	bounds, given []uint64
	candidate     uint16
}

func newDistribution(mean float64) distribution {
	d := distribution{}
	share := math.Exp(-mean)
	for n, below := 1., share; below < 1 && (share > 0x1p-64 || n < mean); n++ {
		d.bounds = append(d.bounds, uint64(math.Ldexp(below, 64)))
		share *= mean / n
		below += share
	}
	d.candidate = uint16(d.bounds[0] >> 48)
	candidates := (1<<16 - float64(d.candidate)) / (1 << 16)
	for _, bound := range d.bounds {
		given := uint64(0)
		if above := float64(-bound) / candidates; above < 1<<64 {
			given = -uint64(above)
		}
		d.given = append(d.given, given)
	}
	return d
}

// skip lays the given number of messages end to end and walks over them by the exponential gaps of
// a Poisson process with perMessage events in each: the counts in disjoint intervals of such a
// process are independent and Poisson. It costs one draw per event and one more, which often is the
// only one and comes from the trial's key without a stream. It calls note for the delayed ones of
// the n messages from lo on.
func (d *poissonBlocks) skip(
	name, messages, lo, n int, perMessage float64, note func(i int, delay float64),
) {
	left := 1 - d.key.Uniform(name)
	if left <= d.none.of(float64(messages)*perMessage) {
		return
	}
	d.stream.Reset(d.key.Derive(uint64(name)))
	scale, end := 1/perMessage, float64(min(messages, lo+n))
	for at := -math.Log(left) * scale; at < end; {
		message, delay := int(at), 0.0
		for at < end && int(at) == message {
			delay += draw(d.Lengths, d.stream)
			at += float64(d.stream.ExpFloat64() * scale)
		}
		if message >= lo {
			note(message-lo, delay)
		}
	}
}

// noEvent keeps the probability that there is no event, for the last mean that was asked for:
// it seldom changes.
type noEvent struct{ mean, probability float64 }

func (e *noEvent) of(mean float64) float64 {
	if e.mean != mean {
		*e = noEvent{mean, math.Exp(-mean)}
	}
	return e.probability
}

var (
	_ Network      = PoissonDelays{}
	_ SparseDelays = (*poissonBlocks)(nil)
)
