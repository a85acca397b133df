package datasets

import (
	"errors"
	"slices"
)

// A State says whether more trials would change a configuration's record.
type State int64

const (
	// Final records stay as they are, however many trials the study allows.
	Final State = iota
	// AtBound records have as many trials as the study allows.
	AtBound
	// Interrupted records have only the trials so far.
	Interrupted
	// Excluded records belong to candidates that cannot be chosen, or that are recorded already, and
	// have no rows in the tables.
	Excluded
)

// Kept are trials of a configuration, packed: most are the same where noise is rare.
type Kept struct {
	Trials int64
	// Common has the values of a trial that most others are equal to.
	Common []float64
	// Others are the trials that are not, and Values theirs, one trial after the other.
	Others []int64
	Values []float64
}

// NewKept packs trials: their completion times, one trial after the other, and the lower bound
// of each.
func NewKept(completion, lowerBound []float64) Kept {
	k := Kept{Trials: int64(len(lowerBound))}
	if k.Trials == 0 {
		return k
	}
	n := len(completion) / len(lowerBound)
	trial := func(i int) []float64 {
		return append(completion[i*n:(i+1)*n:(i+1)*n], lowerBound[i])
	}
	least := 0
	for i := range lowerBound {
		if completion[i*n] < completion[least*n] {
			least = i
		}
	}
	k.Common = trial(least)
	for i := range lowerBound {
		if values := trial(i); !slices.Equal(values, k.Common) {
			k.Others, k.Values = append(k.Others, int64(i)), append(k.Values, values...)
		}
	}
	return k
}

// Unpack returns what [NewKept] packed.
func (k *Kept) Unpack() (completion, lowerBound []float64) {
	n := len(k.Common) - 1
	next := 0
	for i := range k.Trials {
		values := k.Common
		if next < len(k.Others) && k.Others[next] == i {
			values = k.Values[next*(n+1) : (next+1)*(n+1)]
			next++
		}
		completion = append(completion, values[:n]...)
		lowerBound = append(lowerBound, values[n])
	}
	return completion, lowerBound
}

// check fails if there is nothing that Unpack could return.
func (k *Kept) check() error {
	const most = 1 << 31 // trials of a study
	sound := k.Trials >= 0 && k.Trials < most && int64(len(k.Others)) <= k.Trials &&
		len(k.Values) == len(k.Others)*len(k.Common) &&
		(k.Trials == 0 || len(k.Common) > 1) && slices.IsSorted(k.Others)
	for _, i := range k.Others {
		sound = sound && i >= 0 && i < k.Trials
	}
	if !sound {
		return errors.New("not trials")
	}
	return nil
}
