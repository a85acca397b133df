package figures

import (
	"slices"

	"jitterfly/cli/study"
	"jitterfly/datasets"
)

// Attribution returns figures of the share that each source has in what noise adds to the plain
// collective, stacked over an axis, with a panel for each combination of the values of the other
// axes. Rows of other designs and of remedies are passed over.
func (d *Data) Attribution(x *study.Key, rows []datasets.AttributionRow) []Figure {
	shares, names := plainShares(rows)
	xScale, at, panels := d.along(x)
	yScale := percents(0, 1)
	dg := newDiagram(d.Layout, "attribution", "Shares of the sources in what noise adds to the plain collective",
		xScale, yScale, x.Label(), "share of what noise adds")
	for i, name := range names {
		dg.explain(name, lineStyle(i), true)
	}
	for _, g := range panels {
		curves := make([]curve, len(names))
		for _, c := range g.configs {
			of, whole := shares[c.choice.ConfigID], 0.0
			for _, share := range of {
				whole += share
			}
			low := 0.0
			for i, name := range names {
				if whole > 0 {
					high := low + of[name]/whole
					curves[i].style = lineStyle(i)
					add(&curves[i].points, at(c), yScale.at(high))
					curves[i].widen(at(c), low, high, yScale)
					low = high
				}
			}
		}
		if len(names) > 0 && len(curves[0].points) > 0 {
			dg.panel(g.title, curves)
		}
	}
	return dg.figures()
}

// plainShares returns what each source costs the plain collective [s], by configuration and source,
// and the names of the sources.
func plainShares(rows []datasets.AttributionRow) (shares map[string]map[string]float64, names []string) {
	shares = map[string]map[string]float64{}
	for _, r := range rows {
		if r.Kind != "source" || r.Design != "plain" {
			continue
		}
		if shares[r.ConfigID] == nil {
			shares[r.ConfigID] = map[string]float64{}
		}
		shares[r.ConfigID][r.Name] = max(0, r.Share)
		if !slices.Contains(names, r.Name) {
			names = append(names, r.Name)
		}
	}
	slices.Sort(names) // as the order of costs depends on the axis
	return shares, names
}
