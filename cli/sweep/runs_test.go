package sweep

import (
	"fmt"
	"testing"

	"gonum.org/v1/gonum/stat"

	"jitterfly/cli/study"
	"jitterfly/internal/tests"
	"jitterfly/montecarlo"
)

// Periodic noise keeps its phases, so that long runs differ as much as short ones; random detours
// average out. Candidates of a run meet the same noise, and a run of many iterations has the mean of
// a choice's trials.
func TestRunsAreDraws(t *testing.T) {
	spread := func(kind string, iterations int) (width, mean float64) {
		file := fmt.Sprintf("{ranks: 16, network: {latency: 1us}, collective: butterfly, redundancy: {sources: [1, 2]}, noise: {os: {kind: %s, "+
			"period: 1ms, duration: 50us}}, application: {compute: 100us, iterations: 20}}", kind)
		s := tests.Must(study.Read(study.Input{Name: "s.yaml", File: []byte(file), Choose: true}, 1e6))(t)
		r, err := RunsOf(t.Context(), s, []montecarlo.Candidate{{Config: 0}, {Config: 1}}, iterations, 2)
		if err != nil || r.Iterations != iterations || len(r.Times[0]) != mostRuns {
			t.Fatalf("%+v, %v", r, err)
		}
		one := RangeOf(r.Times[0])
		saved := RangeOf(r.Saved())
		if !(saved.Low < saved.High && saved.High-saved.Low < one.High-one.Low) {
			t.Errorf("%s: runs take %v, and the second candidate saves %v", kind, one, saved)
		}
		return one.High - one.Low, stat.Mean(r.Times[0], nil)
	}
	short, mean := spread("periodic", 40)
	long, later := spread("periodic", 640)
	if long < short/2 || later < 0.95*mean || later > 1.05*mean {
		t.Errorf("periodic: 40 iterations spread by %g s around %g, 640 by %g around %g", short, mean, long, later)
	}
	short, _ = spread("poisson", 40)
	if long, _ = spread("poisson", 640); long > short/2 {
		t.Errorf("poisson: 40 iterations spread by %g s, 640 by %g", short, long)
	}
}
