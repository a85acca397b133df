package reproduce

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"
)

// A plane is the configurations of a study over the ranks and another axis.
type plane struct {
	ranks []int64
	along []float64
	cells [][]*Config // by ranks and along, both ascending; nil for none
}

// planeOf returns configurations as a plane over the ranks and another value.
func planeOf(configs []Config, along func(*Config) float64) plane {
	var p plane
	for i := range configs {
		p.ranks = append(p.ranks, configs[i].Ranks)
		p.along = append(p.along, along(&configs[i]))
	}
	slices.Sort(p.ranks)
	slices.Sort(p.along)
	p.ranks, p.along = slices.Compact(p.ranks), slices.Compact(p.along)
	for range p.ranks {
		p.cells = append(p.cells, make([]*Config, len(p.along)))
	}
	for i := range configs {
		row, _ := slices.BinarySearch(p.ranks, configs[i].Ranks)
		column, _ := slices.BinarySearch(p.along, along(&configs[i]))
		p.cells[row][column] = &configs[i]
	}
	return p
}

// A part reports whether a cell of a plane belongs to it.
type part func(ranks int64, along float64) bool

// condition is a bound of the ranks P or of the other axis x; ≈ is within 10%.
var condition = regexp.MustCompile(`^(P|x)(<|>|≤|≥|≈)(2\^)?([0-9.]+)$`)

// parsePart returns the part that meets all of some conditions, as in "P≥2^7 x<0.95". It panics
// if a condition is invalid.
func parsePart(conditions string) part {
	var bounds []part
	for _, text := range strings.Fields(conditions) {
		match := condition.FindStringSubmatch(text)
		if match == nil {
			panic(fmt.Sprintf("reproduce: %q is not a condition", text))
		}
		bound, _ := strconv.ParseFloat(match[4], 64) // a number, by the expression
		if match[3] != "" {
			bound = math.Exp2(bound)
		}
		holds := map[string]func(v float64) bool{
			"<": func(v float64) bool { return v < bound }, ">": func(v float64) bool { return v > bound },
			"≤": func(v float64) bool { return v <= bound }, "≥": func(v float64) bool { return v >= bound },
			"≈": func(v float64) bool { return math.Abs(v/bound-1) < 0.1 },
		}[match[2]]
		bounds = append(bounds, func(ranks int64, along float64) bool {
			if match[1] == "P" {
				return holds(float64(ranks))
			}
			return holds(along)
		})
	}
	return func(ranks int64, along float64) bool {
		return !slices.ContainsFunc(bounds, func(in part) bool { return !in(ranks, along) })
	}
}

// pick returns the configurations of a part.
func (p *plane) pick(in part) []*Config {
	var picked []*Config
	for i, row := range p.cells {
		for j, c := range row {
			if c != nil && in(p.ranks[i], p.along[j]) {
				picked = append(picked, c)
			}
		}
	}
	return picked
}

// values returns a measure over the plane, NaN where it has no cell.
func (p *plane) values(of func(*Config) float64) [][]float64 {
	values := make([][]float64, len(p.ranks))
	for i, row := range p.cells {
		for _, c := range row {
			v := math.NaN()
			if c != nil {
				v = of(c)
			}
			values[i] = append(values[i], v)
		}
	}
	return values
}

// each returns a measure of every configuration.
func each(configs []*Config, of func(*Config) float64) []float64 {
	values := make([]float64, len(configs))
	for i, c := range configs {
		values[i] = of(c)
	}
	return values
}

// spearman returns the rank correlation of two lists, NaN if one of them is constant.
func spearman(xs, ys []float64) float64 {
	return stat.Correlation(ranksOf(xs), ranksOf(ys), nil)
}

// ranksOf returns the index of each value in ascending order; equal values share the mean of
// theirs.
func ranksOf(values []float64) []float64 {
	sorted := slices.Sorted(slices.Values(values))
	ranks := make([]float64, len(values))
	for i, v := range values {
		first, _ := slices.BinarySearch(sorted, v)
		last := first
		for last < len(sorted) && sorted[last] == v {
			last++
		}
		ranks[i] = float64(first+last-1) / 2
	}
	return ranks
}
