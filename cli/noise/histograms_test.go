package noise

import (
	"math"
	"slices"
	"testing"

	"jitterfly/internal/tests"
	"jitterfly/noise/measured/formats"
	"jitterfly/noise/profile"
)

const us = 1e-6

// hist returns a histogram whose bins of a microsecond, from the given length on, have these counts.
func hist(kind formats.Kind, from float64, counts ...int64) formats.Histogram {
	h := formats.Histogram{Column: "x", Kind: kind}
	for i, n := range counts {
		low := from + float64(i)*us
		h.Bins = append(h.Bins, formats.Bin{From: low, To: low + us, Count: n})
		h.Samples += n
	}
	return h
}

// near reports whether numbers are the same but for rounding.
func near(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) < 1e-12 })
}

// Detours last to the middle of their bins, from 0 on; of those beyond the bins one is the
// longest, and the others are between.
func TestDetoursOfHistograms(t *testing.T) {
	h := hist(formats.Detours, 0, 4, 2)
	h.Over, h.Most, h.Span, h.Samples = 3, 12*us, 2, 9
	im := importer{}
	tests.NoError(t, im.addHistograms([]formats.Histogram{h, {Kind: formats.Detours, Span: 1}}))
	if !near(im.detours.Values, []float64{.5 * us, 1.5 * us, 7 * us, 12 * us, 0}) ||
		!near(im.detours.Counts, []float64{4, 2, 2, 1, 0}) || im.detours.Span != 3 {
		t.Errorf("%+v", im.detours)
	}
	h.Span = 0
	tests.Fails(t, "give --span")((&importer{}).addHistograms([]formats.Histogram{h}))
	im = importer{settings: settings{span: 5}}
	if err := im.addHistograms([]formats.Histogram{h}); err != nil || im.detours.Span != 5 {
		t.Errorf("%v, %g", err, im.detours.Span)
	}
}

// Of the delays of timers the last stage counts, beyond the least, by the share of samples.
func TestDelaysOfHistograms(t *testing.T) {
	im := importer{}
	err := im.addHistograms([]formats.Histogram{
		hist(formats.Interrupts, 0, 10), hist(formats.Wakeups, 3*us, 6, 3, 1),
	})
	if err != nil || im.delays.stage != formats.Wakeups ||
		!near(im.delays.Values, []float64{0, 1.5 * us, 2.5 * us}) {
		t.Fatalf("%v, %+v", err, im.delays)
	}
	p, err := im.profile("x")
	if err != nil || len(p.OS) != 1 || p.OS[0].Kind != profile.Bernoulli ||
		p.OS[0].Probability != 0.4 || math.Abs(p.OS[0].Duration.Mean()-1.75*us) > 1e-12 {
		t.Errorf("%v, %+v", err, p)
	}
	// Where the least is rounded down as the others are, it is in the middle of its bin: 10 and
	// 11 µs of cyclictest are one apart.
	h, im2 := hist(formats.Wakeups, 10*us, 603045, 1395782), importer{}
	h.Unit = us
	if err := im2.addHistograms([]formats.Histogram{h}); err != nil ||
		!near(im2.delays.Values, []float64{0, us}) {
		t.Errorf("%v, %+v", err, im2.delays)
	}
	// A later stage replaces those before; an earlier one, in another file, adds nothing.
	for _, h := range []formats.Histogram{hist(formats.Returns, 9*us, 5), hist(formats.Wakeups, 0, 7)} {
		tests.NoError(t, im.addHistograms([]formats.Histogram{h}))
	}
	if im.delays.stage != formats.Returns || !near(im.delays.Counts, []float64{5}) {
		t.Errorf("%+v", im.delays)
	}
	// Without delays there is nothing to simulate.
	if p, err := im.profile("x"); err != nil || len(p.OS) > 0 {
		t.Errorf("%v, %+v", err, p)
	}
}
