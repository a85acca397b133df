// Command simulate simulates trials of the butterfly with the noise of a file, as the programs in C and in
// NumPy beside it do.
//
//	go run ./bench/compare/simulate TRIALS FILE
package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"log"
	"math"
	"os"
	"slices"
	"strconv"
	"time"

	"jitterfly/collectives"
	"jitterfly/collectives/rounds"
	"jitterfly/internal/rng"
	"jitterfly/noise"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("simulate: want the number of trials and a file of noise")
	}
	trials, err := strconv.Atoi(os.Args[1])
	if err == nil {
		err = simulate(trials, os.Args[2])
	}
	if err != nil {
		log.Fatal("simulate: ", err)
	}
}

// A header is the beginning of a file of noise, as noise.py writes it.
type header struct {
	Log2                    int64
	Wire, Combine           float64
	Period, Duration, Delay float64
}

// events are the ranks whose messages are delayed in each exchange, all by the same delay [s].
type events struct {
	noise.Given
	ranks [][]int64
	delay float64
}

// Delayed implements [noise.SparseDelays].
func (e events) Delayed(exchange, lo, n int, _ float64, add func(i int, delay float64)) bool {
	ranks := e.ranks[exchange]
	for i, _ := slices.BinarySearch(ranks, int64(lo)); i < len(ranks) && int(ranks[i]) < lo+n; i++ {
		add(int(ranks[i])-lo, e.delay)
	}
	return true
}

// Delay implements [noise.Delays].
func (e events) Delay(exchange, lo int, arrive []float64, transit float64) {
	e.Delayed(exchange, lo, len(arrive), transit, func(i int, delay float64) { arrive[i] += delay })
}

// simulate simulates trials with the noise of a file. It prints the time [s] of the fastest trial, its
// number of rounds, and the completion times [s] at T = 0 and at the largest T.
func simulate(trials int, name string) error {
	h, phases, network, err := readNoise(name)
	if err != nil {
		return err
	}
	p := collectives.Problem{
		Ranks: len(phases), Bytes: 1,
		Latency: h.Wire, Bandwidth: math.Inf(1), MemoryBandwidth: 1 / h.Combine,
		Redundancy: collectives.Redundancy{Max: collectives.AllExchanges, Sources: 1},
	}
	schedule, err := collectives.Butterfly(p)
	if err != nil {
		return err
	}
	jitter := noise.Periodic{Period: h.Period, Duration: h.Duration}.Detours(make([]float64, p.Ranks))
	dense := struct { // hides that the detours know when they preempt nobody
		noise.Detours
		noise.GapDetours
	}{jitter, jitter.(noise.GapDetours)}
	simulator, plan := rounds.NewSimulator(p.Ranks), rounds.Compile(&schedule, p)
	given := rounds.NewNoise(dense, network)
	trial := rounds.Trial{Completion: make([]float64, len(schedule.Checkpoints))}
	best := math.Inf(1)
	for range trials {
		jitter.Draw(p.Ranks, rng.Key{})
		for lo := 0; lo < p.Ranks; lo += noise.Block {
			gaps := dense.Gaps(lo, math.MaxFloat64) // draws phases, which are replaced
			copy(gaps.First[lo:], phases[lo:min(p.Ranks, lo+noise.Block)])
			copy(gaps.End[lo:], phases[lo:min(p.Ranks, lo+noise.Block)])
		}
		start := time.Now()
		if err := simulator.Run(context.Background(), plan, given, &trial); err != nil {
			return err
		}
		best = min(best, time.Since(start).Seconds())
	}
	last := len(trial.Completion) - 1
	fmt.Printf("%.9g %d %.17g %.17g\n",
		best, trial.Rounds, trial.Completion[0], trial.Completion[last])
	return nil
}

// readNoise returns the noise of a file.
func readNoise(name string) (h header, phases []float64, network events, err error) {
	file, err := os.ReadFile(name)
	r := bytes.NewReader(file)
	read := func(part any) {
		if err == nil {
			err = binary.Read(r, binary.LittleEndian, part)
		}
	}
	read(&h)
	network.delay = h.Delay
	phases = make([]float64, 1<<h.Log2)
	read(phases)
	for range 2 * h.Log2 {
		n := int64(0)
		read(&n)
		ranks := make([]int64, n)
		read(ranks)
		network.ranks = append(network.ranks, ranks)
	}
	return h, phases, network, err
}
