package profile

import (
	"cmp"
	"fmt"
	"math"
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
			return fmt.Errorf("%s: %w", p.Label(i), err)
		}
	}
	return cmp.Or(p.Network.Check(), p.checkClasses(), p.checkOverhead(), p.Fit.Check(), p.checkTexts())
}

// checkOverhead fails if the components leave no time for work.
func (p Profile) checkOverhead() error {
	if p.Overhead() < 1 {
		return nil
	}
	var shares []string
	for i, c := range p.OS {
		if c.Overhead() > 0 {
			shares = append(shares, fmt.Sprintf("%.3g%% by %s, %s", 100*c.Overhead(), p.Label(i), c.Kind))
		}
	}
	return fmt.Errorf("detours take %.3g%% of the time, which leaves none for work: %s", 100*p.Overhead(),
		strings.Join(shares, "; "))
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
	for _, c := range p.Classes {
		texts = append(texts, c.Name)
	}
	if p.Fit != nil {
		texts = append(texts, p.Fit.Criterion, p.Fit.Reason)
	}
	for _, text := range texts {
		control := func(r rune) bool { return unicode.IsControl(r) && r != '\n' }
		if !utf8.ValidString(text) || strings.ContainsFunc(text, control) {
			return fmt.Errorf("the string %q has characters that cannot be written", text)
		}
	}
	return nil
}

// Check fails if a parameter of the component is out of its range, or if its scope is unknown.
func (c Component) Check() error {
	r, err := c.Kind.find()
	if err != nil {
		return err
	}
	for _, p := range r.parameters(&c) {
		if err := p.check(); err != nil {
			return err
		}
	}
	if c.Scope == "" {
		return nil
	}
	_, err = named("the scope", string(c.Scope), Scopes, func(s string) string { return s })
	return err
}

// A networkQuantity is a parameter of the network and its key in the file.
type networkQuantity struct {
	key       string
	dimension units.Dimension
	value     **float64
}

// quantities returns the parameters of the network, in the order of the file.
func (n *Network) quantities() []networkQuantity {
	return []networkQuantity{
		{"latency", units.Time, &n.Latency}, {"bandwidth", units.Rate, &n.Bandwidth},
		{"overhead", units.Time, &n.Overhead}, {"gap", units.Time, &n.Gap},
		{"send_overhead", units.Time, &n.SendOverhead},
	}
}

// Check fails if a parameter of the network is out of its range.
func (n Network) Check() error {
	for _, q := range n.quantities() {
		v := *q.value
		switch {
		case v == nil || *v > 0 && *v <= math.MaxFloat64 || *v == 0 && q.dimension == units.Time:
		case q.dimension == units.Time:
			return fmt.Errorf("network.%s: it is %g s, which must be 0 or more", q.key, *v)
		default:
			return fmt.Errorf("network.%s: it is %g B/s, which must exceed 0", q.key, *v)
		}
	}
	if n.Noise != nil {
		if err := n.Noise.Check(); err != nil {
			return fmt.Errorf("network.noise: %w", err)
		}
	}
	return nil
}

// Check fails if a parameter of the noise is out of its range.
func (m MessageNoise) Check() error {
	if m.Interval != 0 {
		if err := noise.Positive("the interval", m.Interval); err != nil {
			return err
		}
	}
	return checkLength(m.Duration)
}

// Check fails if there is a fit and it contradicts itself.
func (f *Fit) Check() error {
	if f == nil {
		return nil
	}
	for _, x := range []float64{f.KS, f.OverheadError, f.P999Error} {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("fit: an error is %g", x)
		}
	}
	_, err := named("fit.verdict:", f.Verdict, []Verdict{Good, ReplayIt}, func(v Verdict) Verdict { return v })
	return err
}

func inWords(x float64) string { return units.Format(units.Time, x, 4) }
