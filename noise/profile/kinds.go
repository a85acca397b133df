package profile

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

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
	stays      bool   // on its core, as a core's timer does
	about      string // documentation
	words      string // describes a component; keys in braces stand for their values
	parameters []parameter
	source     func(c Component) noise.Generator
}

// A parameter is a key of a component: a number, a string or a distribution of lengths.
type parameter struct {
	key       string
	dimension units.Dimension // of a number
	number    func(c *Component) *float64
	text      func(c *Component) *string
	length    bool // Duration
	optional  bool
	check     func(c Component) error
}

var duration = parameter{key: "duration", length: true,
	check: func(c Component) error { return checkLength(c.Duration) }}

// seconds returns a time that must exceed 0.
func seconds(key string, of func(c *Component) *float64) parameter {
	return parameter{key: key, dimension: units.Time, number: of,
		check: func(c Component) error { return positive(key, *of(&c)) }}
}

var kinds = []row{
	{
		kind: Periodic, stays: true, about: "one every `period`, from a uniform phase; each length is drawn",
		words: "{duration} every {period}",
		parameters: []parameter{
			seconds("period", func(c *Component) *float64 { return &c.Period }),
			{key: "duration", length: true, check: checkPeriodic},
		},
		source: func(c Component) noise.Generator {
			return noise.Ticks{Period: c.Period, Lengths: c.Duration}
		},
	}, {
		kind: Poisson, about: "at the times of a Poisson process, `interval` apart on average; each " +
			"length is drawn",
		words: "{duration} every {interval} on average",
		parameters: []parameter{
			seconds("interval", func(c *Component) *float64 { return &c.Interval }), duration,
		},
		source: func(c Component) noise.Generator {
			return noise.PoissonDetours{Interval: c.Interval, Lengths: c.Duration}
		},
	}, {
		kind: Bernoulli,
		about: "not at given times: each [piece of work](#pieces-of-work) takes longer with " +
			"`probability`, by a length that is drawn",
		words: "{duration} in {probability} of steps",
		parameters: []parameter{
			{key: "probability", dimension: units.Number,
				number: func(c *Component) *float64 { return &c.Probability }, check: checkProbability},
			duration,
		},
	}, {
		kind: Replay,
		about: "one core of the `trace`, drawn in proportion to how long each core was measured, " +
			"from a uniform time on; the trace repeats after its end",
		words: "replay of {trace}",
		parameters: []parameter{
			{key: "trace", text: func(c *Component) *string { return &c.Trace }, check: checkTrace},
			{key: "sha256", text: func(c *Component) *string { return &c.TraceDigest }, optional: true,
				check: checkDigest},
		},
	},
}

// Kinds returns the names of the kinds.
func Kinds() []string {
	var names []string
	for _, k := range kinds {
		names = append(names, string(k.kind))
	}
	return names
}

// find returns the row of a kind. It fails if the kind is unknown.
func (k Kind) find() (row, error) {
	i := slices.IndexFunc(kinds, func(r row) bool { return r.kind == k })
	if i < 0 {
		return row{}, fmt.Errorf("the kind %q is not known; valid values: %s", k, strings.Join(Kinds(), ", "))
	}
	return kinds[i], nil
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
	words := r.words
	for _, p := range r.parameters {
		words = strings.ReplaceAll(words, "{"+p.key+"}", p.words(c))
	}
	if c.Scope != "" && c.Scope != Rank {
		together := map[Scope]string{Node: "all ranks of a node", All: "all ranks"}
		words += ", on " + together[c.Scope] + " together"
	}
	if c.Name != "" {
		words = c.Name + ": " + words
	}
	return words
}

func (p parameter) words(of Component) string {
	switch {
	case p.length:
		mean := units.Format(units.Time, of.Duration.Mean(), 3)
		if kind := lengthKind(of.Duration); kind != constant {
			return "mean " + mean + ", " + kind
		}
		return mean
	case p.text != nil:
		return *p.text(&of)
	case p.dimension == units.Number:
		return fmt.Sprintf("%.3g%%", 100**p.number(&of))
	}
	return units.Format(p.dimension, *p.number(&of), 3)
}

func (p parameter) clear(of *Component) {
	switch {
	case p.length:
		of.Duration = nil
	case p.text != nil:
		*p.text(of) = ""
	default:
		*p.number(of) = 0
	}
}

// checkPeriodic fails if the lengths are not a distribution, or leave no time within the period.
func checkPeriodic(c Component) error {
	if err := checkLength(c.Duration); err != nil || c.Duration.Mean() < c.Period {
		return err
	}
	return fmt.Errorf("detours of %s every %s leave no time for work", inWords(c.Duration.Mean()),
		inWords(c.Period))
}

func checkProbability(c Component) error {
	if !(c.Probability > 0 && c.Probability <= 1) {
		return fmt.Errorf("the probability is %g, which must exceed 0 and be at most 1", c.Probability)
	}
	return nil
}

func checkTrace(c Component) error {
	if !filepath.IsLocal(c.Trace) || strings.Contains(c.Trace, `\`) {
		return fmt.Errorf("the trace %q is not a path that stays in the profile's directory", c.Trace)
	}
	return nil
}

func checkDigest(c Component) error {
	sum, err := hex.DecodeString(c.TraceDigest)
	if err != nil || len(sum) != 0 && len(sum) != sha256.Size {
		return fmt.Errorf("sha256 is %.80q, which is not a SHA-256 in hexadecimal digits", c.TraceDigest)
	}
	return nil
}
