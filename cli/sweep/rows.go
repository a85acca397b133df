package sweep

import (
	"math"

	"jitterfly/cli/study"
	"jitterfly/datasets"
	"jitterfly/montecarlo"
)

// record returns the rows of one configuration whose field has no others.
func record(objective string, p study.Point, d montecarlo.Decision, keepTrials bool,
) datasets.Record {
	r, choice := d.Results[0], d.Choice
	base := r.Summaries[0]
	rec := datasets.Record{
		Pick: datasets.Pick{
			Star:       int64(choice.Star.T),
			Argmin:     int64(choice.Argmin.T),
			ByName:     objective,
			Objective:  choice.Objective,
			Baseline:   choice.Baseline,
			Speedup:    choice.Baseline / choice.Objective,
			Confidence: choice.Confidence,
			Needed:     int64(choice.Needed),
			Warning:    choice.Warning.String(),
		},
	}
	for t, s := range r.Summaries {
		rec.Measures = append(rec.Measures, datasets.Measures{
			Redundancy: int64(r.Checkpoints[t].T),
			Trials:     int64(r.Trials),
			StopReason: d.Stop.String(),
			Quiet:      s.NoiseFree,
			Mean:       s.Mean,
			StdDev:     s.StdDev,
			Floor:      s.LowerBound,
			Low:        s.Low,
			High:       s.High,
			Min:        s.Min,
			P50:        s.P50,
			P90:        s.P90,
			P95:        s.P95,
			P99:        s.P99,
			P999:       s.P999,
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

// bandwidth returns what each node of an all-to-all sends to other nodes [bytes/s], as
// Naruse, Sumimoto, Nakashima and Kumon define it (fig. 2), and 0 of other collectives.
func bandwidth(p study.Point, seconds float64) float64 {
	if !p.AllToAll() {
		return 0
	}
	ranks, perNode := p.Value("ranks").Number, p.Value("ranks_per_node").Number
	return p.Value("bytes").Number * (ranks - perNode) * perNode / seconds
}

// axesOf returns the values of the point as the columns of the tables.
func axesOf(p study.Point) datasets.Axes {
	number := func(path string) float64 { return p.Value(path).Number }
	name := func(path string) string { return p.Value(path).Name }
	return datasets.Axes{
		ConfigID:        p.ID,
		Collective:      name("collective"),
		Ranks:           int64(number("ranks")),
		Bytes:           int64(math.Round(number("bytes"))),
		Latency:         number("network.latency"),
		Bandwidth:       number("network.bandwidth"),
		Overhead:        number("network.overhead"),
		Gap:             number("network.gap"),
		Progress:        name("progress.kind"),
		Poll:            number("progress.poll"),
		Polls:           int64(number("progress.polls")),
		Window:          int64(math.Round(number("progress.window"))),
		Interrupt:       number("progress.interrupt"),
		MemoryBandwidth: number("memory.bandwidth"),
		RanksPerNode:    int64(number("ranks_per_node")),
		NodeLatency:     number("node.latency"),
		NodeBandwidth:   number("node.bandwidth"),
		Sources:         int64(number("redundancy.sources")),
		Segments:        int64(number("segments")),
		Contention:      name("contention"),
		Nodes:           int64(number("nodes")),
		Topology:        name("topology"),
		HopLatency:      number("network.hop_latency"),
		Sharing:         name("sharing"),
		Controllers:     int64(number("controllers")),
		Sync:            name("sync"),
		PerNode:         int64(number("messages")),
		SendOverhead:    number("redundancy.send_overhead"),
		Reception:       name("redundancy.reception"),
		Profile:         name("noise.profile"),
		OSKind:          name("noise.os.kind"),
		OSPeriod:        number("noise.os.period"),
		OSDuration:      number("noise.os.duration"),
		OSLaunch:        name("noise.os.launch"),
		OSScope:         name("noise.os.scope"),
		NetKind:         name("noise.network.kind"),
		NetInterval:     number("noise.network.interval"),
		NetDuration:     number("noise.network.duration"),
	}
}
