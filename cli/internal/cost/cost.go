// Package cost estimates what a study takes: the messages to simulate, the memory, and
// how many workers that has room for. It prints the estimate for --dry-run.
package cost

import (
	"fmt"
	"runtime"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/spf13/pflag"

	"jitterfly/cli/internal/progress"
	"jitterfly/cli/study"
	"jitterfly/montecarlo"
)

// An Estimate is what a study takes.
type Estimate struct {
	Workers  int            // as many as asked for, or as the memory has room for
	Memory   float64        // [bytes]
	Messages progress.Range // to simulate
}

// WorkersFlag defines --workers. The default that it shows is true on all machines, since
// the manual must be.
func WorkersFlag(f *pflag.FlagSet, workers *int) {
	f.IntVar(workers, "workers", runtime.GOMAXPROCS(0), "trials simulated at a time")
	f.Lookup("workers").DefValue = "as many as processors"
}

// CheckWorkers returns an error if --workers is not positive.
func CheckWorkers(workers int) error {
	if workers < 1 {
		return fmt.Errorf("--workers: %d is not at least 1", workers)
	}
	return nil
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

// maxConfigs is how many configurations a study may have on any machine. They take half a
// gigabyte and some ten seconds before the first is simulated.
const maxConfigs = 200_000

// MaxConfigs returns how many configurations a study may have: those that fit into a
// quarter of the memory, and not more than [maxConfigs].
func MaxConfigs() float64 { return min(maxConfigs, availableMemory()/4/study.BytesPerConfig) }

// Messages returns about how many messages are simulated for each configuration of the
// study: those of the smallest number of trials, and of the one without noise.
func Messages(s *study.Study) []float64 {
	messages := make([]float64, len(s.Work))
	for i, work := range s.Work {
		messages[i] = work * float64(s.Trials.Min+1)
	}
	return messages
}

// Ranges returns the messages that have to be simulated for each field of the study, those of
// the trials without noise included.
//
// Of a field only the first configuration certainly gets trials: others get none if their lower
// bounds show that they cannot be chosen. The most are those of the largest number of trials
// of all, or of the effort if that is larger than the smallest number takes.
func Ranges(s *study.Study) []progress.Range {
	ranges, work := make([]progress.Range, len(s.Fields)), s.Work
	for i, field := range s.Fields {
		sum := 0.0
		for _, w := range work[:len(field)] {
			sum += w
		}
		least, most := float64(s.Trials.Min)+1, float64(s.Trials.Max)+1
		ranges[i] = progress.Range{Least: work[0] * least, Most: sum * most}
		if s.Trials.Effort > 0 {
			ranges[i].Most = min(ranges[i].Most, max(sum*least, s.Trials.Effort))
		}
		work = work[len(field):]
	}
	return ranges
}

// Simulated returns the messages that were simulated for a decision, given the work of a
// trial of each configuration of its field.
func Simulated(d montecarlo.Decision, work []float64) float64 {
	messages := 0.0
	for i, r := range d.Results {
		if r.Trials > 0 {
			messages += work[i] * float64(r.Trials+1)
		}
	}
	return messages
}

// bytesPerCompletion is what a completion time takes while its field is evaluated: in the
// order of trials, by T, and sorted.
const bytesPerCompletion = 4 * 8

// Of estimates what the study takes with so many workers, or with fewer if the memory has
// no room for them. It fails if it has no room for one.
func Of(s *study.Study, workers int) (Estimate, error) {
	e := Estimate{}
	ranks := 0
	for _, p := range s.Points {
		ranks = max(ranks, int(p.Value("ranks").Whole))
	}
	for _, r := range Ranges(s) {
		e.Messages.Least += r.Least
		e.Messages.Most += r.Most
	}
	shared := float64(len(s.Configs))*study.BytesPerConfig + s.Completions()*bytesPerCompletion
	usable := 0.9 * availableMemory() // the rest is for the Go runtime and other processes
	room := usable - shared
	if s.Memory > room {
		return e, fmt.Errorf("ranks, topology, trials.max: %d ranks and %d trials need %s, "+
			"and there are %s of memory",
			ranks, s.Trials.Max, gigabytes(shared+s.Memory), gigabytes(usable))
	}
	e.Workers = int(min(float64(workers), room/s.Memory))
	e.Memory = shared + s.Memory*float64(e.Workers)
	return e, nil
}

func gigabytes(bytes float64) string { return fmt.Sprintf("%.3g GB", bytes/1e9) }
