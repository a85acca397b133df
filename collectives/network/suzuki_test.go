package network

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A suzuki is the simulator of Suzuki et al., section 2.2.2, with threads as in section 2.3: a
// loop whose seven steps treat all nodes or all links, divided among the threads, with a
// barrier after each. It is the benchmark beside [Engine].
type suzuki struct {
	Problem
	barrier barrier
	threads int

	sent   []int32 // messages of each node that have arrived
	left   []float64
	rates  []float64
	routes [][]int32 // of each node's message
	counts []int32   // flows on each link (mcnt)
	shares []float64 // of each flow on a link [B/s]
	mine   []part    // of each thread
}

// A part is what a thread finds; it fills a cache line.
type part struct {
	sending int     // nodes with messages
	next    float64 // the least time until a message has arrived [s]
	_       [6]uint64
}

// newSuzuki returns the simulator of a problem. Threads look so often whether the others have
// reached a barrier before they sleep: never is what OpenMP's barrier stands for, and always
// the paper's own.
func newSuzuki(p Problem, threads, looks int) *suzuki {
	nodes := p.Topology.Nodes()
	s := &suzuki{
		Problem: p, threads: threads, barrier: barrier{signal: signal{looks: looks}},
		sent: make([]int32, nodes), left: slices.Repeat([]float64{p.Bytes}, nodes),
		rates: make([]float64, nodes), routes: make([][]int32, nodes),
		counts: make([]int32, p.links()), shares: make([]float64, p.links()),
		mine: make([]part, threads),
	}
	return s
}

// run returns when the last message has arrived [s].
func (s *suzuki) run() float64 {
	var threads sync.WaitGroup
	for i := 1; i < s.threads; i++ {
		threads.Go(func() { s.thread(i) })
	}
	now := s.thread(0)
	threads.Wait()
	return now
}

// thread is the loop of one thread.
func (s *suzuki) thread(i int) (now float64) {
	wait := func() {
		if s.threads > 1 {
			s.barrier.wait(s.threads)
		}
	}
	share := func(n int) (from, to int) { return i * n / s.threads, (i + 1) * n / s.threads }
	node, nodes := share(len(s.sent))
	link, links := share(len(s.counts))
	for {
		s.list(i, node, nodes) // step 1
		wait()
		if !slices.ContainsFunc(s.mine, func(p part) bool { return p.sending > 0 }) {
			return now
		}
		clear(s.counts[link:links]) // step 2
		wait()
		s.route(node, nodes) // step 3
		wait()
		for l := link; l < links; l++ { // step 4
			s.shares[l] = s.Bandwidth / float64(s.counts[l])
		}
		wait()
		next := s.least(node, nodes) // step 5
		wait()
		s.mine[i].next = next // step 6
		wait()
		for _, other := range s.mine {
			next = min(next, other.next)
		}
		now += next
		s.advance(node, nodes, next) // step 7
		wait()
	}
}

// list counts the nodes that have messages to send.
func (s *suzuki) list(i, from, to int) {
	s.mine[i].sending = 0
	for n := from; n < to; n++ {
		if int(s.sent[n]) < s.Pattern.Phases() {
			s.mine[i].sending++
		}
	}
}

// route finds the route of each message, and counts it on its links.
func (s *suzuki) route(from, to int) {
	for n := from; n < to; n++ {
		s.routes[n] = s.routes[n][:0]
		if phase := int(s.sent[n]); phase < s.Pattern.Phases() {
			s.routes[n] = s.Topology.Route(s.routes[n], n, s.Pattern.To(phase, n))
		}
		for _, l := range s.routes[n] {
			atomic.AddInt32(&s.counts[l], 1)
		}
	}
}

// least returns the least time until a message has arrived at its rate.
func (s *suzuki) least(from, to int) float64 {
	next := math.Inf(1)
	for n := from; n < to; n++ {
		if len(s.routes[n]) == 0 {
			continue
		}
		rate := math.Inf(1)
		for _, l := range s.routes[n] {
			rate = min(rate, s.shares[l])
		}
		s.rates[n] = rate
		next = min(next, s.left[n]/rate)
	}
	return next
}

// advance lets a time pass.
func (s *suzuki) advance(from, to int, time float64) {
	for n := from; n < to; n++ {
		if len(s.routes[n]) == 0 {
			continue
		}
		if s.left[n] -= s.rates[n] * time; s.left[n] <= s.Bytes*1e-9 {
			s.sent[n]++
			s.left[n] = s.Bytes
		}
	}
}

// ringOn returns the problem of the paper: ten messages of each node around a random ring.
func ringOn(tree FatTree) Problem {
	ring := RandomRing(tree.Nodes(), 10, false, rand.New(rand.NewPCG(1, 2)).Shuffle)
	return Problem{Topology: tree, Pattern: ring, Bytes: 1e6, Bandwidth: 1e9}
}

// waits are the numbers of looks of the paper's barriers.
var waits = map[string]int{"sleeping": 0, "spinning": math.MaxInt}

// The loop of the paper and the engine simulate the same, with any number of threads.
func TestSuzuki(t *testing.T) {
	for _, tree := range []FatTree{2, 4} {
		p := ringOn(tree)
		e, err := NewEngine(p)
		if err != nil {
			t.Fatal(err)
		}
		want, err := e.Run(context.Background(), NoiseFree{}, NoiseFree{})
		if err != nil {
			t.Fatal(err)
		}
		for threads := range 4 {
			got := newSuzuki(p, threads+1, 100).run()
			if math.Abs(got/want.CompletionTime-1) > 1e-9 {
				t.Errorf("%s, %d threads: %v s, want %v", tree, threads+1, got, want.CompletionTime)
			}
		}
	}
}

// BenchmarkSuzuki simulates the paper's random ring on its smaller trees with GOMAXPROCS threads:
// by its loop with barriers that sleep and that spin, and by an engine with as many workers.
func BenchmarkSuzuki(b *testing.B) {
	for _, tree := range []FatTree{8, 12, 20} {
		for name, looks := range waits {
			b.Run(fmt.Sprintf("%s/%s", name, tree), func(b *testing.B) {
				p, threads := ringOn(tree), runtime.GOMAXPROCS(0)
				for b.Loop() {
					newSuzuki(p, threads, looks).run()
				}
			})
		}
	}
}

// BenchmarkShared simulates the same by an engine that has GOMAXPROCS workers for each trial.
func BenchmarkShared(b *testing.B) {
	for _, latency := range []float64{0, 1e-6} {
		for _, tree := range []FatTree{8, 12, 20, 24, 32} {
			b.Run(fmt.Sprintf("engine/latency=%g/%s", latency, tree), func(b *testing.B) {
				p := ringOn(tree)
				p.Latency = latency
				e, err := NewEngine(p)
				if err != nil {
					b.Fatal(err)
				}
				workers := runtime.GOMAXPROCS(0)
				e.Share(func() int { return workers }, func(int) (Host, Delays) { return NoiseFree{}, NoiseFree{} })
				for b.Loop() {
					if _, err := e.Run(context.Background(), NoiseFree{}, NoiseFree{}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// sink keeps the sums of BenchmarkBarrier.
var sink atomic.Int64

// BenchmarkBarrier measures what a barrier of GOMAXPROCS threads costs after some additions, as
// section 3.2 does: the time with it less that without.
func BenchmarkBarrier(b *testing.B) {
	threads := runtime.GOMAXPROCS(0)
	for name, looks := range waits {
		for _, additions := range []int{1, 10, 100, 1000, 10000, 100000} {
			b.Run(fmt.Sprintf("%s/additions=%d", name, additions), func(b *testing.B) {
				loop := func(wait func()) time.Duration {
					begin := time.Now()
					var all sync.WaitGroup
					for range threads {
						all.Go(func() {
							sum := int64(0)
							for range b.N {
								for i := range additions {
									sum += int64(i) ^ sum
								}
								wait()
							}
							sink.Add(sum)
						})
					}
					all.Wait()
					return time.Since(begin)
				}
				meeting := barrier{signal: signal{looks: looks}}
				cost := loop(func() { meeting.wait(threads) }) - loop(func() {})
				b.ReportMetric(float64(cost.Nanoseconds())/float64(b.N), "ns/barrier")
			})
		}
	}
}
