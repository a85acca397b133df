package cli

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jitterfly/cli/internal/command"
	"jitterfly/cli/study"
	"jitterfly/datasets"
	"jitterfly/internal/tests"
	"jitterfly/internal/tests/models"
	"jitterfly/internal/units"
)

var (
	dryStudies = flag.Int("dry", 60, "how many random studies TestRandomStudies reads")
	runStudies = flag.Int("ran", 8, "how many of them it simulates")
)

// Random studies, of some keys with any of their words and with quantities over all magnitudes, are
// read or refused with a line, and what is simulated ends, has no NaN where there is a number, and is
// slower than without noise where no message waits for another.
func TestRandomStudies(t *testing.T) {
	random := rand.New(rand.NewPCG(54, 1))
	file, simulated := filepath.Join(t.TempDir(), "study.yaml"), 0
	tests.NoError(t, os.WriteFile(file, []byte("ranks: 8\n"), 0o600))
	for n := 0; n < *dryStudies || simulated < *runStudies && n < 20**runStudies; n++ {
		set := randomSet(random)
		in := study.Input{Name: file, File: []byte("ranks: 8\n"), Set: set}
		s, err := study.Read(in, 1e4)
		code, _, text := ran(t, append([]string{"sweep", file, "--dry-run"}, flags(set)...)...)
		if (code == command.Done) != (err == nil) || code != command.Done && strings.Count(text, "\n") != 1 {
			t.Fatalf("%v: exit %d, %s, %v", set, code, text, err)
		}
		if err != nil || simulated == *runStudies {
			continue
		}
		work := 0.0
		for _, c := range s.Configurations {
			work += c.Work + float64(c.Met)
		}
		if work > 3e6 {
			continue
		}
		simulated++
		dir := filepath.Join(t.TempDir(), "results")
		printed(t, append([]string{"sweep", file, "--quiet", "--trials", "3", "--out", dir}, flags(set)...)...)
		results, err := datasets.OpenResults(dir)
		if err == nil {
			err = results.Each(func(i int, _ *datasets.ChoiceRow, measures []datasets.Measures) error {
				for _, m := range measures {
					if why := wrong(s.Point(i), m); why != "" {
						t.Errorf("%v, T = %d: %s: %+v", set, m.Redundancy, why, m)
					}
				}
				return nil
			})
		}
		if err != nil {
			t.Fatalf("%v: %v", set, err)
		}
	}
	t.Logf("%d studies are simulated", simulated)
	if simulated < *runStudies {
		t.Errorf("only %d studies could be simulated", simulated)
	}
}

// flags returns the flags that set keys of a study.
func flags(set []string) (args []string) {
	for _, s := range set {
		args = append(args, "--set", s)
	}
	return args
}

// notRandom are keys that name files, or say how long is simulated.
var notRandom = map[*study.Key]bool{
	study.ComputeFile: true, study.Permutation: true, study.TrialsMin: true, study.TrialsMax: true,
	study.TrialsEffort: true, study.Seed: true, study.TrialsUntil: true, study.TrialsPrecision: true,
}

// randomSet returns values of one to six keys, as path=value.
func randomSet(random *rand.Rand) (set []string) {
	pick := func(from ...string) string { return from[random.IntN(len(from))] }
	for range 1 + random.IntN(6) {
		k := study.Keys[random.IntN(len(study.Keys))]
		words := k.Names
		switch {
		case notRandom[k]:
			continue
		case k == study.Topology:
			words = models.SmallTopologies
		case k == study.NoiseProfile:
			words = []string{"none", "alps", "azure-hc44", "deep-est"}
		}
		value := ""
		switch {
		case len(words) > 0 && (!k.Whole || random.IntN(2) == 0):
			value = pick(words...)
		case k.Whole:
			value = fmt.Sprint(random.IntN(1 << random.IntN(6)))
		case k.Dimension == units.Time:
			value = pick("0", "1", "3", "10", "100") + pick("ns", "us", "us", "ms")
		case k.Dimension == units.Size:
			value = pick("1B", "8B", "100B", "4KiB", "64KiB")
		case k.Dimension == units.Rate:
			value = pick("1MB/s", "1GB/s", "12.5GB/s", "100GB/s")
		default:
			value = pick("0", "0.01", "10%", "0.5", "2", "-1")
		}
		set = append(set, k.Path+"="+value)
	}
	return set
}

// wrong says what of a measured T cannot be right, "" if nothing is.
func wrong(p study.Point, m datasets.Measures) string {
	for name, x := range map[string]float64{
		"mean": m.Mean, "quiet": m.NoiseFree, "floor": m.LowerBound, "least": m.Min, "longest": m.Max,
		"messages": m.Messages, "deviation": m.StdDev, "slowdown": m.Slowdown, "speedup": m.Speedup,
		"in calls": m.InCalls, "share": m.Share,
	} {
		if math.IsNaN(x) || math.IsInf(x, 0) || x < 0 {
			return fmt.Sprintf("%s is %g", name, x)
		}
	}
	ordered := !p.OnTopology() && p.Name(study.Progress) == "none" && p.Name(study.Links) == "free" &&
		p.Name(study.Contention) == "none" && p.Name(study.Forward) == "none" && !p.Application()
	switch {
	case m.Share > 1:
		return "the share of calls is above 1"
	case m.Min > m.Max || m.Mean < m.Low*(1-1e-9) || m.Mean > m.High*(1+1e-9):
		// Rare detours that three trials have not met are in the mean.
		return "the mean is not within its interval, or the least is not below the longest"
	case ordered && m.Min < m.NoiseFree*(1-1e-9):
		return "it is faster than without noise"
	}
	return ""
}
