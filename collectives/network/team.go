package network

import (
	"math"
	"sync"
)

// A team is the workers of an engine. How many of them simulate a moment can differ from one
// to the next, since what belongs to whom is only for the time of a moment: to each worker
// some of the nodes, which follow each other, with their slots, and links here and there.
//
// A small moment costs less than to let others do a part of it. The first worker simulates
// it alone, while they wait for the next.
type team struct {
	workers []*worker
	most    int           // how many there can be
	few     int           // changes from which on a moment is not small
	asleep  int           // the same if the other workers sleep
	share   func() int    // how many may work on the trial at this time; nil is one
	noise   NoiseOfWorker // for all but the first
	drawn   int           // workers that have the trial's noise
	joined  int           // workers that run
	owners  []uint8       // of each group of slots, which of those that run has it

	size    int             // how many simulate this moment
	begin   func(w *worker) // how it begins; nil for the end of the trial
	moments signal          // of the moments that several simulate
	between barrier         // of its phases
	running sync.WaitGroup  // workers but the first
}

// NoiseOfWorker returns the noise of the trial that runs for its i-th worker, i > 0. It is
// that of the first, with memory of its own, as both are used at the same time, for different
// nodes.
type NoiseOfWorker func(i int) (Host, Delays)

const (
	// nodesPerWorker is how many nodes each worker has at least.
	nodesPerWorker = 4096
	// maxWorkers bounds the number of workers.
	maxWorkers = 64
	// groupSize is the number of nodes, and of slots, that are not divided: the workers'
	// parts of Engine.arrived are whole words, and those of the calendar whole groups.
	groupSize = 64
	// few is the number of slots that change their state from which on a moment is not small,
	// and fewAsleep the number if the other workers sleep.
	few, fewAsleep = 64, 256
)

// MostWorkers returns how many workers can simulate a trial of the problem at once. Max–min
// fair rates are computed by one, since a change of one flow can change those of all.
func (p *Problem) MostWorkers() int {
	if p.Sharing != Equal {
		return 1
	}
	return min(max(1, p.Topology.Nodes()/nodesPerWorker), maxWorkers)
}

// Share lets each trial have several workers: as many as share returns, which is called at
// every moment, but at most [Problem.MostWorkers]. The results are the same for any number.
func (e *Engine) Share(share func() int, noise NoiseOfWorker) { e.share, e.noise = share, noise }

// working returns the workers that simulate the moment.
func (t *team) working() []*worker { return t.workers[:t.size] }

// wanted returns how many workers should simulate a moment that is not small.
func (e *Engine) wanted() int {
	if e.share == nil || e.most == 1 || e.recorder != nil {
		return 1
	}
	return min(max(1, e.share()), e.most)
}

// limit returns the number of changes from which on a moment is not small, if so many workers
// are wanted.
func (e *Engine) limit(wanted int) int {
	switch {
	case wanted == 1:
		return math.MaxInt
	case e.moments.sleepers.Load() > 0:
		return e.asleep
	default:
		return e.few
	}
}

// gather lets as many workers as are wanted simulate the moment.
func (e *Engine) gather(wanted int) {
	e.size = wanted
	if e.size == e.joined || e.size == 1 {
		return
	}
	e.dismiss()
	for i := len(e.workers); i < e.size; i++ {
		e.workers = append(e.workers, &worker{Engine: e, index: i})
	}
	for i, w := range e.working() {
		for len(w.changes) < e.size {
			w.arrivals = append(w.arrivals, nil)
			w.changes = append(w.changes, nil)
			w.affected = append(w.affected, nil)
		}
		for slot := e.from(i); slot < e.from(i+1); slot += groupSize {
			e.owners[slot/groupSize] = uint8(i)
		}
		if i >= e.drawn {
			w.host, w.delays = e.noise(i)
			e.drawn = i + 1
		}
		if i > 0 {
			step := e.moments.step.Load()
			e.running.Go(func() { w.run(step) })
		}
	}
	e.joined = e.size
}

// dismiss ends the workers but the first.
func (e *Engine) dismiss() {
	e.begin = nil
	e.moments.next()
	e.running.Wait()
	e.joined = 1
}

// run simulates moments, those that begin after a step, until the trial ends.
func (w *worker) run(step uint32) {
	for {
		step = w.moments.await(step)
		if w.begin == nil {
			return
		}
		w.simulate()
	}
}

// wait waits for the other workers, if any.
func (w *worker) wait() {
	if w.size > 1 {
		w.between.wait(w.size)
	}
}

// moment simulates a moment that begins in this way.
func (e *Engine) moment(begin func(w *worker)) {
	e.begin = begin
	e.traffic.moment++
	if e.size == 1 {
		e.workers[0].simulate()
	} else {
		e.schedule = e.calendar.parts()
		e.moments.next()
		e.workers[0].simulate()
		e.calendar.join()
		e.schedule = e.calendar
	}
	for _, w := range e.working() {
		e.result.Messages += w.messages
		e.result.LatestStart = max(e.result.LatestStart, w.starting)
		e.result.CompletionTime = max(e.result.CompletionTime, w.completion)
		w.messages, w.starting, w.completion = 0, 0, 0
	}
}

// from returns the first slot of the i-th of the workers that simulate the moment.
func (e *Engine) from(i int) int {
	groups := (len(e.nodes) + groupSize - 1) / groupSize
	return min(i*groups/e.size*groupSize*e.controllers, len(e.slots))
}

// ownerOfSlot returns which worker has a slot.
func (e *Engine) ownerOfSlot(i int32) int {
	if e.size == 1 {
		return 0
	}
	return int(e.owners[i/groupSize])
}

// ownerOfNode returns which worker has a node.
func (e *Engine) ownerOfNode(n int32) int { return e.ownerOfSlot(n * int32(e.controllers)) }

// ownerOfLink returns which worker has a link: links follow each other in blocks, which are
// spread by a multiplicative hash (Knuth, The Art of Computer Programming, section 6.4).
func (e *Engine) ownerOfLink(l int32) int {
	return int(uint64(uint32(l/groupSize)*2654435769) * uint64(e.size) >> 32)
}
