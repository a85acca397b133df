package noise

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"jitterfly/internal/rng"
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
func (p Poisson) Delays() Delays {
	return &poissonDelays{Poisson: p, stream: rng.New(rng.Key{})}
}

type poissonDelays struct {
	Poisson
	key    rng.Key
	stream rng.Stream
	events map[int]uint64 // drawn of each lane
}

func (d *poissonDelays) Draw(trial rng.Key) {
	d.key = trial.Derive(networkChild)
	clear(d.events)
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

// laneChild is no exchange's number.
const laneChild = math.MaxUint64

// manyEvents is the mean number of events per message from which drawing the
// number for every message is cheaper than drawing every event, if all are of one
// length.
const manyEvents = 8

// Delay implements [Delays].
func (d *poissonDelays) Delay(exchange, lo int, arrive []float64, transit float64) {
	d.Held(exchange, lo, len(arrive), transit, func(i int, delay float64) { arrive[i] += delay })
}

// Held calls hold with what each event, or all of a message, delays the message
// to rank lo+i of n, one after the other. Both of its ways are exact.
func (d *poissonDelays) Held(exchange, lo, n int, transit float64, hold func(i int, delay float64)) {
	perMessage := transit / d.Interval
	if perMessage == 0 {
		return
	}
	d.stream.Reset(d.key.Derive(uint64(exchange)).Derive(uint64(lo / Block)))
	length, same := d.Lengths.(Constant)
	if perMessage < manyEvents || !same {
		d.skip(n, perMessage, hold)
		return
	}
	events := distuv.Poisson{Lambda: perMessage, Src: d.stream}
	for i := range n {
		hold(i, float64(events.Rand()*float64(length)))
	}
}

// skip lays the messages end to end, each as long as the mean number of its
// events, and walks over them by the exponential gaps of a Poisson process of
// unit rate: the counts in disjoint intervals of such a process are independent
// and Poisson. It costs one draw per event and one more.
func (d *poissonDelays) skip(n int, perMessage float64, hold func(i int, delay float64)) {
	message, at := 0, 0.0 // the process stands at this share of this message
	for {
		at += d.stream.ExpFloat64()
		if at >= perMessage {
			skipped := at / perMessage
			if skipped >= float64(n-message) {
				return
			}
			message += int(skipped)
			at = max(0, at-float64(float64(int(skipped))*perMessage))
		}
		hold(message, draw(d.Lengths, d.stream))
	}
}

var _ Network = Poisson{}
