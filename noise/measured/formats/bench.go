package formats

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// A Bench is what the benchmark of jitterfly's MPI library measured: single operations, with and
// without injected detours, in the order in which they ran.
type Bench struct {
	Ranks        int
	RanksPerNode int     // the most that a node has; nodes have consecutive ranks
	Latency      float64 // α, of a message [s]
	NodeLatency  float64 // of reading what another rank of the node has written [s]; 0 if not measured
	Bandwidth    float64 // 1/β [B/s]; 0 if it was not measured
	SendOverhead float64 // c, of one more redundant copy [s]
	// Machine says that the noise is the machine's own. If not, every rank has detours of
	// this period and duration [s], at phases that are independent of the operations'
	// beginnings if Random is set, and else after them.
	Machine          bool
	Period, Duration float64
	Random           bool
	Held             float64 // for how long every message is held [s]
	Operations       []Operation
}

// An Operation is one allreduce, or a loop of iterations of computing and one allreduce each.
type Operation struct {
	Number int64 // in the order of the run
	Scheme
	Noisy   bool    // not without detours
	Seconds float64 // until the last rank has returned; of a loop, of one iteration
}

// A Scheme is what an operation does.
type Scheme struct {
	Bytes float64
	// Sources is R, 0 for the allreduce of the MPI library, and Copies T.
	Sources, Copies int
	// Leaders is the number of ranks of a node that exchange messages, 0 for all, as in the
	// butterfly. With Share each takes the earliest of their partial results.
	Leaders    int
	Share      bool
	Iterations int     // of a loop; 0 is one allreduce
	Compute    float64 // in each of them [s]
}

// The benchmark writes
//
//	# jitterfly-mpi bench: 2
//	# ranks: 16
//	# latency: 1.9e-06
//	operation,bytes,r,t,leaders,share,noise,iterations,compute,seconds
//	0,8,1,0,2,1,quiet,0,0,2.31e-06
//
// and other keys in comments, which are kept as provenance.
const benchKey = "jitterfly-mpi bench"

// benchColumns are the columns by the version of the format. Version 1 has no leaders.
var benchColumns = map[string]string{
	"1": "operation,bytes,r,t,noise,iterations,compute,seconds",
	"2": "operation,bytes,r,t,leaders,share,noise,iterations,compute,seconds",
}

func readBench(s *source, m *Measurement) {
	var b Bench
	head, columns := map[string]string{}, ""
	s.each(
		rule{`^#([^:]*):(.*)$`, func(s *source) {
			name, value := strings.TrimSpace(s.fields[1]), strings.TrimSpace(s.fields[2])
			if head[name] = value; name != benchKey {
				s.fact(name, value)
			} else if columns = benchColumns[value]; columns == "" {
				s.fail("the benchmark wrote its format %s, and this program reads 1 and 2; use files of "+
					"one version", printable(value, 20))
			}
		}},
		rule{`^operation,`, func(s *source) {
			if s.text != columns {
				s.fail("the columns are not %s, those of format %s", columns, head[benchKey])
			}
		}},
		rule{"", func(s *source) {
			if columns == "" {
				s.fail("the line is before # %s:, which says what its values are; is the file's head missing?",
					benchKey)
			}
			keep(s, &b.Operations, operation(s, columns))
		}},
	)
	b.head(s, head)
	m.Bench = &b
}

// operation returns the operation of the current line. It fails if the line has no operation, since
// a benchmark without some of its operations is useless.
func operation(s *source, columns string) Operation {
	f, names := strings.Split(s.text, ","), strings.Split(columns, ",")
	if len(f) != len(names) {
		s.fail("%d values in the line, not those of %s", len(f), columns)
	}
	of, noise := map[string]float64{}, f[slices.Index(names, "noise")]
	if noise != "noisy" && noise != "quiet" {
		s.fail("the noise is %q, not quiet or noisy", printable(noise, 20))
	}
	for i, name := range names {
		if name != "noise" {
			of[name] = benchValue(s, name, f[i])
		}
	}
	if of["share"] > 1 || of["share"] == 1 && of["leaders"] == 0 {
		s.fail("share is %g for %g leaders; it is 0 or 1, and 0 without leaders", of["share"], of["leaders"])
	}
	return Operation{
		Number: int64(of["operation"]), Noisy: noise == "noisy", Seconds: of["seconds"],
		Scheme: Scheme{
			Bytes: of["bytes"], Sources: int(of["r"]), Copies: int(of["t"]), Leaders: int(of["leaders"]),
			Share: of["share"] == 1, Iterations: int(of["iterations"]), Compute: of["compute"],
		},
	}
}

// benchValue returns the number in a column. It fails if that is not valid.
func benchValue(s *source, name, text string) float64 {
	x, err := strconv.ParseFloat(text, 64)
	whole := name != "compute" && name != "seconds"
	if err != nil || !(x >= 0 && x <= math.MaxInt32) || whole && x != math.Trunc(x) ||
		name == "seconds" && x == 0 {
		s.fail("%q is no %s", printable(text, 20), name)
	}
	return x
}

// head sets what the comments say. It fails if they leave out what is needed.
func (b *Bench) head(s *source, values map[string]string) {
	number := func(key string, least float64) float64 {
		x, err := strconv.ParseFloat(values[key], 64)
		if err != nil || !(x >= least) || math.IsInf(x, 0) {
			s.fail("the head says # %s: %q, where a number is needed", key, printable(values[key], 20))
		}
		return x
	}
	optional := func(key string, least float64) float64 {
		if values[key] == "" {
			return 0
		}
		return number(key, least)
	}
	word := func(key string, words ...string) string {
		if !slices.Contains(words, values[key]) {
			s.fail("the head says # %s: %q, which is not %s", key, printable(values[key], 20),
				strings.Join(words, " or "))
		}
		return values[key]
	}
	b.Ranks, b.RanksPerNode = int(number("ranks", 1)), int(max(1, optional("ranks_per_node", 1)))
	b.Latency, b.NodeLatency = number("latency", 0), optional("node_latency", 0)
	b.Bandwidth = optional("bandwidth", 1)
	b.SendOverhead, b.Held = number("send_overhead", 0), optional("held", 0)
	if b.Machine = word("noise", "injected", "machine") == "machine"; !b.Machine {
		b.Period, b.Duration = number("period", 1e-12), number("duration", 0)
		b.Random = word("launch", "stationary", "quiet") == "stationary"
	}
	switch {
	case !b.Machine && b.Duration >= b.Period:
		s.fail("detours of %g s every %g s leave no time to compute", b.Duration, b.Period)
	case b.RanksPerNode > b.Ranks:
		s.fail("%d ranks per node are more than all %d", b.RanksPerNode, b.Ranks)
	case len(b.Operations) == 0:
		s.fail("there is no operation in the file")
	}
}
