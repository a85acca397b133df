package profile

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"jitterfly/internal/units"
	"jitterfly/noise"
)

// Check fails if a parameter is out of its range, if periodic detours are on average
// as long as their period, or if the components together leave no time for work.
func (p Profile) Check() error {
	if p.Name == "" {
		return fmt.Errorf("the profile has no name")
	}
	for i, c := range p.OS {
		if err := c.Check(); err != nil {
			return fmt.Errorf("os[%d]: %w", i, err)
		}
	}
	if err := p.Network.Check(); err != nil {
		return err
	}
	if err := p.checkOverhead(); err != nil {
		return err
	}
	if p.Fit != nil {
		if err := p.Fit.Check(); err != nil {
			return err
		}
	}
	return p.checkTexts()
}

// checkOverhead fails if the components leave no time for work.
func (p Profile) checkOverhead() error {
	if p.Overhead() < 1 {
		return nil
	}
	var shares []string
	for i, c := range p.OS {
		if c.Overhead() > 0 {
			shares = append(shares, fmt.Sprintf("%.3g %% by os[%d], %s", 100*c.Overhead(), i,
				c.Kind))
		}
	}
	return fmt.Errorf("detours take %.3g %% of the time, which leaves none for work: %s",
		100*p.Overhead(), strings.Join(shares, "; "))
}

// checkTexts fails if a text has what YAML cannot have, or a line of output should not.
func (p Profile) checkTexts() error {
	texts := append([]string{p.Name}, p.Caveats...)
	seen := map[string]bool{}
	for _, n := range p.Provenance {
		if n.Key == "" || seen[n.Key] {
			return fmt.Errorf("provenance has the key %q twice, or without a name", n.Key)
		}
		seen[n.Key] = true
		texts = append(texts, n.Key, n.Text)
	}
	for _, c := range p.OS {
		texts = append(texts, c.Name, c.Trace)
	}
	if p.Fit != nil {
		texts = append(texts, p.Fit.Criterion, p.Fit.Reason)
	}
	for _, text := range texts {
		if !utf8.ValidString(text) || strings.ContainsFunc(text,
			func(r rune) bool { return unicode.IsControl(r) && r != '\n' }) {
			return fmt.Errorf("the text %q has characters that are not written", text)
		}
	}
	return nil
}

// Check fails if a parameter of the component is out of its range, or is one of another
// kind.
func (c Component) Check() error {
	if err := c.checkArrivals(); err != nil {
		return err
	}
	if err := c.checkUnused(); err != nil || c.Kind == Replay {
		return err
	}
	if err := checkLength(c.Duration); err != nil {
		return err
	}
	if mean := c.Duration.Mean(); c.Kind == Periodic && !(mean < c.Period) {
		return fmt.Errorf("detours of %s every %s leave no time for work", duration(mean),
			duration(c.Period))
	}
	return nil
}

// checkArrivals checks the parameters of the component's kind.
func (c Component) checkArrivals() error {
	switch c.Kind {
	case Periodic:
		return positive("period", c.Period)
	case Poisson:
		return positive("interval", c.Interval)
	case Bernoulli:
		if !(c.Probability > 0 && c.Probability <= 1) {
			return fmt.Errorf("the probability is %g, which must exceed 0 and be at most 1",
				c.Probability)
		}
		return nil
	case Replay:
		if !filepath.IsLocal(c.Trace) || strings.Contains(c.Trace, `\`) {
			return fmt.Errorf("the trace %q is not a path that stays in the profile's directory",
				c.Trace)
		}
		if sum, err := hex.DecodeString(c.TraceDigest); err != nil ||
			len(sum) != 0 && len(sum) != sha256.Size {
			return fmt.Errorf("sha256 is %.80q, which is not a SHA-256 in hexadecimal digits",
				c.TraceDigest)
		}
		return nil
	}
	return fmt.Errorf("the kind %q is not known; known are %s", c.Kind,
		strings.Join(componentKinds, ", "))
}

// checkUnused fails if there are parameters of other kinds, which the file would lose.
func (c Component) checkUnused() error {
	if c.Period != 0 && c.Kind != Periodic || c.Interval != 0 && c.Kind != Poisson ||
		c.Probability != 0 && c.Kind != Bernoulli || c.Trace+c.TraceDigest != "" && c.Kind != Replay ||
		c.Duration != nil && c.Kind == Replay {
		return fmt.Errorf("a %s component has a parameter of another kind", c.Kind)
	}
	return nil
}

// Check fails if a parameter of the network is out of its range.
func (n Network) Check() error {
	for _, q := range []struct {
		name  string
		value *float64
	}{{"latency", n.Latency}, {"overhead", n.Overhead}, {"gap", n.Gap},
		{"send_overhead", n.SendOverhead}} {
		if q.value != nil && !(*q.value >= 0 && *q.value <= math.MaxFloat64) {
			return fmt.Errorf("network.%s: it is %g s, which must be 0 or more", q.name, *q.value)
		}
	}
	if b := n.Bandwidth; b != nil && !(*b > 0 && *b <= math.MaxFloat64) {
		return fmt.Errorf("network.bandwidth: it is %g B/s, which must exceed 0", *b)
	}
	if n.Noise == nil {
		return nil
	}
	if err := n.Noise.Check(); err != nil {
		return fmt.Errorf("network.noise: %w", err)
	}
	return nil
}

// Check fails if a parameter of the noise is out of its range.
func (m MessageNoise) Check() error {
	if m.Interval != 0 {
		if err := positive("interval", m.Interval); err != nil {
			return err
		}
	}
	return checkLength(m.Duration)
}

// checkLength fails if the distribution is not one that the file can have.
func checkLength(l noise.Length) error {
	switch l.(type) {
	case nil:
		return fmt.Errorf("the duration is missing")
	case noise.Constant, noise.Exponential, noise.Pareto, noise.Lognormal, noise.Empirical:
		return l.Check()
	}
	return fmt.Errorf("a duration of the type %T has no form in the file", l)
}

// Check fails if the fit contradicts itself.
func (f Fit) Check() error {
	for _, x := range []float64{f.KS, f.OverheadError, f.P999Error} {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("fit: an error is %g", x)
		}
	}
	if f.Verdict != Good && f.Verdict != ReplayIt {
		return fmt.Errorf("fit.verdict: %q is not known; known are %s, %s", f.Verdict, Good,
			ReplayIt)
	}
	return nil
}

func positive(what string, x float64) error {
	if !(x > 0 && x <= math.MaxFloat64) {
		return fmt.Errorf("the %s is %g s, which must exceed 0", what, x)
	}
	return nil
}

func duration(x float64) string { return units.Format(units.Time, x, 4) }
