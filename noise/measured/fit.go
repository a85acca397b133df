package measured

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"jitterfly/internal/units"
	"jitterfly/noise"
	"jitterfly/noise/profile"
)

// fewDetours is the number of detours below which kinds of noise cannot be distinguished.
const fewDetours = 10

// FitTrace returns the profile, under the given name, of the noise of one core that describes the
// detours of the trace. All cores are taken to have the same noise; a periodic component has one
// period, and a phase of its own on each core; clocks of cores and runs may differ. It fails if no
// core was watched, or if the name is not valid in a profile.
func FitTrace(t noise.Trace, name string) (profile.Profile, error) {
	cores, s, err := begin(t)
	if err != nil {
		return profile.Profile{}, err
	}
	p := profile.Profile{Name: name, Provenance: s.watchNotes(len(cores))}
	if t.Resolution > 0 {
		p.Caveats = append(p.Caveats, "Detours shorter than "+inWords(t.Resolution)+" were not seen.")
	}
	switch n := len(s.lengths); {
	case n == 0:
		p.Caveats = append(p.Caveats, noDetours(s.span))
		p.Fit = &profile.Fit{Criterion: criterion, Verdict: profile.Good}
	case n < fewDetours:
		p.OS = []profile.Component{s.poisson(s.lengths)}
		p.Fit = s.goodness(p, s.lengths)
		p.Fit.Verdict = profile.ReplayIt
		p.Fit.Reason = fmt.Sprintf("%d detours are too few to distinguish kinds of noise; at least %d are "+
			"needed", n, fewDetours)
	default:
		s.components(&p, cores)
	}
	return p, p.Check()
}

// components adds the components of the cores to the profile, and how well they fit.
func (s seen) components(p *profile.Profile, cores []noise.Core) {
	components, caveats := separate(cores, s.quantum)
	p.OS, p.Caveats = components, append(p.Caveats, caveats...)
	rest := noise.Trace{Cores: cores}.Lengths()
	var reason, caveat string
	if len(rest) > 0 {
		p.OS = append(p.OS, s.poisson(rest))
		reason, caveat = remainder(cores, rest, s.lengths)
	}
	if caveat != "" {
		p.Caveats = append(p.Caveats, caveat)
	}
	if share := p.Overhead(); share >= 1 { // where noise of one core stands for all
		rest = s.lengths
		p.OS = []profile.Component{s.poisson(rest)}
		reason = fmt.Sprintf("the components of single cores, on all of them, would take %.3g%% of the time",
			100*share)
	}
	p.Fit = s.goodness(*p, rest)
	if reason != "" {
		p.Fit.Verdict, p.Fit.Reason = profile.ReplayIt, reason
	}
}

// watchNotes returns the notes on how long this number of cores was watched.
func (s seen) watchNotes(cores int) []profile.Note {
	return []profile.Note{
		{Key: "cores", Text: strconv.Itoa(cores)},
		{Key: "span", Text: units.Format(units.Time, s.span, 4) + " of all cores together"},
	}
}

// begin copies the cores of a trace, without detours of no length, and returns what was seen in it. Their
// detours belong to no component yet: those that do are taken out of them. It fails if no core was watched.
func begin(t noise.Trace) (cores []noise.Core, s seen, err error) {
	for _, c := range t.Cores {
		s.span += c.Span
		c.Detours = slices.DeleteFunc(slices.Clone(c.Detours), ofNoLength)
		cores = append(cores, c)
	}
	if !(s.span > 0) {
		return nil, s, errors.New("the trace has no core that was watched")
	}
	s.lengths = noise.Trace{Cores: cores}.Lengths()
	s.quantum = quantum(s.lengths)
	return cores, s, nil
}

func ofNoLength(d noise.Detour) bool { return d.Length == 0 }

// seen is what the components are compared with.
type seen struct {
	lengths []float64 // of all detours, in ascending order
	span    float64   // of all cores together
	quantum float64   // step of the timer
}

// poisson returns the Poisson component of the given lengths, which ascend. Its rate counts the
// whole time, including that in detours, so that it takes as much time as they did.
func (s seen) poisson(lengths []float64) profile.Component {
	c := profile.Component{Kind: profile.Poisson, Interval: s.span / float64(len(lengths))}
	if len(lengths) < fewDetours {
		c.Duration = noise.Constant(mean(lengths))
	} else {
		c.Duration = fitLengths(lengths, s.quantum)
	}
	if c.Overhead() >= 1 { // the mean of a family may be off by its standard error
		c.Duration = noise.Measured(lengths, nil, lengthsWithin)
	}
	return c
}

func sum(x []float64) float64 {
	total := 0.0
	for _, v := range x {
		total += v
	}
	return total
}

func mean(x []float64) float64 { return sum(x) / float64(len(x)) }

// squaresAbout returns the sum of the squares of the differences from m.
func squaresAbout(m float64, x []float64) (total float64) {
	for _, v := range x {
		total += (v - m) * (v - m)
	}
	return total
}

// inWords formats a time [s].
func inWords(seconds float64) string { return units.Format(units.Time, seconds, 3) }

// noDetours returns the caveat of a span [s] without detours. A Poisson process of rate λ
// has no event in it with probability exp(−λ·span), which is 5% at λ = 3/span.
func noDetours(span float64) string {
	return fmt.Sprintf("No detour was seen in %s: there are fewer than %.2g/s, with 95%% confidence.",
		units.Format(units.Time, span, 4), 3/span)
}
