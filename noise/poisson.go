package noise

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"jitterfly/internal/rng"
	"jitterfly/internal/vector"
)

// Poisson is network noise: while a message is in transit, events strike it at
// rate 1/Interval, and each holds it for a length of its own (Matsumoto and Suda, 4.1.3
// B, where all are the same). A message whose undisturbed transit takes w seconds meets
//
//	n ~ Poisson(w / Interval)
//
// events and arrives as late as they last together. The paper writes of a "mean waiting time
// 1/period", which as a time does not even have the unit; read as a rate it
// gives the paper's results, and that is the reading here.
//
// It needs Interval > 0.
type Poisson struct {
	Interval float64
	Lengths  Length
}

// Hit implements [Network].
func (p Poisson) Hit() float64 { return p.Lengths.Quantile(0.99) }

// Delays implements [Network].
func (p Poisson) Delays(ranks int) Delays {
	return &poissonDelays{Poisson: p, all: ranks, stream: rng.New(rng.Key{}), held: vector.NewBitmask(Block)}
}

type poissonDelays struct {
	Poisson
	all    int // ranks
	key    rng.Key
	beside []rng.Key // the keys of trials of so many ranks, if it is of several
	ranks  int
	stream rng.Stream
	events map[int]uint64 // drawn of each lane
	known  []distribution // that were needed last
	none   noEvent
	held   vector.Bitmask // of a block: whose messages may be
}

func (d *poissonDelays) Draw(trial rng.Key) {
	d.key, d.beside = trial.Derive(networkChild), d.beside[:0]
	clear(d.events)
}

// DrawBatch implements [Batch].
func (d *poissonDelays) DrawBatch(trials []rng.Key, ranks int) {
	d.beside, d.ranks = d.beside[:0], ranks
	for _, trial := range trials {
		d.beside = append(d.beside, trial.Derive(networkChild))
	}
}

// Next draws how many more seconds of transit on a lane, of which each is a
// process of its own, until the next event, and how long that holds its message.
func (d *poissonDelays) Next(lane int) (transit, hold float64) {
	if d.events == nil {
		d.events = map[int]uint64{}
	}
	d.stream.Reset(d.key.Derive(laneChild).Derive(uint64(lane)).Derive(d.events[lane]))
	d.events[lane]++
	transit = float64(d.stream.ExpFloat64() * d.Interval)
	return transit, draw(d.Lengths, d.stream)
}

// Extra implements [Delays]: a message that no event strikes is as fast as can be.
func (*poissonDelays) Extra(int) float64 { return 0 }

// laneChild is no exchange's number, and lengthsChild only names the lengths of events beside their numbers.
const (
	laneChild    = math.MaxUint64
	lengthsChild = 0
)

// Rare says whether few of the messages of such a transit meet an event, or all events
// have to be drawn as they differ in length.
func (d *poissonDelays) Rare(transit float64) bool {
	_, same := d.Lengths.(Constant)
	return !same || transit <= rareEvents*d.Interval
}

// With up to fewEvents per message on average, it is cheapest to draw how many messages there are between events: in all
// of an exchange, if it has no more than togetherEvents, and else block by block. Up to rareEvents it is cheapest to
// find by the first bits of a word for each those that meet any. Else how many each message meets is drawn by looking
// for the place of a word among the shares of messages that meet none, at most one, and so on, unless they are more than
// manyEvents.
const (
	togetherEvents = 1
	fewEvents      = 1. / 256
	rareEvents     = 1. / 16
	manyEvents     = 16
)

// Delay implements [Delays].
func (d *poissonDelays) Delay(exchange, lo int, arrive []float64, transit float64) {
	if d.Rare(transit) {
		d.Delayed(exchange, lo, len(arrive), transit, func(i int, delay float64) { arrive[i] += delay })
		return
	}
	if len(d.beside) == 0 {
		d.count(d.key, nameOf(exchange, lo/Block), arrive, transit/d.Interval)
		return
	}
	for n, key := range d.beside {
		d.count(key, nameOf(exchange, 0), arrive[n*d.ranks:(n+1)*d.ranks], transit/d.Interval)
	}
}

// nameOf is that of the messages of an exchange to a block, in a trial.
func nameOf(exchange, block int) int { return exchange<<32 | block }

// count draws how many events each of the messages of a name meets, a mean of them.
func (d *poissonDelays) count(trial rng.Key, name int, arrive []float64, mean float64) {
	key, length := trial.Derive(uint64(name)), float64(d.Lengths.(Constant))
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

// Delayed calls hold with how long events together delay the message to rank lo+i of n, one message
// after the other, where events are rare. The ranks are as for Delay, or all that there are.
func (d *poissonDelays) Delayed(exchange, lo, n int, transit float64, hold func(i int, delay float64)) {
	perMessage := transit / d.Interval
	if perMessage == 0 {
		return
	}
	few := perMessage <= fewEvents || perMessage > rareEvents // which differ in length
	if few && len(d.beside) == 0 && float64(d.all)*perMessage <= togetherEvents {
		d.skip(d.key, nameOf(exchange, 0), d.all, lo, n, perMessage, hold)
		return
	}
	each := d.find
	if few {
		each = d.walk
	}
	for trial, key := range d.beside {
		each(key, nameOf(exchange, 0), trial*d.ranks, d.ranks, perMessage, hold)
	}
	for first := 0; first < n && len(d.beside) == 0; first += Block {
		each(d.key, nameOf(exchange, (lo+first)/Block), first, min(Block, n-first), perMessage, hold)
	}
}

// walk does so for n messages of a trial, which are from first on, by the gaps between events.
func (d *poissonDelays) walk(trial rng.Key, name, first, n int, perMessage float64, hold func(i int, delay float64)) {
	if 1-trial.Uniform(name) > d.none.of(float64(n)*perMessage) { // which is seldom
		d.skip(trial, name, n, -first, first+n, perMessage, hold)
	}
}

// find does so by a number of sixteen bits for each: those that are least likely are of messages that may meet
// events.
func (d *poissonDelays) find(trial rng.Key, name, first, n int, perMessage float64, hold func(i int, delay float64)) {
	key, shares, drawn := trial.Derive(uint64(name)), d.shares(perMessage), false
	short, words := key.Counter(), key.Counter().Before()
	for i := range vector.Reach(n, shares.may, short, d.held).All {
		events, word := 0, words.Word(i)
		for events < len(shares.given) && word >= shares.given[events] {
			events++
		}
		if events == 0 {
			continue
		}
		if length, ok := d.Lengths.(Constant); ok {
			hold(first+i, float64(float64(events)*float64(length)))
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
		hold(first+i, delay)
	}
}

// shares returns the distribution of the number of events of a mean.
func (d *poissonDelays) shares(mean float64) distribution {
	for _, known := range d.known {
		if known.mean == mean {
			return known
		}
	}
	if len(d.known) == mostKnown {
		d.known = d.known[1:]
	}
	d.known = append(d.known, newDistribution(mean))
	return d.known[len(d.known)-1]
}

// mostKnown is how many distributions are remembered: collectives have few lengths of
// messages.
const mostKnown = 32

// distribution is that of the number of a message's events: a word reaches as many of the bounds as there are
// events. What is beyond the last, some 10^-16, is left out. Of the messages whose number of sixteen bits is
// not less than may, and no others, a word reaches as many of those that are given.
type distribution struct {
	mean          float64
	bounds, given []uint64
	may           uint16
}

func newDistribution(mean float64) distribution {
	d := distribution{mean: mean}
	share := math.Exp(-mean)
	for n, below := 1., share; below < 1 && (share > 0x1p-64 || n < mean); n++ {
		d.bounds = append(d.bounds, uint64(math.Ldexp(below, 64)))
		share *= mean / n
		below += share
	}
	d.may = uint16(d.bounds[0] >> 48)
	candidates := (1<<16 - float64(d.may)) / (1 << 16)
	for _, bound := range d.bounds {
		given := uint64(0)
		if above := float64(-bound) / candidates; above < 1<<64 {
			given = -uint64(above)
		}
		d.given = append(d.given, given)
	}
	return d
}

// skip lays so many messages end to end and walks over them by the exponential gaps of
// a Poisson process that has so many events in each: the counts in disjoint intervals of
// such a process are independent and Poisson. It costs one draw per event and one more,
// which most often is all, and comes from the trial's key without a stream. It calls hold for
// those of the n messages from lo on.
func (d *poissonDelays) skip(trial rng.Key, name, messages, lo, n int, perMessage float64, hold func(i int, delay float64)) {
	left := 1 - trial.Uniform(name)
	if left <= d.none.of(float64(messages)*perMessage) {
		return
	}
	d.stream.Reset(trial.Derive(uint64(name)))
	scale, end := 1/perMessage, float64(min(messages, lo+n))
	for at := -math.Log(left) * scale; at < end; {
		message, delay := int(at), 0.0
		for at < end && int(at) == message {
			delay += draw(d.Lengths, d.stream)
			at += float64(d.stream.ExpFloat64() * scale)
		}
		if message >= lo {
			hold(message-lo, delay)
		}
	}
}

// noEvent is the probability that of a mean number of events there is none, as it was
// looked up last: one mean follows another seldom.
type noEvent struct{ mean, probability float64 }

func (e *noEvent) of(mean float64) float64 {
	if e.mean != mean {
		*e = noEvent{mean, math.Exp(-mean)}
	}
	return e.probability
}

var _ Network = Poisson{}
