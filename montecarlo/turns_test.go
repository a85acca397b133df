package montecarlo

import (
	"testing"
	"time"
)

// The time goes to choices that are not known, then to those that are known within the widest tolerance, and
// shares of it are kept for these alone.
func TestTimeGoesToWhatIsKnownWorst(t *testing.T) {
	known := func(shown float64) *fieldRun {
		return &fieldRun{shown: shown, cost: cost{messages: 10, seconds: 10}}
	}
	open := []*fieldRun{known(0.02), known(0.08), known(widest)}
	p := &pool{
		Options: Options{Time: time.Hour, Workers: 2}, begin: time.Now(),
		fields: len(open), undecided: len(open), open: open,
	}
	last := lastTurn + 1
	for i, c := range open {
		if turn := p.turn(c); turn < last {
			last = turn
		} else {
			t.Errorf("choice %d has turn %d, and the one that is known better %d", i, turn, last)
		}
		share := 2 * time.Hour.Seconds() / float64(len(open)-i)
		if !p.fits(c, 0.9*share) || p.fits(c, 1.01*share) {
			t.Errorf("the share of choice %d is not %g s", i, share)
		}
	}
}
