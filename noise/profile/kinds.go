package profile

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"jitterfly/internal/units"
	"jitterfly/noise"
)

// A Kind is how the detours of a component arrive.
type Kind string

// The kinds of components, each a row of kinds.
const (
	// Periodic detours begin every Period.
	Periodic Kind = "periodic"
	// Poisson detours arrive without memory, Interval apart in the mean.
	Poisson Kind = "poisson"
	// Bernoulli detours hit each piece of a rank's work with Probability, however long it is.
	Bernoulli Kind = "bernoulli"
	// Replay repeats the detours of a measured Trace.
	Replay Kind = "replay"
)

// A row is what this package and its users know about a kind. A row without source preempts
// pieces of work.
type row struct {
	kind       Kind
	stays      bool                     // on its core, as a core's timer does
	words      func(c Component) string // describes a component, without its name and scope
	parameters func(c *Component) []parameter
	source     func(c Component) noise.Generator
}

// A parameter is a key of a component, and how its value is checked.
type parameter struct {
	entry
	check func() error
}

// seconds returns a time that must exceed 0.
func seconds(key string, x *float64) parameter {
	return parameter{quantityEntry(key, units.Time, x),
		func() error { return noise.Positive("the "+key, *x) }}
}

// duration returns the distribution of a component's lengths.
func duration(c *Component, check func() error) parameter {
	return parameter{lengthEntry("duration", &c.Duration), check}
}

// words describes the lengths of a component.
func (c Component) words() string {
	mean := units.Format(units.Time, c.Duration.Mean(), 3)
	if kind, _ := inFile(c.Duration); kind != constant {
		return "mean " + mean + ", " + kind
	}
	return mean
}

var kinds = []row{
	{
		kind: Periodic, stays: true,
		words: func(c Component) string { return c.words() + " every " + units.Format(units.Time, c.Period, 3) },
		parameters: func(c *Component) []parameter {
			return []parameter{seconds("period", &c.Period), duration(c, c.checkPeriodic)}
		},
		source: func(c Component) noise.Generator {
			return noise.Ticks{Period: c.Period, Lengths: c.Duration}
		},
	}, {
		kind: Poisson,
		words: func(c Component) string {
			return c.words() + " every " + units.Format(units.Time, c.Interval, 3) + " on average"
		},
		parameters: func(c *Component) []parameter {
			return []parameter{seconds("interval", &c.Interval), duration(c, c.checkDuration)}
		},
		source: func(c Component) noise.Generator {
			return noise.PoissonDetours{Interval: c.Interval, Lengths: c.Duration}
		},
	}, {
		kind: Bernoulli,
		words: func(c Component) string {
			return fmt.Sprintf("%s in %.3g%% of steps", c.words(), 100*c.Probability)
		},
		parameters: func(c *Component) []parameter {
			return []parameter{
				{quantityEntry("probability", units.Number, &c.Probability), c.checkProbability},
				duration(c, c.checkDuration),
			}
		},
	}, {
		kind:  Replay,
		words: func(c Component) string { return "replay of " + c.Trace },
		parameters: func(c *Component) []parameter {
			return []parameter{
				{textEntry("trace", &c.Trace), c.checkTrace},
				{textEntry("sha256", &c.TraceDigest).unless(c.TraceDigest == ""), c.checkDigest},
			}
		},
	},
}

// find returns the row of a kind. It fails if the kind is unknown.
func (k Kind) find() (row, error) {
	return named("the kind", k, kinds, func(r row) Kind { return r.kind })
}

// named returns the element with a name. It fails if no element has it.
func named[T any, S ~string](what string, name S, all []T, nameOf func(T) S) (found T, err error) {
	var names []string
	for _, x := range all {
		if nameOf(x) == name {
			return x, nil
		}
		names = append(names, string(nameOf(x)))
	}
	return found, fmt.Errorf("%s %q is not known; valid values: %s", what, name, strings.Join(names, ", "))
}

// staying matches the names that the kernel's tracer gives to what a core cannot give away: its own
// timer and interrupts, softirqs, stalls of the hardware, and threads of which each core has one.
var staying = regexp.MustCompile(`(?i)nmi|smi|softirq|timer|tick|ipi|resched|call_function|irq_work|_apic|` +
	`hardware|migration|watchdog|cpuhp|idle_inject`)

// Moves reports whether another core can take the component, as it can a daemon, a kworker or the
// interrupt of a device.
func (c Component) Moves() bool {
	r, _ := c.Kind.find()
	return !r.stays && !staying.MatchString(c.Name)
}

// Words describes the component in a few words, with its name if it has one.
func (c Component) Words() string {
	r, _ := c.Kind.find() // checked before
	words := r.words(c)
	if c.Scope != "" && c.Scope != Rank {
		together := map[Scope]string{Node: "all ranks of a node", All: "all ranks"}
		words += ", on " + together[c.Scope] + " together"
	}
	if c.Name != "" {
		words = c.Name + ": " + words
	}
	return words
}

func (c *Component) checkDuration() error { return checkLength(c.Duration) }

// checkPeriodic fails if the lengths are not a distribution, or leave no time within the period.
func (c *Component) checkPeriodic() error {
	if err := checkLength(c.Duration); err != nil || c.Duration.Mean() < c.Period {
		return err
	}
	return fmt.Errorf("detours of %s every %s leave no time for work", inWords(c.Duration.Mean()),
		inWords(c.Period))
}

func (c *Component) checkProbability() error {
	if !(c.Probability > 0 && c.Probability <= 1) {
		return fmt.Errorf("the probability is %g, which must exceed 0 and be at most 1", c.Probability)
	}
	return nil
}

func (c *Component) checkTrace() error {
	if !filepath.IsLocal(c.Trace) || strings.Contains(c.Trace, `\`) {
		return fmt.Errorf("the trace %q is not a path that stays in the profile's directory", c.Trace)
	}
	return nil
}

func (c *Component) checkDigest() error {
	sum, err := hex.DecodeString(c.TraceDigest)
	if err != nil || len(sum) != 0 && len(sum) != sha256.Size {
		return fmt.Errorf("sha256 is %.80q, which is not a SHA-256 in hexadecimal digits", c.TraceDigest)
	}
	return nil
}

// constant is the kind of a length that is written as a quantity.
const constant = "constant"

// A lengthRow is a distribution of lengths as the file has it: its kind and its entries.
type lengthRow struct {
	kind string
	// of returns the entries of a length of this kind, and what returns the length after they are read.
	// Of a length of another kind, or nil, the entries are those of a new one, and ok is false.
	of func(l noise.Length) (entries []entry, length func() noise.Length, ok bool)
}

// lengthsOf returns the row of the lengths of a type.
func lengthsOf[T noise.Length](kind string, entries func(l *T) []entry) lengthRow {
	return lengthRow{kind, func(l noise.Length) ([]entry, func() noise.Length, bool) {
		own, ok := l.(T)
		return entries(&own), func() noise.Length { return own }, ok
	}}
}

var lengthRows = []lengthRow{
	lengthsOf(constant, func(c *noise.Constant) []entry {
		return []entry{quantityEntry("length", units.Time, (*float64)(c))}
	}),
	lengthsOf("exponential", func(e *noise.Exponential) []entry {
		return []entry{quantityEntry("mean", units.Time, &e.Average)}
	}),
	lengthsOf("pareto", func(d *noise.Pareto) []entry {
		return []entry{quantityEntry("least", units.Time, &d.Least), quantityEntry("shape", units.Number, &d.Shape)}
	}),
	lengthsOf("lognormal", func(d *noise.Lognormal) []entry {
		return []entry{quantityEntry("median", units.Time, &d.Median),
			quantityEntry("sigma", units.Number, &d.Sigma)}
	}),
	lengthsOf("empirical", func(e *noise.Empirical) []entry { return []entry{quantilesEntry(e)} }),
}

// inFile returns the kind and the entries of a distribution.
func inFile(l noise.Length) (kind string, all []entry) {
	for _, r := range lengthRows {
		if all, _, ok := r.of(l); ok {
			return r.kind, all
		}
	}
	return "", nil
}

// checkLength fails if there is no distribution, or if a parameter of it is out of range.
func checkLength(l noise.Length) error {
	if l == nil {
		return errors.New("the duration is missing")
	}
	return l.Check()
}

// lengthEntry returns the entry of a distribution: a quantity, which is constant, or a mapping
// with a kind.
func lengthEntry(key string, value *noise.Length) entry {
	return entry{
		key:  key,
		read: func(d *document, n *yaml.Node, path string) { *value = d.length(n, path) },
		node: func() *yaml.Node {
			if c, ok := (*value).(noise.Constant); ok {
				return quantity(units.Time, float64(c))
			}
			return kindNode(inFile(*value))
		},
	}
}

func (d *document) length(n *yaml.Node, path string) noise.Length {
	var l noise.Length
	if n.Kind == yaml.ScalarNode {
		l = noise.Constant(d.quantity(n, path, units.Time))
	} else {
		l = d.distribution(n, path)
	}
	if err := checkLength(l); err != nil {
		d.fail(n, path, "%w", err)
	}
	return l
}

func (d *document) distribution(n *yaml.Node, path string) noise.Length {
	f := d.fields(n, path)
	defer f.end()
	kind := ""
	f.take(textEntry("kind", &kind))
	r, err := named("the kind", kind, lengthRows, func(r lengthRow) string { return r.kind })
	if err != nil {
		d.fail(n, path, "%w", err)
		return nil
	}
	entries, length, _ := r.of(nil)
	f.take(entries...)
	return length()
}

// quantilesEntry returns the entry of a list of pairs of a share and a length.
func quantilesEntry(e *noise.Empirical) entry {
	return listEntry("quantiles", &e.Points,
		func(d *document, n *yaml.Node, path string) (q noise.Quantile) {
			if n.Kind != yaml.SequenceNode || len(n.Content) != 2 {
				d.fail(n, path, "a quantile is a share and a length, such as [0.5, 2us]")
				return q
			}
			q.Share = d.quantity(n.Content[0], path, units.Number)
			q.Length = d.quantity(n.Content[1], path, units.Time)
			return q
		},
		func(q noise.Quantile) *yaml.Node {
			pair := []*yaml.Node{quantity(units.Number, q.Share), quantity(units.Time, q.Length)}
			return &yaml.Node{Kind: yaml.SequenceNode, Content: pair}
		})
}
