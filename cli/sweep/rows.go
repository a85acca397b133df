package sweep

import (
	"math"
	"strconv"
	"strings"

	"jitterfly/cli/study"
	"jitterfly/collectives/rounds"
	"jitterfly/datasets"
	"jitterfly/montecarlo"
)

// recordOf returns the record of a configuration that was decided about alone.
func (s *saver) recordOf(config int, d *montecarlo.Decision) datasets.Record {
	r, choice := d.Results[0], d.Choice
	p := s.study.Point(config)
	rec := datasets.Record{
		State: datasets.Final,
		Pick: datasets.Pick{
			Star:       int64(choice.Star.T),
			Argmin:     int64(choice.Argmin.T),
			ByName:     s.study.Objective.Name,
			Objective:  choice.Objective,
			Baseline:   choice.Baseline,
			Speedup:    choice.Baseline / choice.Objective,
			Confidence: choice.Confidence,
			RegretHigh: choice.Regret,
			Estimate:   int64(choice.Estimate.T),
			Estimated:  choice.Estimate.Objective,
			Low:        int64(min(choice.Low.T, choice.Estimate.T)),
			High:       high(d),
			GainLow:    choice.GainLow,
			Needed:     int64(choice.Needed),
			Warning:    choice.Warning.String(),
		},
	}
	if r.Trials >= s.study.Trials.Max || !d.Stop.Settled() {
		rec.State, rec.Kept = datasets.AtBound, s.keep(config, &r.Kept)
	}
	var model montecarlo.Model
	if p.Application() {
		model = s.study.Config(config).Model
	}
	finals := r.Finals()
	base := r.Summaries[finals[0]]
	for _, k := range finals {
		samples := r.Samples(k)
		s, at := &r.Summaries[k], &r.Checkpoints[k]
		m := datasets.Measures{
			Redundancy: int64(at.T), Trials: int64(r.Trials), StopReason: string(d.Stop),
			NoiseFree: s.NoiseFree, LowerBound: s.LowerBound,
			Mean: s.Mean, StdDev: s.StdDev, Low: s.Low, High: s.High,
			Slowdown: s.Mean / base.NoiseFree, Speedup: base.Mean / s.Mean,
			Messages: at.Messages, Buffer: at.Buffer, InCalls: s.Mean, Share: 1, Shown: math.NaN(),
		}
		m.SetQuantiles(s.Quantiles, int64(r.Trials*max(1, samples)))
		if app, ok := model.(*rounds.Application); ok {
			m.InCalls = r.Summaries[k-samples-1].Mean
			// Ranks that are ahead call while others still compute for the iteration before.
			m.Share, m.Shown = min(1, m.InCalls/m.Mean), app.Shown(m.Mean, m.NoiseFree)
		}
		m.Bandwidth = bandwidth(p, m.InCalls)
		rec.Measures = append(rec.Measures, m)
	}
	best := &rec.Measures[choice.Estimate.T]
	rec.Pick.CallsSpeedup = rec.Measures[0].InCalls / best.InCalls
	rec.Pick.Share, rec.Pick.Shown = best.Share, best.Shown
	if s.dir.Plan().KeepTrials {
		for i := 0; i < r.Trials*len(r.Checkpoints); i += len(r.Checkpoints) {
			for _, k := range finals {
				rec.Completion = append(rec.Completion, r.Completion[i+k])
			}
		}
	}
	return rec
}

// high returns the largest T that the smallest good one may be: the choice, or the largest of all if
// the choice is not known to be good.
func high(d *montecarlo.Decision) int64 {
	if d.Choice.Warning == montecarlo.NoWarning {
		return int64(d.Choice.Star.T)
	}
	return int64(d.Results[0].Checkpoints[len(d.Results[0].Checkpoints)-1].T)
}

// final reports whether more trials would not change what a finished study has of a
// configuration.
func final(values map[string][]string, m datasets.Measures) bool {
	most, err := strconv.Atoi(strings.Join(values[study.TrialsMax.Path], ""))
	return err == nil && int(m.Trials) < most && montecarlo.Stop(m.StopReason).Settled()
}

// bandwidth returns what each node of an all-to-all sends to other nodes [bytes/s], as
// Naruse, Sumimoto, Nakashima and Kumon define it (fig. 2), and 0 of other collectives.
func bandwidth(p study.Point, seconds float64) float64 {
	if !p.AllToAll() {
		return 0
	}
	ranks, perNode := p.Number(study.Ranks), p.Number(study.RanksPerNode)
	calls := max(1, p.Number(study.Calls))
	return p.Number(study.Bytes) * (ranks - perNode) * perNode * calls / seconds
}

// AxesOf returns the point's values as columns of the results.
func AxesOf(p study.Point) datasets.Axes {
	return datasets.NewAxes(p.ID, p.Plain(study.Axes))
}
