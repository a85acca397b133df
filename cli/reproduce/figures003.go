package reproduce

import (
	"fmt"
	"math"
	"strings"

	"jitterfly/cli/figures"
	"jitterfly/datasets"
	"jitterfly/internal/units"
)

// figures003 returns the figures in the order of the paper.
func figures003() []Figure {
	slows := func(low, top float64) heat { return heat{z: "slow-down", of: slow, low: low, top: top} }
	shares := heat{z: "ratio", of: func(c *Config) float64 { return 1 / gain(c) }, top: 1}
	ts := heat{
		z:     "T",
		of:    func(c *Config) float64 { return float64(bestT(c)) },
		low:   1,
		top:   20,
		whole: true,
	}
	const (
		jitter = "Influence of the jitter: conventional method with / without"
		effect = "Effect: proposed method / conventional method"
		number = "Redundant exchanges of the shortest time"
		a      = ", α = 1 µs, period 1 ms, duration 10 µs"
		b      = ", α = 100 ns, period 10 ms, duration 100 µs"
		c1     = ", N = 8, period 1 ms"
		c10    = ", N = 8, period 10 ms"
	)
	return []Figure{
		slows(1, 4).figure(5, latency1us, jitter, a, false),
		shares.figure(6, latency1us, effect, a, true),
		ts.figure(7, latency1us, number, a, false),
		slows(0, 120).figure(8, latency100ns, jitter, b, false),
		slows(1, 5).figure(9, latency100ns, jitter, b, true),
		shares.figure(10, latency100ns, effect, b, false),
		ts.figure(11, latency100ns, number, b, true),
		line(12, line100ns, parsePart("x≈0.0108"), "Tcomm/duration = 0.01, period 1 ms, duration 10 µs"),
		slows(1, 12).figure(13, period1ms, jitter, c1, false),
		slows(1, 3).figure(14, period1ms, jitter, c1, true),
		shares.figure(15, period1ms, effect, c1, false),
		ts.figure(16, period1ms, number, c1, true),
		slows(0, 80).figure(17, period10ms, jitter, c10, false),
		slows(1, 5).figure(18, period10ms, jitter, c10, true),
		shares.figure(19, period10ms, effect, c10, false),
		ts.figure(20, period10ms, number, c10, true),
		line(21, period1ms, parsePart("x≈0.01"), "duration/period = 0.01, period 1 ms, N = 8"),
	}
}

// A heat is the style of a heat map.
type heat struct {
	z        string
	of       func(*Config) float64
	low, top float64
	whole    bool
}

// figure returns a heat map over the plane of a study.
func (h heat) figure(n int, study, title, of string, sameRow bool) Figure {
	caption := fmt.Sprintf("Fig. %d. %s%s", n, title, of)
	if h.z == "slow-down" {
		caption += fmt.Sprintf("; colours [%g, %g]", h.low, h.top)
	}
	return Figure{
		Name:    fmt.Sprintf("fig%02d", n),
		Caption: caption,
		SameRow: sameRow,
		Draw: func(r *Results, name string) figures.Figure {
			p := plane003(r, drawn(study))
			x := figures.Cells{Name: "Tcomm / duration"}
			if strings.HasPrefix(study, "period") {
				x.Name = "duration / period"
			}
			for i, v := range p.along {
				decade := math.Pow10(int(math.Round(math.Log10(v))))
				label := ""
				switch {
				case math.Abs(v/decade-1) < 0.02:
					label = fmt.Sprintf("%g", decade)
				case i == 0 || i == len(p.along)-1:
					label = fmt.Sprintf("%.2g", v)
				}
				x.Labels = append(x.Labels, label)
			}
			y := figures.Cells{Name: "processors"}
			for _, ranks := range p.ranks {
				y.Labels = append(y.Labels, units.PowerOfTwo(exponent(ranks)))
			}
			return figures.Grid{
				Title: fmt.Sprintf("Fig. %d. %s", n, title), X: x, Y: y, Z: h.z,
				Value: p.values(h.of), Low: h.low, Top: h.top, Whole: h.whole,
			}.Figure(name)
		},
	}
}

// exponent returns K of P = 2^K.
func exponent(ranks int64) int { return int(math.Round(math.Log2(float64(ranks)))) }

// line returns a chart of times over the ranks in a column of a study's plane.
func line(n int, study string, at part, of string) Figure {
	caption := fmt.Sprintf(
		"Fig. %d. Time of the conventional method, and the shortest of the proposed one; %s", n, of,
	)
	return Figure{
		Name:    fmt.Sprintf("fig%02d", n),
		Caption: caption,
		Draw: func(r *Results, name string) figures.Figure {
			p := plane003(r, drawn(study))
			lines := []figures.Line{
				{Label: "conventional, mean with its interval", Dots: true},
				{Label: "proposed, mean with its interval", Dots: true},
				{Label: "without jitter", Dashed: true},
			}
			for _, c := range p.pick(at) {
				for i, m := range []datasets.Measures{c.T[0], best(c), {Mean: c.T[0].NoiseFree}} {
					l := &lines[i]
					l.X, l.Y = append(l.X, float64(c.Ranks)), append(l.Y, m.Mean)
					if i < 2 {
						l.Low, l.High = append(l.Low, m.Low), append(l.High, m.High)
					}
				}
			}
			return figures.Chart{
				Title: fmt.Sprintf("Fig. %d. Time over the number of processors", n),
				X:     figures.ChartAxis{Name: "processors", Whole: true},
				Y:     figures.ChartAxis{Name: "time", Dimension: units.Time, Linear: true},
				Lines: lines,
			}.Figure(name)
		},
	}
}
