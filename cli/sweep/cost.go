package sweep

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/KimMachineGun/automemlimit/memlimit"

	"jitterfly/cli/internal/output"
	"jitterfly/cli/study"
	"jitterfly/collectives/network"
	"jitterfly/collectives/network/packet"
	"jitterfly/datasets"
	"jitterfly/internal/units"
	"jitterfly/internal/vector"
	"jitterfly/montecarlo"
)

// An Estimate is what a study takes.
type Estimate struct {
	Workers  int          // as many as asked for, or as the memory has room for
	Memory   float64      // [bytes]
	Messages output.Range // to simulate
}

// availableMemory returns how many bytes this process may use: the limit of its control
// group or the memory of the machine.
func availableMemory() float64 {
	limit, err := memlimit.ApplyFallback(memlimit.FromCgroup, memlimit.FromSystem)()
	if err != nil || limit == 0 {
		return 4 << 30
	}
	return float64(limit)
}

// bytesPerConfig is about what a configuration takes in memory, besides its trials while it is
// simulated: in the study, in the plan, and where its results are.
const bytesPerConfig = 256

// The tables hold the rows of configurations, and compress them, until they write a group of rows.
const (
	bytesPerRow  = 2500
	mostOfTables = 128 << 20
)

// MaxConfigs returns how many configurations a study may have: as many as fit into half of the
// memory, and not more than a plan can have.
func MaxConfigs() float64 {
	return min(datasets.MaxConfigurations, math.Floor(availableMemory()/2/bytesPerConfig))
}

// messagesOf returns the minimum and maximum of simulated messages for a field of the study, including
// the trials without noise.
//
// Only the first configuration of a field certainly gets trials: others get none if their lower
// bounds show that they cannot be chosen. The maximum is for the largest number of trials of all
// configurations, or the effort if that is larger than the smallest number takes.
func messagesOf(s *study.Study, field int) output.Range {
	sum, configs := 0.0, s.Of(field)
	for _, c := range configs {
		sum += c.Work
	}
	least, most := float64(s.Trials.Min)+1, float64(s.Trials.Max)+1
	r := output.Range{Least: configs[0].Work * least, Most: sum * most}
	if s.Trials.Effort > 0 {
		r.Most = min(r.Most, max(sum*least, s.Trials.Effort))
	}
	return r
}

// bytesPerCompletion is what a completion time takes while its field is evaluated: in the
// order of trials, by T, and sorted.
const bytesPerCompletion = 4 * 8

// CostOf estimates what the study takes with the given number of workers, or with fewer if the memory
// has no room for them. It fails if it has no room for one.
func CostOf(s *study.Study, workers int) (Estimate, error) {
	e := Estimate{}
	for i := range s.Len() {
		r := messagesOf(s, i)
		e.Messages.Least += r.Least
		e.Messages.Most += r.Most
	}
	n := float64(len(s.Configurations))
	shared := n*bytesPerConfig + min(n*bytesPerRow, mostOfTables) + s.Completions()*bytesPerCompletion
	usable := usableMemory()
	room := usable - shared
	if s.Memory > room {
		what := fmt.Sprintf("ranks, topology: %d ranks need", s.Ranks)
		if shared > s.Memory {
			what = fmt.Sprintf("trials.max: %d trials of %.0f configurations need", s.Trials.Max, n)
		}
		return e, fmt.Errorf("%s %s, and there are %s of memory", what,
			gigabytes(shared+s.Memory), gigabytes(usable))
	}
	e.Workers = int(min(float64(workers), room/s.Memory))
	e.Memory = shared + s.Memory*float64(e.Workers)
	return e, nil
}

// usableMemory returns how many bytes a command may use; the rest is for the Go runtime and other
// processes.
func usableMemory() float64 { return 0.9 * availableMemory() }

// Fits fails if what needs more bytes of memory than there are.
func Fits(what string, bytes float64) error {
	if usable := usableMemory(); bytes > usable {
		return fmt.Errorf("%s need %s, and there are %s of memory", what, gigabytes(bytes),
			gigabytes(usable))
	}
	return nil
}

func gigabytes(bytes float64) string { return fmt.Sprintf("%.3g GB", bytes/1e9) }

// explain returns which executors the model of a configuration says simulate it, and why.
func explain(s *study.Study, config int) string {
	return s.Config(config).Model.(interface{ Explain() string }).Explain()
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
	t.Axes(study.Flagged(varying)...)
	t.Add("messages")
	for i, c := range s.Configurations[:min(output.MostRows, len(s.Configurations))] {
		t.Append(append(s.Point(i).Texts(varying), fmt.Sprintf("%.4g", c.Work*float64(s.Trials.Min)))...)
	}
	details := ""
	if s.verbose {
		details = screen.Wrap(explanations(s.Study))
	}
	memory := float64((int64(s.Estimate.Memory)>>20 + 1) << 20) // rounded up to whole MiB
	return screen.Wrap(fmt.Sprintf("%d configurations of %s: %s simulated messages; %d workers, "+
		"about %s of memory\n%s\n",
		len(s.Configurations), trialsOf(s.Study), fromTo(s.Messages.Least, s.Messages.Most), s.Workers,
		units.Format(units.Size, memory, 4), longest(s.Study, s.Workers))) +
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

// nanosecondsPerDetour is what a detour takes that a rank meets behind others, on a server's core.
const nanosecondsPerDetour = 10

// longest returns lines with how often flits would move, and how many detours be simulated, in the least
// trials of the study, and about how long that takes: "" without packets, and if detours take less than some
// seconds.
func longest(s *study.Study, workers int) (text string) {
	hops, met := 0.0, 0.0
	packets := slices.Contains(s.Values[study.Engine.Path], "packet")
	for i, c := range s.Configurations {
		met += float64(c.Met) * float64(s.Trials.Min+1)
		if packets {
			hops += FlitHops(s.Config(i).Model) * float64(s.Trials.Min+1)
		}
	}
	if hops > 0 {
		text = fmt.Sprintf("%.3g flit-hops of packets, about %s\n", hops,
			output.Seconds(hops*nanosecondsPerFlitHop*1e-9/float64(workers)))
	}
	if seconds := met * nanosecondsPerDetour * 1e-9 / float64(workers); seconds >= 3 {
		text += fmt.Sprintf("some %.2g detours and network events, about %s\n", met, output.Seconds(seconds))
	}
	return text
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
	return header, vector.Sequence(len(s.Configurations), func(i int) []any {
		p, work := s.Point(i), s.Configurations[i].Work
		row := append(append([]any{p.ID}, p.Plain(study.Axes)...), work*float64(s.Trials.Min))
		if s.verbose {
			row = append(row, explain(s.Study, i))
		}
		return row
	})
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
