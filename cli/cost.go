package cli

import (
	"fmt"
	"io"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/jedib0t/go-pretty/v6/table"

	"jitterfly/cli/study"
	"jitterfly/internal/units"
)

// A cost is what a study takes.
type cost struct {
	workers    int     // that the memory has room for
	memory     float64 // bytes
	rankRounds float64 // with the least number of trials
}

// availableMemory is how many bytes this process may use: the limit of its
// control group or what the machine has.
func availableMemory() float64 {
	limit, err := memlimit.ApplyFallback(memlimit.FromCgroup, memlimit.FromSystem)()
	if err != nil || limit == 0 {
		return 4 << 30
	}
	return float64(limit)
}

// estimate finds the study's cost, with fewer workers than asked for if memory
// has no room for them. That not even one fits is the input's error.
func estimate(s *study.Study, workers int, memory float64) (cost, error) {
	c := cost{}
	ranks := 0
	for i, p := range s.Points {
		c.rankRounds += s.Work[i] * float64(s.Trials.Min+1)
		ranks = max(ranks, int(p.Value("ranks").Whole))
	}
	shared := float64(len(s.Configs))*study.BytesPerConfig + s.Completions()*bytesPerCompletion
	const share = 0.9 // the rest is the runtime's and other processes'
	room := share*memory - shared
	if s.Memory > room {
		return c, fmt.Errorf("ranks, topology, trials.max: %d ranks and %d trials need %s, and there are %s of memory",
			ranks, s.Trials.Max, gigabytes(shared+s.Memory), gigabytes(share*memory))
	}
	c.workers = int(min(float64(workers), room/s.Memory))
	c.memory = shared + s.Memory*float64(c.workers)
	return c, nil
}

// bytesPerCompletion is what a completion takes while its field is looked at: in
// the order of trials, by T, and sorted.
const bytesPerCompletion = 4 * 8

func gigabytes(bytes float64) string { return fmt.Sprintf("%.3g GB", bytes/1e9) }

// printPlan prints the configurations and what they would cost.
func printPlan(w io.Writer, s *study.Study, c cost, format string) error {
	if format != "table" {
		header, rows := []string{"config_id"}, [][]any{}
		for _, k := range study.Axes {
			header = append(header, k.Column)
		}
		header = append(header, "rank_rounds")
		for i, p := range s.Points {
			row := []any{p.ID}
			for j := range study.Axes {
				row = append(row, p.Values[j].Any())
			}
			rows = append(rows, append(row, s.Work[i]*float64(s.Trials.Min)))
		}
		return encoders[format](w, header, rows)
	}
	t := newTable()
	varying := s.Varying()
	header := table.Row{}
	for _, k := range varying {
		header = append(header, k.Flag)
	}
	t.AppendHeader(append(header, "rank-rounds"))
	for i, p := range s.Points {
		row := table.Row{}
		for _, k := range varying {
			row = append(row, k.Text(p.Value(k.Path)))
		}
		t.AppendRow(append(row, fmt.Sprintf("%.4g", s.Work[i]*float64(s.Trials.Min))))
	}
	_, err := fmt.Fprintf(w, "%s\n\n%d configurations of at least %d trials: %.4g rank-rounds; %d workers, about %s of memory\n",
		t.Render(), len(s.Points), s.Trials.Min, c.rankRounds, c.workers, units.Format(units.Size, roundMiB(c.memory), 4))
	return err
}

// roundMiB rounds up to whole MiB.
func roundMiB(bytes float64) float64 { return float64((int64(bytes)>>20 + 1) << 20) }
