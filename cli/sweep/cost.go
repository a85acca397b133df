package sweep

import (
	"fmt"
	"math"

	"github.com/KimMachineGun/automemlimit/memlimit"

	"jitterfly/cli/internal/output"
	"jitterfly/cli/study"
	"jitterfly/datasets"
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

// leastMessages returns about how many messages are simulated for each configuration of the study: the
// messages of the smallest number of trials, and of the trial without noise.
func leastMessages(s *study.Study) []float64 {
	messages := make([]float64, len(s.Configurations))
	for i, c := range s.Configurations {
		messages[i] = c.Work * float64(s.Trials.Min+1)
	}
	return messages
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
		return e, fmt.Errorf("ranks, topology, trials.max: %d ranks and %d trials need %s, "+
			"and there are %s of memory",
			s.Ranks, s.Trials.Max, gigabytes(shared+s.Memory), gigabytes(usable))
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
