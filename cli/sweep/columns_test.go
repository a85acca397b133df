package sweep

import (
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"gonum.org/v1/gonum/stat"

	"jitterfly/cli/study"
	"jitterfly/datasets"
	"jitterfly/internal/tests"
	"jitterfly/montecarlo"
)

// Every column of the tables that is no axis has a value in some row of a few studies, and those of
// quantiles are named by them.
func TestEveryColumnIsComputed(t *testing.T) {
	missing := map[string]bool{}
	look := func(row any) {
		v := reflect.ValueOf(row)
		for i := range v.NumField() {
			name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("parquet"), ",")
			name = v.Type().Name() + "." + name
			field := v.Field(i)
			if none := field.IsZero() || field.CanFloat() && math.IsNaN(field.Float()); !none {
				missing[name] = false
			} else if _, seen := missing[name]; !seen {
				missing[name] = true
			}
		}
	}
	for _, flags := range []string{
		"--ranks 64 --latency 100ns --os-duration 100us --assume paper --trials 10000",
		"--ranks 16 --os-duration 20us --compute 100us --iterations 20 --trials 10 --tolerance 1e-6",
		"--collective a2a-bruck --ranks 16 --os-duration 20us --trials 3",
		"--topology torus:4x4 --engine packet --collective a2a-ring --bytes 64B --trials 3",
	} {
		out := filepath.Join(t.TempDir(), "d")
		args := append(strings.Fields(flags), "--quiet", "--out", out)
		tests.NoError(t, execute(t.Context(), Command(nil), io.Discard, io.Discard, args...))
		results := tests.Must(datasets.OpenResults(out))(t)
		tests.NoError(t, results.Each(func(_ int, c *datasets.ChoiceRow, measures []datasets.Measures) error {
			look(c.Pick)
			for _, m := range measures {
				look(m)
			}
			return nil
		}))
	}
	for name, m := range missing {
		if m {
			t.Errorf("%s has no value in any study", name)
		}
	}
	measures := reflect.TypeFor[datasets.Measures]()
	for i := range measures.NumField() {
		tag := measures.Field(i).Tag
		digits, quantile := strings.CutPrefix(strings.TrimSuffix(tag.Get("parquet"), "_s"), "p")
		percent, err := strconv.ParseFloat(digits, 64)
		if !quantile || err != nil {
			continue
		}
		want := strconv.FormatFloat(percent/math.Pow(10, float64(len(digits))), 'g', -1, 64)
		if got := tag.Get("quantile"); got != want {
			t.Errorf("%s is the quantile %q, want %s", tag.Get("parquet"), got, want)
		}
	}
}

// Periodic noise keeps its phases, so that long runs differ as much as short ones; random detours
// average out. Candidates of a run meet the same noise, and a run of many iterations has the mean of
// a choice's trials.
func TestRunsAreDraws(t *testing.T) {
	spread := func(kind string, iterations int) (width, mean float64) {
		file := fmt.Sprintf("{ranks: 16, network: {latency: 1us}, collective: butterfly, "+
			"redundancy: {sources: [1, 2]}, noise: {os: {kind: %s, period: 1ms, duration: 50us}}, "+
			"application: {compute: 100us, iterations: 20}}", kind)
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

// What a run simulates is what its decisions say, and within the range of every field.
func TestRanges(t *testing.T) {
	base := []string{
		"assume=paper",
		"ranks=4,16", "network.latency=1us", "noise.os.duration=100us", "trials.min=30",
	}
	for name, set := range map[string][]string{
		"fixed":     {"trials.max=30"},
		"precision": {"trials.max=2000", "trials.until=precision", "trials.precision=0.1"},
		"effort":    {"trials.max=2000", "trials.until=precision", "trials.precision=1e-6", "trials.effort=20000"},
		"choice":    {"trials.max=2000", "trials.until=choice", "collective=butterfly,ring,binomial"},
	} {
		in := study.Input{Name: "s.yaml", Set: append(set, base...), Choose: name == "choice"}
		s := tests.Must(study.Read(in, 1e6))(t)
		sum := 0.0
		var progress atomic.Int64
		err := montecarlo.Run(context.Background(), &s.Settings, s.Len(), s.Field, montecarlo.Options{
			Progress: &progress,
			Done: func(i int, d montecarlo.Decision) error {
				messages, r := d.Messages(), messagesOf(s, i)
				if messages < r.Least || messages > r.Most {
					t.Errorf("%s, field %d: %g messages, outside %v", name, i, messages, r)
				}
				if name == "fixed" && r.Least != r.Most {
					t.Errorf("fixed, field %d: from %g to %g", i, r.Least, r.Most)
				}
				sum += messages
				return nil
			},
		})
		tests.NoError(t, err)
		if sum != float64(progress.Load()) {
			t.Errorf("%s: decisions of %g messages, and %d were simulated", name, sum, progress.Load())
		}
	}
}

// What needs more memory than there is is refused with both numbers.
func TestFits(t *testing.T) {
	if err := Fits("a moment", 1<<20); err != nil {
		t.Error(err)
	}
	tests.Fails(t, "^all configurations need 1e+09 GB, and there are ")(Fits("all configurations", 1e18))
}
