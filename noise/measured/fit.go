package measured

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"

	"jitterfly/internal/rng"
	"jitterfly/internal/units"
	"jitterfly/noise"
	"jitterfly/noise/profile"
)

// fewDetours is the number of detours below which kinds of noise cannot be distinguished.
const fewDetours = 10

// FitTrace returns the profile, under the given name, of the noise of one core that describes the
// detours of the trace. All cores are taken to have the same noise; a periodic component has one
// period, and a phase of its own on each core; clocks of cores and runs may differ. Like those of the
// other functions, the profile is to be checked.
func FitTrace(t noise.Trace, name string) profile.Profile {
	cores, s := begin(t)
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
	return p
}

// components adds the components of the cores to the profile, and how well they fit.
func (s seen) components(p *profile.Profile, cores []noise.Core) {
	components, caveats := separate(cores, s.quantum)
	p.OS, p.Caveats = components, append(p.Caveats, caveats...)
	rest, reason := noise.Trace{Cores: cores}.Lengths(), ""
	if len(rest) > 0 {
		p.OS = append(p.OS, s.poisson(rest))
		switch why, share := memory(cores), sum(rest)/sum(s.lengths); {
		case why == "":
		case share <= minorShare:
			p.Caveats = append(p.Caveats, fmt.Sprintf("The %.2g%% of the noise that are called Poisson "+
				"are not: %s.", 100*share, why))
		default:
			reason = fmt.Sprintf("the arrivals of %.3g%% of the noise are neither periodic nor without memory: %s",
				100*share, why)
		}
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
// detours belong to no component yet: those that do are taken out of them.
func begin(t noise.Trace) (cores []noise.Core, s seen) {
	for _, c := range t.Cores {
		s.span += c.Span
		c.Detours = slices.DeleteFunc(slices.Clone(c.Detours), ofNoLength)
		cores = append(cores, c)
	}
	s.lengths = noise.Trace{Cores: cores}.Lengths()
	s.quantum = quantum(s.lengths)
	return cores, s
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

// irregular ends the name of the component with the detours of a source that its period does
// not explain.
const irregular = ", irregular"

// FitSources returns the profile of noise whose sources are known, under the given name: each
// source is fitted as [FitTrace] fits a trace, and its components have its name. A source whose
// detours are periodic, up to a twentieth of the time that they take, is one periodic
// component. The other detours are one Poisson component, with a caveat if their arrivals have a
// memory. The sources together are not compared with the trace: the profile has no [profile.Fit].
func FitSources(sources []noise.Cause, name string) profile.Profile {
	p := profile.Profile{Name: name}
	for i, source := range sources {
		cores, s := begin(source.Trace)
		if i == 0 {
			p.Provenance = s.watchNotes(len(cores))
		}
		if len(s.lengths) > 0 {
			s.source(&p, source.Name, cores)
		}
	}
	return p
}

func (s seen) source(p *profile.Profile, name string, cores []noise.Core) {
	var components []profile.Component
	var caveats []string
	if len(s.lengths) >= fewDetours {
		components, caveats = separate(cores, s.quantum)
	}
	rest := noise.Trace{Cores: cores}.Lengths()
	switch few := sum(rest) <= minorShare*sum(s.lengths); {
	case len(rest) > 0 && few && len(components) == 1:
		components[0].Duration = fitLengths(s.lengths, s.quantum)
	case len(rest) > 0:
		components = append(components, s.poisson(rest))
		if why := memory(cores); why != "" {
			caveats = append(caveats, "the detours that are called Poisson are not: "+why+".")
		}
	}
	for _, caveat := range caveats {
		p.Caveats = append(p.Caveats, name+": "+caveat)
	}
	for i, c := range components {
		if c.Name = name; i > 0 && c.Kind == profile.Poisson {
			c.Name += irregular
		} else if i > 0 {
			c.Name += " " + strconv.Itoa(i+1)
		}
		p.OS = append(p.OS, c)
	}
}

const (
	// mostKS is the distance between the lengths of the components and of the trace that is good,
	// unless chance explains more, 1.36/√n; lengths may be off by [constantWithin].
	mostKS = 0.05
	// mostOverheadError is the relative error of the overhead that is good, unless
	// three standard errors of what is not periodic are more.
	mostOverheadError = 0.05
	// mostTailError is the relative error of the 99.9th percentile that is good,
	// beyond two standard errors of its share. It does not count if fewer than
	// leastTail detours exceed that percentile.
	mostTailError = 0.25
	leastTail     = 3
	// mostSimulated is about how many detours of the components are drawn at most.
	mostSimulated = 1 << 17
)

// criterion is the same in words.
var criterion = fmt.Sprintf("distance of lengths at most %g, error of the overhead %g%%, of the "+
	"99.9th percentile %g%%, each beyond what chance explains; arrivals that are periodic or without "+
	"memory except %g %% of the noise", mostKS, 100*mostOverheadError, 100*mostTailError, 100*minorShare)

// exactly returns a relative error, 0 if it is that of rounding.
func exactly(relative float64) float64 {
	if math.Abs(relative) < 1e-12 {
		return 0
	}
	return relative
}

// goodness compares what a tool would see of the components with what was seen. rest
// are the lengths of the detours that are not periodic.
func (s seen) goodness(p profile.Profile, rest []float64) *profile.Fit {
	n := float64(len(s.lengths))
	model := simulated(p.OS, min(mostSimulated, 1e4+4*n))
	busy := sum(s.lengths)
	tail := at(s.lengths, 0.999)
	f := &profile.Fit{
		Criterion:     criterion,
		KS:            distance(s.lengths, cdf(model), constantWithin, s.quantum),
		OverheadError: exactly(p.Overhead()*s.span/busy - 1),
		P999Error:     exactly(at(model, 0.999)/tail - 1),
		Verdict:       profile.Good,
	}
	mayKS := max(mostKS, 1.36/math.Sqrt(n))
	mayOverhead := max(mostOverheadError, 3*math.Sqrt(squaresAbout(0, rest))/busy)
	below, above := 0.0, math.Inf(1)
	if 0.001*n >= leastTail {
		off := 2 * math.Sqrt(0.001/n)
		below = (1 - mostTailError) * at(s.lengths, 0.999-off)
		above = (1 + mostTailError) * at(s.lengths, min(1, 0.999+off))
	}
	switch q := at(model, 0.999); {
	case f.KS > mayKS:
		f.Reason = fmt.Sprintf("the lengths of the components are %.2g from the lengths of the trace, and "+
			"may be %.2g", f.KS, mayKS)
	case math.Abs(f.OverheadError) > mayOverhead:
		f.Reason = fmt.Sprintf("the overhead of the components is off by %.2g%%, and may be by %.2g%%",
			100*f.OverheadError, 100*mayOverhead)
	case q < below || q > above:
		f.Reason = fmt.Sprintf("a thousandth of the components' detours exceed %.3g s, where from %.3g to "+
			"%.3g s are good", q, below, above)
	}
	if f.Reason != "" {
		f.Verdict = profile.ReplayIt
	}
	return f
}

// simulated returns the lengths, in ascending order, of what a tool would see of about n detours of
// the components: detours that meet are one.
func simulated(components []profile.Component, n float64) []float64 {
	p := profile.Profile{OS: components}
	span := n / p.Rate()
	detours := p.Draw(rng.NewKey(0, "goodness of fit"), span)
	c, _, err := noise.NewCore(0, span, detours)
	if err != nil { // no time is left for anything else
		c.Detours = detours
	}
	return noise.Trace{Cores: []noise.Core{c}}.Lengths()
}

func cdf(values []float64) func(x float64) float64 {
	return func(x float64) float64 {
		upTo := sort.Search(len(values), func(i int) bool { return values[i] > x })
		return float64(upTo) / float64(len(values))
	}
}

const (
	// minorShare is the share of all noise up to which the rest need not be a Poisson process.
	minorShare = 0.05
	// mostGapKS is the Kolmogorov–Smirnov distance up to which gaps count as
	// exponential, or the 99th percentile for n gaps, 1.63/√n, if that is more.
	mostGapKS = 0.05
	// mostDispersion is by how much the variance of counts may differ from their
	// mean, relative to it, unless five standard errors are more.
	mostDispersion = 0.5
)

// memory returns in what the arrivals of the detours of no component differ from a
// Poisson process, "" if in nothing. Of a Poisson process
//
//   - the gaps from an end to the next start are exponential, also after merged
//     detours;
//   - the number of starts in a window of time has a variance equal to its mean,
//     which it has not where short gaps follow short ones.
func memory(cores []noise.Core) string {
	var gaps []float64
	for _, c := range cores {
		for i := 1; i < len(c.Detours); i++ {
			gaps = append(gaps, max(0, c.Detours[i].Start-c.Detours[i-1].End()))
		}
	}
	if len(gaps) < fewDetours {
		return ""
	}
	slices.Sort(gaps)
	n, average := float64(len(gaps)), mean(gaps)
	d := distance(gaps, func(x float64) float64 { return -math.Expm1(-max(0, x) / average) }, 0, 0)
	if most := max(mostGapKS, 1.63/math.Sqrt(n)); d > most {
		return fmt.Sprintf("the distribution of gaps is %.2g from the exponential one, and may be %.2g", d,
			most)
	}
	for _, perWindow := range []float64{16, 128} {
		dispersion, windows := countDispersion(cores, perWindow*average)
		if windows < 8 {
			continue
		}
		most := max(mostDispersion, 5*math.Sqrt(2/float64(windows-1)))
		if math.Abs(dispersion-1) > most {
			return fmt.Sprintf("the counts in windows of %.3g s have %.3g times the variance of a Poisson "+
				"process, and may have %.3g", perWindow*average, dispersion, 1+most)
		}
	}
	return ""
}

// countDispersion returns the variance over the mean of the number of starts in a window of the
// given length [s], and the number of windows.
func countDispersion(cores []noise.Core, width float64) (dispersion float64, windows int) {
	var counts []float64
	for _, c := range cores {
		whole := int(c.Span / width)
		first := len(counts)
		counts = append(counts, make([]float64, whole)...)
		for _, d := range c.Detours {
			if w := int(d.Start / width); w < whole {
				counts[first+w]++
			}
		}
	}
	if len(counts) < 2 {
		return 1, len(counts)
	}
	m := mean(counts)
	return squaresAbout(m, counts) / float64(len(counts)-1) / m, len(counts)
}
