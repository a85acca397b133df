package montecarlo

import (
	"testing"
	"time"
)

// The time goes to choices that are not known, then to those whose bound is the widest, and shares of it are
// kept for these alone. Each is planned to get up to twice its share, and is last when it has had that.
func TestTimeGoesToWhatIsKnownWorst(t *testing.T) {
	known := func(bound float64) *fieldRun {
		return &fieldRun{bound: bound, cost: cost{messages: 10, seconds: 10}}
	}
	all := 2 * time.Hour.Seconds()
	hog := known(0.5)
	hog.cost = cost{messages: all, seconds: all}
	open := []*fieldRun{hog, known(0.02), known(0.03), known(0.08), known(widest)}
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
		share := all / max(1, float64(len(open)-i)/heaviest)
		if !p.fits(c, 0.9*share) || p.fits(c, 1.01*share) {
			t.Errorf("the share of choice %d is not %g s", i, share)
		}
	}
}
