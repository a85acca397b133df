package sweep

import (
	"fmt"
	"slices"
	"strings"

	"jitterfly/cli/internal/output"
	"jitterfly/cli/study"
	"jitterfly/collectives/network"
	"jitterfly/collectives/network/packet"
	"jitterfly/internal/units"
	"jitterfly/internal/vector"
	"jitterfly/montecarlo"
)

// An explainer is a model that says which executors simulate it, and why.
type explainer interface{ Explain() string }

// explain returns what the model of a configuration says of its executors.
func explain(s *study.Study, config int) string {
	if c, err := s.Config(config); err == nil {
		if m, ok := c.Model.(explainer); ok {
			return m.Explain()
		}
	}
	return "an executor that its model does not describe"
}

// An estimated study has what it takes. If verbose, the executors that would simulate it are printed too.
type estimated struct {
	*study.Study
	Estimate
	verbose bool
}

// estimatePrinters are the ways to print the configurations of a study and their costs, by the values of
// --format.
var estimatePrinters = output.Printers(estimateText, estimateRows)

func estimateText(screen *output.Screen, s estimated) string {
	t := output.Table{}
	varying := s.Varying()
	t.Add(output.Column{Axis: true}, study.Flagged(varying)...)
	t.Add(output.Column{}, "messages")
	for i, c := range s.Configurations[:min(output.MostRows, len(s.Configurations))] {
		t.Append(append(s.Point(i).Texts(varying), fmt.Sprintf("%.4g", c.Work*float64(s.Trials.Min)))...)
	}
	details := ""
	if s.verbose {
		details = screen.Wrap(explanations(s.Study))
	}
	memory := float64((int64(s.Estimate.Memory)>>20 + 1) << 20) // rounded up to whole MiB
	return screen.Wrap(fmt.Sprintf("%d configurations of %s: %s simulated messages; %d workers, about %s of memory\n%s\n",
		len(s.Configurations), trialsOf(s.Study), fromTo(s.Messages.Least, s.Messages.Most), s.Workers,
		units.Format(units.Size, memory, 4), flits(s.Study, s.Workers)+detours(s.Study, s.Workers))) +
		screen.Table(t) + screen.Wrap(output.More(len(s.Configurations), "--format csv lists all")) + details
}

// nanosecondsPerFlitHop is what a flit that moves takes on one core of a server.
const nanosecondsPerFlitHop = 35

// FlitHops returns how often flits of packets move in a trial of a model, 0 of others.
func FlitHops(model montecarlo.Model) float64 {
	if m, ok := model.(*network.Model); ok {
		if p, ok := m.Network.(*packet.Network); ok {
			return p.FlitHops()
		}
	}
	return 0
}

// flits returns a line with how often flits would move in the least trials of the study, and about
// how long that takes, or "" if it has no packets.
func flits(s *study.Study, workers int) string {
	if !slices.Contains(s.Values[study.Engine.Path], "packet") {
		return ""
	}
	hops := 0.0
	for i := range s.Configurations {
		c, _ := s.Config(i)
		hops += FlitHops(c.Model) * float64(s.Trials.Min+1)
	}
	if hops == 0 {
		return ""
	}
	seconds := hops * nanosecondsPerFlitHop * 1e-9 / float64(workers)
	return fmt.Sprintf("%.3g flit-hops of packets, about %s\n", hops, output.Seconds(seconds))
}

// nanosecondsPerDetour is what a detour takes that a rank meets behind others, on a server's core.
const nanosecondsPerDetour = 10

// detours returns a line with how many detours would be simulated in the least trials of the study,
// and about how long that takes, or "" if that is less than some seconds.
func detours(s *study.Study, workers int) string {
	met := 0.0
	for _, c := range s.Configurations {
		met += float64(c.Met) * float64(s.Trials.Min+1)
	}
	seconds := met * nanosecondsPerDetour * 1e-9 / float64(workers)
	if seconds < 3 {
		return ""
	}
	return fmt.Sprintf("some %.2g detours and network events, about %s\n", met, output.Seconds(seconds))
}

func trialsOf(s *study.Study) string {
	text := fmt.Sprintf("%d trials", s.Trials.Min)
	if s.Trials.Min < s.Trials.Max {
		text = fmt.Sprintf("%d to %d trials", s.Trials.Min, s.Trials.Max)
	}
	if s.Len() < len(s.Configurations) {
		text += " (none for those that cannot be the best)"
	}
	return text
}

// fromTo returns the text of a range of messages, or of its bounds if they are the same.
func fromTo(least, most float64) string {
	if text := fmt.Sprintf("%.4g", most); least >= most {
		return text
	}
	return fmt.Sprintf("%.4g to %.4g", least, most)
}

func estimateRows(s estimated, _ bool) (header []string, rows output.Rows) {
	header = slices.Concat([]string{"config_id"}, study.Columns(study.Axes), []string{"rank_rounds"})
	if s.verbose {
		header = append(header, "executors")
	}
	return header, func(yield func([]any) bool) {
		for i, c := range s.Configurations {
			p := s.Point(i)
			row := append(append([]any{p.ID}, p.Plain(study.Axes)...), c.Work*float64(s.Trials.Min))
			if s.verbose {
				row = append(row, explain(s.Study, i))
			}
			if !yield(row) {
				return
			}
		}
	}
}

// explanations returns a paragraph for each distinct explanation of the models, with the
// first of the configurations that it is true of.
func explanations(s *study.Study) string {
	explained := func(config int) string { return explain(s, config) }
	var b strings.Builder
	varying := s.Varying()
	for _, configs := range vector.Groups(len(s.Configurations), explained) {
		plural := "s"
		if len(configs) == 1 {
			plural = ""
		}
		fmt.Fprintf(&b, "\n%d configuration%s", len(configs), plural)
		if names := strings.ReplaceAll(s.Point(configs[0]).Lines(varying), "\n", ", "); names != "" {
			fmt.Fprintf(&b, ", the first with %s", names)
		}
		fmt.Fprintf(&b, ":\n  %s\n", strings.ReplaceAll(explained(configs[0]), "; ", "\n  "))
	}
	return b.String()
}
