package figures

import (
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// fit wraps the title of a panel, and leaves only as many labels at its ticks as have room. It
// returns the number of lines of the title.
func fit(p *plot.Plot, width, height vg.Length) (titles int) {
	label := textStyle(tickSize, black)
	ticks := p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max)
	left, lines := vg.Length(12), vg.Length(2)
	for _, t := range ticks {
		left = max(left, label.Width(t.Label)+12)
	}
	for _, text := range []string{p.X.Label.Text, p.Y.Label.Text} {
		if text != "" {
			lines++
		}
	}
	if p.Y.Label.Text != "" {
		left += labelSize + 4
	}
	if p.Title.Text != "" {
		lines := wrapList(p.Title.Text, labelSize, width-left)
		p.Title.Text, titles = strings.Join(lines, "\n"), len(lines)
	}
	p.Y.Tick.Marker = thin(ticks, (height-lines*12)/vg.Length(p.Y.Max-p.Y.Min),
		func(string) vg.Length { return tickSize })
	p.X.Tick.Marker = thin(p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max),
		(width-left-8)/vg.Length(p.X.Max-p.X.Min), label.Width)
	return titles
}

// thin returns ticks of which every n-th label is left, for the smallest n at which those left do
// not touch. Of labels that are not as far from each other everywhere, which are at 1, 2 and 5
// times powers of ten, n is a multiple of three. A tick at v is at v times step on the axis, and
// its label extends over size.
func thin(ticks []plot.Tick, step vg.Length, size func(label string) vg.Length) plot.ConstantTicks {
	var labelled []int
	for i, t := range ticks {
		if t.Label != "" {
			labelled = append(labelled, i)
		}
	}
	every := 1
	for touching(ticks, left(labelled, every), step, size) {
		if every++; !even(ticks, labelled) {
			every = (every + 2) / 3 * 3
		}
	}
	thinned := make(plot.ConstantTicks, len(ticks))
	for i, t := range ticks {
		thinned[i] = plot.Tick{Value: t.Value}
	}
	for _, i := range left(labelled, every) {
		thinned[i].Label = ticks[i].Label
	}
	return thinned
}

// left returns every n-th of the labels.
func left(labels []int, n int) []int {
	var left []int
	for i := 0; i < len(labels); i += n {
		left = append(left, labels[i])
	}
	return left
}

// touching reports whether any two neighbours of these labels touch.
func touching(ticks []plot.Tick, labels []int, step vg.Length, size func(string) vg.Length) bool {
	const apart = 4
	for i := 1; i < len(labels); i++ {
		a, b := ticks[labels[i-1]], ticks[labels[i]]
		if step*vg.Length(b.Value-a.Value) < (size(a.Label)+size(b.Label))/2+apart {
			return true
		}
	}
	return false
}

// even reports whether all neighbours of these labels are as far from each other.
func even(ticks []plot.Tick, labels []int) bool {
	if len(labels) < 2 {
		return true
	}
	first := ticks[labels[1]].Value - ticks[labels[0]].Value
	for i := 2; i < len(labels); i++ {
		distance := ticks[labels[i]].Value - ticks[labels[i-1]].Value
		if math.Abs(distance-first) > 1e-6*first {
			return false
		}
	}
	return true
}
