package attribute

import (
	"jitterfly/cli/study"
)

// rowsOf returns a row for each source of each machine, at the plain collective and at the chosen
// one, and one for each remedy. Times are in seconds, and each has half of its interval beside it.
func rowsOf(s *study.Study, answers []answer) (header []string, rows [][]any) {
	varying := s.VaryingDeployments()
	for _, k := range varying {
		header = append(header, k.Column)
	}
	header = append(header, "row", "name", "collective", "sources", "redundancy", "trials",
		"time_s", "time_half_s", "noise_free_s", "share_s", "share_half_s", "alone_s", "alone_half_s",
		"removed_s", "removed_half_s", "change_s", "change_half_s", "step", "open")
	for _, a := range answers {
		var point []any
		for _, k := range varying {
			point = append(point, k.Cell(a.point.Value(k)))
		}
		add := func(row, name string, d design, numbers ...any) {
			cells := append(append([]any{}, point...), row, name, d.collective, int64(d.sources),
				int64(d.redundancy), int64(a.trials))
			rows = append(rows, append(append(cells, numbers...), a.open))
		}
		for _, d := range []design{a.plain, a.chosen} {
			c := d.costs
			for _, i := range byShare(c) {
				e := c.Each[i]
				add("source", a.sources[i].Name, d, c.Full.Value, c.Full.Half, c.Quiet.Value,
					e.Share.Value, e.Share.Half, e.Alone.Value, e.Alone.Half, e.Removed.Value, e.Removed.Half,
					nil, nil, nil)
			}
		}
		for k, step := range a.steps {
			for _, o := range step {
				add("remedy", a.words(o.Remedy), a.design(o.Choice), o.Objective.Value, o.Objective.Half,
					nil, nil, nil, nil, nil, nil, nil, o.Change.Value, o.Change.Half, int64(k+1))
			}
		}
	}
	return header, rows
}
