package sweep

import (
	"math"
	"strconv"
	"strings"

	"jitterfly/cli/study"
	"jitterfly/datasets"
	"jitterfly/montecarlo"
)

// record returns the rows of one configuration whose field has no others.
func record(s *study.Study, config int, d montecarlo.Decision, keepTrials bool) datasets.Record {
	r, choice := d.Results[0], d.Choice
	p, base := s.Points[config], r.Summaries[0]
	rec := datasets.Record{
		Pick: datasets.Pick{
			Star:       int64(choice.Star.T),
			Argmin:     int64(choice.Argmin.T),
			ByName:     s.Objective.Name,
			Objective:  choice.Objective,
			Baseline:   choice.Baseline,
			Speedup:    choice.Baseline / choice.Objective,
			Confidence: choice.Confidence,
			RegretHigh: choice.Regret,
			Low:        int64(choice.Low.T),
			GainLow:    choice.GainLow,
			Needed:     int64(choice.Needed),
			Warning:    choice.Warning.String(),
		},
	}
	rec.State = datasets.Final
	if !settled(d.Stop.String(), r.Trials, s.Trials.Max) {
		rec.State, rec.Kept = datasets.AtBound, keep(s, config, r.Kept)
	}
	for t, s := range r.Summaries {
		rec.Measures = append(rec.Measures, datasets.Measures{
			Redundancy: int64(r.Checkpoints[t].T),
			Trials:     int64(r.Trials),
			StopReason: d.Stop.String(),
			NoiseFree:  s.NoiseFree,
			Mean:       s.Mean,
			StdDev:     s.StdDev,
			LowerBound: s.LowerBound,
			Low:        s.Low,
			High:       s.High,
			Min:        s.Min,
			P50:        resolved(0.5, s.P50, r.Trials),
			P90:        resolved(0.9, s.P90, r.Trials),
			P95:        resolved(0.95, s.P95, r.Trials),
			P99:        resolved(0.99, s.P99, r.Trials),
			P999:       resolved(0.999, s.P999, r.Trials),
			Max:        s.Max,
			Slowdown:   s.Mean / base.NoiseFree,
			Speedup:    base.Mean / s.Mean,
			Messages:   r.Checkpoints[t].Messages,
			Bandwidth:  bandwidth(p, s.Mean),
		})
	}
	if keepTrials {
		rec.Completion = r.Completion
	}
	return rec
}

// resolved returns an estimate of the p-quantile, or NaN if so many trials do not resolve it.
func resolved(p, estimate float64, trials int) float64 {
	if !datasets.Resolved(p, int64(trials)) {
		return math.NaN()
	}
	return estimate
}

// settled reports whether more trials would not change a result, as it ended for its own sake
// before the largest number of trials.
func settled(reason string, trials, most int) bool {
	return trials < most &&
		(reason == montecarlo.Chosen.String() || reason == montecarlo.Precise.String())
}

// final reports whether more trials would not change what a finished study has of a
// configuration.
func final(values map[string][]string, m datasets.Measures) bool {
	most, err := strconv.Atoi(strings.Join(values["trials.max"], ""))
	return err == nil && settled(m.StopReason, int(m.Trials), most)
}

// bandwidth returns what each node of an all-to-all sends to other nodes [bytes/s], as
// Naruse, Sumimoto, Nakashima and Kumon define it (fig. 2), and 0 of other collectives.
func bandwidth(p study.Point, seconds float64) float64 {
	if !p.AllToAll() {
		return 0
	}
	ranks, perNode := p.Value("ranks").Number, p.Value("ranks_per_node").Number
	return p.Value("bytes").Number * (ranks - perNode) * perNode / seconds
}

// axesOf returns the point's values as columns of the results.
func axesOf(p study.Point) datasets.Axes {
	values := make([]any, len(study.Axes))
	for i, k := range study.Axes {
		values[i] = k.Cell(*p.Values[i])
	}
	return datasets.NewAxes(p.ID, values)
}
