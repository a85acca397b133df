package measured_test

import (
	"fmt"

	"jitterfly/noise"
	"jitterfly/noise/measured"
	"jitterfly/noise/measured/formats"
)

// A timer that takes 5 µs of a core every millisecond is one periodic component.
func ExampleFitTrace() {
	var detours []noise.Detour
	for i := range 1000 {
		detours = append(detours, noise.Detour{Start: (float64(i) + 0.5) * 1e-3, Length: 5e-6})
	}
	core, _, err := noise.NewCore(0, 1, detours)
	if err != nil {
		fmt.Println(err)
		return
	}
	p := measured.FitTrace(noise.Trace{Cores: []noise.Core{core}}, "timer")
	for _, c := range p.OS {
		fmt.Printf("%s: %.3g s every %.3g s\n", c.Kind, c.Duration.Mean(), c.Period)
	}
	fmt.Printf("overhead %.2g, %s\n", p.Overhead(), p.Fit.Verdict)
	// Output:
	// periodic: 5e-06 s every 0.001 s
	// overhead 0.005, good
}

// A histogram does not say when detours came, so that they become Poisson arrivals.
func ExampleFitLengths() {
	p := measured.FitLengths(measured.Histogram{
		Values: []float64{1e-6, 2e-6, 10e-6},
		Counts: []float64{900, 90, 10},
		Span:   2,
	}, "histogram")
	c := p.OS[0]
	fmt.Printf("%s: every %.3g s, %.3g s on average\n", c.Kind, c.Interval, c.Duration.Mean())
	// Output: poisson: every 0.002 s, 1.18e-06 s on average
}

// Times of messages give α and β of the protocol that serves a size.
func ExampleFitCurve() {
	f, err := measured.FitCurve([]formats.Point{
		{Size: 1, Seconds: 1e-6}, {Size: 1000, Seconds: 1.5e-6}, {Size: 2000, Seconds: 2e-6},
		{Size: 4000, Seconds: 3e-6},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	s := f.At(1000)
	fmt.Printf("α = %.3g s, β = %.3g s/B\n", s.Alpha, s.Beta)
	// Output:
	// α = 1e-06 s, β = 5e-10 s/B
}
