package rounds

import (
	"reflect"

	"jitterfly/montecarlo"
	"jitterfly/noise"
)

// A kit is what the runners of a worker share, which take turns: the vectors of a simulator, noise with the
// room that its lists have grown to, and with the trial that it has drawn, what courses keep, and trials
// without noise.
type kit struct {
	simulator *Simulator
	noise     *Noise
	courses   *courses              // of the runners whose turn it is
	quiet     map[*Model]*noiseFree // of models simulated so far

	ranks   int
	place   func(r int) int // of the schedule, or nil
	os      noise.OS
	network noise.Network
	detours noise.Detours // of the ranks of the program
	delays  noise.Delays
}

func (k *kit) handOver() *kit { return k }

// newKit returns what a runner of a model needs for its schedule, with what an old runner, or nil, has of it.
func (m *Model) newKit(place func(r int) int, old montecarlo.Runner) kit {
	k := kit{courses: new(courses), ranks: m.Problem.Ranks, place: place, os: m.OS, network: m.Network}
	holder, ok := old.(interface{ handOver() *kit })
	if !ok || k.ranks > len(holder.handOver().simulator.room) {
		k.simulator = NewSimulator(k.ranks)
	} else {
		o := holder.handOver()
		if k.simulator, k.courses, k.quiet = o.simulator, o.courses, o.quiet; k.sameNoise(o) {
			k.detours, k.delays = o.detours, o.delays
		}
	}
	if k.detours == nil {
		k.detours, k.delays = m.OS.Detours(k.simulator.room[:k.ranks]), m.Network.Delays()
	}
	detours := k.detours
	if place != nil && m.OS.Grouped(k.ranks) {
		detours = &placed{Detours: detours, place: place}
	}
	k.noise = NewNoise(detours, k.delays)
	return k
}

// sameNoise reports whether the noise of another kit does for this one.
func (k *kit) sameNoise(o *kit) bool {
	return k.ranks == o.ranks && reflect.DeepEqual(k.os, o.os) && reflect.DeepEqual(k.network, o.network)
}

// shares reports whether another kit has the same simulator and the same noise.
func (k *kit) shares(o *kit) bool {
	return k.simulator == o.simulator && k.detours == o.detours && k.delays == o.delays
}

// mostQuiet is how many trials without noise a kit keeps, and mostListed the messages that are listed in
// them: some 20 MB.
const mostQuiet, mostListed = 32, 1 << 19

// keep keeps the trial without noise of a model, and those of others if there is room for them.
func (k *kit) keep(m *Model, trial *noiseFree) {
	listed := len(trial.messages)
	for _, other := range k.quiet {
		listed += len(other.messages)
	}
	if k.quiet == nil || len(k.quiet) == mostQuiet || listed > mostListed {
		k.quiet = map[*Model]*noiseFree{}
	}
	k.quiet[m] = trial
}

// placed are the detours of ranks of a schedule that are others of the program.
type placed struct {
	noise.Detours
	place func(r int) int
}

// Finish implements [noise.Detours].
func (p *placed) Finish(piece noise.Piece, lo int, t []float64, work float64) {
	for i := range t {
		p.Detours.Finish(piece, p.place(lo+i), t[i:i+1], work)
	}
}
