package measured

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"jitterfly/internal/rng"
	"jitterfly/internal/vector"
	"jitterfly/noise"
)

// Numbers of the test.
const (
	draws       = 999
	significant = 10 // this many statistics in all may be as large, the true one included
	mostWindows = 10 * noise.Blocks
)

// A comparison says how much nodes differ, and draws how much equal nodes may differ by chance.
type comparison interface {
	// deviation returns the largest deviation of a node from the median node, and which node has it.
	deviation() (most float64, node int)
	// redraw replaces what was measured by what equal nodes may have.
	redraw(random rng.Stream)
}

// divide returns the nodes that do not differ by more than chance, and the others. Of odd nodes,
// usual has the nodes that are not odd; of all nodes it is nil.
func divide(nodes, usual []Node) (equal, odd []Node) {
	equal = slices.Clone(nodes)
	for len(equal) > 1 {
		var c comparison
		if equal[0].Lengths != nil {
			c = spreadOf(equal, usual)
		} else {
			c = windowsOf(equal)
		}
		most, node := c.deviation()
		larger, random := 1, rng.New(rng.NewKey(uint64(len(equal)), "fleet"))
		for range draws {
			c.redraw(random)
			if drawn, _ := c.deviation(); drawn >= most {
				larger++
			}
			if larger > significant {
				return equal, odd
			}
		}
		odd = append(odd, equal[node])
		equal = slices.Delete(equal, node, node+1)
	}
	return equal, odd
}

// windows are the windows of all nodes, one node after the other.
type windows struct {
	of     [2][]float64 // overhead and longest detour, in standard deviations
	counts []int        // of each node
}

// windowsOf returns windows that are as long on all nodes: a tenth of the shortest measurement.
// Of a longer one the first hundred are taken at most.
func windowsOf(nodes []Node) *windows {
	w, width := &windows{}, math.Inf(1)
	for _, n := range nodes {
		width = min(width, n.shortest()/noise.Blocks)
	}
	for _, n := range nodes {
		const rounding = 1e-9
		w.add(n, min(int(n.shortest()/width+rounding), mostWindows), width)
	}
	for _, of := range w.of {
		if deviation := stat.StdDev(of, nil); deviation > 0 {
			for i := range of {
				of[i] /= deviation
			}
		}
	}
	return w
}

// shortest returns the shortest time [s] for which a core of the node was watched.
func (n Node) shortest() float64 {
	least := math.Inf(1)
	for _, c := range n.Cores {
		least = min(least, c.Span)
	}
	return least
}

// add adds n windows of a node, of a width [s].
func (w *windows) add(node Node, n int, width float64) {
	busy, longest := make([]float64, n), make([]float64, n)
	for _, c := range node.Cores {
		most := make([]float64, n)
		for _, d := range c.Detours {
			if i := int(d.Start / width); i < n {
				busy[i] += d.Length / width
				most[i] = max(most[i], d.Length)
			}
		}
		for i := range most {
			longest[i] += most[i]
		}
	}
	for i := range n {
		w.of[0] = append(w.of[0], busy[i]/float64(len(node.Cores)))
		w.of[1] = append(w.of[1], longest[i]/float64(len(node.Cores)))
	}
	w.counts = append(w.counts, n)
}

// redraw implements [comparison] by a random order of all windows.
func (w *windows) redraw(random rng.Stream) {
	random.Shuffle(len(w.of[0]), func(i, j int) {
		for _, of := range w.of {
			of[i], of[j] = of[j], of[i]
		}
	})
}

// deviation implements [comparison]. It is the deviation of a mean over windows, in standard errors.
func (w *windows) deviation() (most float64, node int) {
	means := make([]float64, len(w.counts))
	for _, of := range w.of {
		for i, n := range w.counts {
			means[i] = stat.Mean(of[:n], nil)
			of = of[n:]
		}
		middle := vector.Median(means)
		for i, n := range w.counts {
			if d := math.Abs(means[i]-middle) * math.Sqrt(float64(n)); d > most {
				most, node = d, i
			}
		}
	}
	return most, node
}
