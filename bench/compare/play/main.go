// Command play plays trials of the butterfly with given noise, for run.sh.
//
//	play write 16 FILE    writes noise for 2^16 ranks
//	play play 10 FILE     plays ten trials with it
//
// Playing prints the fastest trial's seconds and rounds, and the completions at T = 0 and
// at the largest T.
package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"time"

	"jitterfly/collectives"
	"jitterfly/collectives/alphabeta"
	"jitterfly/internal/rng"
	"jitterfly/noise"
)

// header begins the file. The phases of all ranks follow, and for each of 2·Log2
// exchanges the number of events and the ranks whose messages they hold, in order. All
// are 64-bit little-endian numbers.
type header struct {
	Log2                    int64
	Wire, Combine           float64
	Period, Duration, Delay float64
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "play:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 3 {
		return fmt.Errorf("%d arguments; want write or play, a number and a file", len(args))
	}
	n, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	if args[0] == "write" {
		return write(n, args[2])
	}
	return play(n, args[2])
}

// write writes the noise of the reference deployment: 108 ns a message, 1 % jitter, and
// an event a millisecond.
func write(log2 int, name string) error {
	h := header{int64(log2), 108e-9, 0.8e-9, 1e-3, 10e-6, 10e-6}
	random := rand.New(rand.NewPCG(1, uint64(log2)))
	ranks := 1 << log2
	phases := make([]float64, ranks)
	for r := range phases {
		phases[r] = h.Period * random.Float64()
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	parts := []any{h, phases}
	for range 2 * log2 {
		events := make([]int64, int(float64(ranks)*h.Wire/1e-3))
		for i := range events {
			events[i] = random.Int64N(int64(ranks))
		}
		slices.Sort(events)
		events = slices.Compact(events) // a message is held once
		parts = append(parts, int64(len(events)), events)
	}
	for _, part := range parts {
		if err := binary.Write(w, binary.LittleEndian, part); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

// events are the ranks whose messages are held, for each exchange.
type events struct {
	ranks [][]int64
	delay float64
}

// Delayed implements [noise.SparseDelays].
func (e events) Delayed(exchange, lo, n int, _ float64, hold func(i int, delay float64)) {
	ranks := e.ranks[exchange]
	for i, _ := slices.BinarySearch(ranks, int64(lo)); i < len(ranks) && int(ranks[i]) < lo+n; i++ {
		hold(int(ranks[i])-lo, e.delay)
	}
}

// Rare implements [noise.SparseDelays].
func (events) Rare(float64) bool { return true }

// Delay implements [alphabeta.Delays].
func (e events) Delay(exchange, lo int, arrive []float64, transit float64) {
	e.Delayed(exchange, lo, len(arrive), transit, func(i int, delay float64) { arrive[i] += delay })
}

func play(trials int, name string) error {
	h, phases, network, err := read(name)
	if err != nil {
		return err
	}
	p := collectives.Problem{
		Ranks: len(phases), Bytes: 1, Latency: h.Wire, Bandwidth: math.Inf(1), MemoryBandwidth: 1 / h.Combine,
		Redundancy: collectives.Redundancy{Max: collectives.AllExchanges, Sources: 1},
	}
	schedule, err := collectives.Butterfly(p)
	if err != nil {
		return err
	}
	jitter := noise.Periodic{Period: h.Period, Duration: h.Duration}.At(phases)
	dense := struct { // hides that the detours can be listed
		noise.Detours
		noise.GapDetours
	}{jitter, jitter.(noise.GapDetours)}
	simulator, plan := alphabeta.NewSimulator(p.Ranks), alphabeta.NewPlan(&schedule, p)
	given := alphabeta.NewNoise(dense, network)
	trial := alphabeta.Trial{Completion: make([]float64, len(schedule.Checkpoints))}
	best := math.Inf(1)
	for range trials {
		jitter.Draw(rng.Key{})
		start := time.Now()
		if err := simulator.Run(context.Background(), plan, given, &trial); err != nil {
			return err
		}
		best = min(best, time.Since(start).Seconds())
	}
	fmt.Printf("%.9g %d %.17g %.17g\n", best, trial.Rounds, trial.Completion[0], trial.Completion[len(trial.Completion)-1])
	return nil
}

func read(name string) (h header, phases []float64, network events, err error) {
	f, err := os.Open(name)
	if err != nil {
		return h, nil, network, err
	}
	r := bufio.NewReader(f)
	if err := binary.Read(r, binary.LittleEndian, &h); err != nil {
		return h, nil, network, err
	}
	network.delay = h.Delay
	phases = make([]float64, 1<<h.Log2)
	if err := binary.Read(r, binary.LittleEndian, phases); err != nil {
		return h, nil, network, err
	}
	for range 2 * h.Log2 {
		held, err := readEvents(r)
		if err != nil {
			return h, nil, network, err
		}
		network.ranks = append(network.ranks, held)
	}
	return h, phases, network, f.Close()
}

func readEvents(r io.Reader) ([]int64, error) {
	var n int64
	if err := binary.Read(r, binary.LittleEndian, &n); err != nil {
		return nil, err
	}
	ranks := make([]int64, n)
	return ranks, binary.Read(r, binary.LittleEndian, ranks)
}
