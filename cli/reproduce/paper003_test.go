package reproduce

import (
	"math"
	"slices"
	"strings"
	"testing"

	"jitterfly/datasets"
)

// A world returns made-up results at 2^K processors and a value of the other axis.
type world func(K int, x float64) (slow, gain float64, T int)

// places are made-up values of both kinds of axes.
var places = []float64{0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.3, 1, 2, 5}

// worldly returns the tables of a study in a world, with intervals of that relative half-width.
func worldly(study string, w world, half float64) []Config {
	var configs []Config
	for K := 1; K <= 20; K++ {
		for _, x := range places {
			c := Config{
				Axes: datasets.Axes{
					Ranks: 1 << K, OSPeriod: 1, OSDuration: 1e-2, Latency: x * 1e-2, Bandwidth: 1,
					MemoryBandwidth: 1,
				},
			}
			if study == period1ms || study == period10ms {
				c.OSDuration, c.Latency = x, 1e-3
			}
			slow, gain, best := w(K, x)
			noiseFree := float64(K) * c.Latency
			for t := range K + 1 {
				mean := 1.1 * slow / gain * noiseFree
				switch {
				case t == 0:
					mean = slow * noiseFree
				case t == min(best, K):
					mean = slow / gain * noiseFree
				}
				c.T = append(
					c.T,
					datasets.Measures{
						NoiseFree: noiseFree, Mean: mean, Low: mean * (1 - half),
						High: mean * (1 + half), Slowdown: mean / noiseFree,
					},
				)
			}
			configs = append(configs, c)
		}
	}
	return configs
}

// as returns results with the tables of one study.
func as(study string, w world, half float64) *Results {
	return &Results{configs: map[string][]Config{study: worldly(study, w, half)}}
}

// flatWorld has jitter of little influence everywhere.
func flatWorld(int, float64) (float64, float64, int) { return 1.1, 1.05, 1 }

// saidWorld is what the paper says about 4.2 A and B.
func saidWorld(K int, x float64) (float64, float64, int) {
	slow := 1 + 0.2/x*min(1, float64(K)/10)
	remaining := 1.02
	if K > 14 {
		remaining = max(1.02, slow/3)
	}
	return slow, max(1, min(10, slow/remaining)), max(1, int(float64(K)*min(1, x)*2))
}

// periodWorld is what the paper says about 4.2 C.
func periodWorld(K int, x float64) (float64, float64, int) { return saidWorld(K, 2e-3/x) }

// mirroredWorld is the opposite of saidWorld.
func mirroredWorld(K int, x float64) (float64, float64, int) {
	slow, gain, T := saidWorld(21-K, 1e-2/x)
	return slow, gain, 21 - T
}

// highWorld has a slow-down of 12, and gains that fall above 2^14 processors.
func highWorld(K int, _ float64) (float64, float64, int) {
	if K < 15 {
		return 12, 10, 1
	}
	return 12, 4, 1
}

// Numbers that are hardly known decide nothing.
func TestInconclusive003(t *testing.T) {
	r := as(latency1us, highWorld, 0.9)
	for _, c := range []Claim{
		{Judge: "the largest", Measure: "gain", Expected: []float64{10}},
		{Judge: "the largest", Measure: "slow-down", Expected: []float64{12}},
		{Judge: "every cell", Measure: "gain", Expected: []float64{9}, Part: "P≥2^7 P≤2^14"},
	} {
		c.Studies = []string{latency1us}
		if ours, v := judged003(t, c, r); v != Inconclusive {
			t.Errorf("%s %v: %s", c.Judge, v, ours)
		}
	}
}

// A T that is best everywhere does not grow, and one that is the number of exchanges does.
func TestGrows(t *testing.T) {
	c := Claim{
		Judge: "grows with P", Measure: "T", Studies: []string{latency1us}, Expected: []float64{0.8},
	}
	if ours, v := judged003(t, c, as(latency1us, flatWorld, 1e-3)); v != Fails {
		t.Errorf("the same T everywhere: %v: %s", v, ours)
	}
	rising := func(K int, _ float64) (float64, float64, int) { return 2, 1.5, K }
	if ours, v := judged003(t, c, as(latency1us, rising, 1e-3)); v != Holds {
		t.Errorf("T = K: %v: %s", v, ours)
	}
}

// judged003 returns the answer and the verdict of a claim of paper 003.
func judged003(t *testing.T, c Claim, r *Results) (string, Verdict) {
	t.Helper()
	return mustFind(t, "003").judges[c.Judge](r, &c)
}

// claim003 returns the claim whose statement begins so.
func claim003(t *testing.T, begins string) Claim {
	t.Helper()
	for _, c := range mustFind(t, "003").Claims {
		if strings.HasPrefix(c.Statement, begins) {
			return c
		}
	}
	t.Fatalf("no claim begins with %q", begins)
	return Claim{}
}

// Each exchange takes its time without jitter, in all configurations.
func TestExchangesAreJudged(t *testing.T) {
	r := results003(everywhere(2, 1))
	claim := claim003(t, "With 2^K processors K")
	if ours, v := judged003(t, claim, r); v != Holds {
		t.Errorf("K exchanges: %v, %s", v, ours)
	}
	r.configs[latency1us][5].T[0].NoiseFree *= 1.1
	if ours, v := judged003(t, claim, r); v != Fails {
		t.Errorf("K exchanges: %v, %s", v, ours)
	}
}

// A cost of copies makes each redundant exchange slower, and none does not.
func TestOverheadIsJudged(t *testing.T) {
	table := func(times ...float64) *Results {
		r := &Results{configs: map[string][]Config{}}
		for _, study := range studies003() {
			r.configs[study] = nil
		}
		c := Config{Axes: datasets.Axes{Ranks: 4}}
		for _, v := range times {
			c.T = append(c.T, datasets.Measures{NoiseFree: v})
		}
		r.configs[overhead50ns] = []Config{c}
		return r
	}
	claim := claim003(t, "Without jitter the conventional")
	if ours, v := judged003(t, claim, table(1, 1.005, 1.01)); v != Holds ||
		!strings.Contains(ours, "T = 1 takes 1.005× the time, T = 2 takes 1.010× the time, at 2^2") {
		t.Errorf("%v: %s", v, ours)
	}
	for _, times := range [][]float64{{1, 1, 1}, {1, 1.005, 1.005}, {1, 0.9, 1.01}} {
		if ours, v := judged003(t, claim, table(times...)); v != Fails {
			t.Errorf("times of %v: %v: %s", times, v, ours)
		}
	}
}

// The slow-down grows beyond a million processors, or it does not.
func TestTenMillionIsJudged(t *testing.T) {
	table := func(slow ...float64) *Results {
		r := &Results{configs: map[string][]Config{}}
		for i, K := range []int{20, 23, 24} {
			free := float64(K)
			mean := slow[i] * free
			r.configs[tenMillion] = append(r.configs[tenMillion], Config{
				Axes: datasets.Axes{Ranks: 1 << K},
				T: []datasets.Measures{{
					NoiseFree: free, Mean: mean, Low: 0.99 * mean, High: 1.01 * mean, Slowdown: slow[i],
				}},
			})
		}
		return r
	}
	claim := claim003(t, "From a million to ten million")
	for _, c := range []struct {
		slow []float64
		want Verdict
	}{
		{[]float64{20, 22, 23}, Holds}, {[]float64{20, 19, 23}, Fails}, {[]float64{20, 22, 18}, Fails},
		{[]float64{20, 20.1, 23}, Inconclusive},
	} {
		if ours, v := judged003(t, claim, table(c.slow...)); v != c.want {
			t.Errorf("slow-downs of %v: %v: %s", c.slow, v, ours)
		}
	}
}

// Section 3.2: if another residue class is not preempted nothing is saved, and one more exchange
// than needed saves nothing more.
func TestHitRanks(t *testing.T) {
	for K := 3; K <= 6; K++ {
		if got := simulateHit(K, 0, 0, 0); math.Abs(got) > 1e-9 {
			t.Errorf("2^%d ranks of which none is preempted are %g messages late", K, got)
		}
		if got := simulateHit(K, 1, 1, 1); got < 100 {
			t.Errorf("2^%d ranks are rescued by preempted partners: %g messages", K, got)
		}
		if got := simulateHit(K, 1, 0, 0); math.Abs(got-1) > 1e-9 {
			t.Errorf("2^%d ranks are %g messages late, not 1", K, got)
		}
		if got := simulateHit(K, 1, 2, 0); got < 100 {
			t.Errorf("2^%d preempted ranks are %g messages late", K, got)
		}
	}
}

// The claims of section 3.2 hold for the butterfly.
func TestRescued(t *testing.T) {
	for _, c := range []Claim{
		{Judge: "rescued", Expected: []float64{1}}, {Judge: "rescued", Expected: []float64{2}},
		{Judge: "other partners"},
	} {
		if ours, v := judged003(t, c, nil); v != Holds {
			t.Errorf("%s %v: %v: %s", c.Judge, c.Expected, v, ours)
		}
	}
	if got := simulateHit(5, 2, 1, 1); got < 100 {
		t.Errorf("two exchanges that begin with the second's partners are %g messages late", got)
	}
}

// Every claim that may fail has an explanation, and every study has a file.
func TestPaper003IsWhole(t *testing.T) {
	for _, s := range mustFind(t, "003").Studies {
		if _, err := mustFind(t, "003").File(s); err != nil {
			t.Error(err)
		}
	}
	if len(mustFind(t, "003").Figures) != 17 {
		t.Errorf("%d figures, and the paper has 5 to 21", len(mustFind(t, "003").Figures))
	}
	for _, c := range mustFind(t, "003").Claims {
		if c.Where == "" || c.Published == "" || !strings.HasSuffix(c.Statement, ".") ||
			c.Reading != "" && !strings.HasSuffix(c.Reading, ".") {
			t.Errorf("%q is not whole", c.Statement)
		}
	}
}

// Figures are drawn of the paper's 30 trials, and of their studies claims are judged by more.
func TestFiguresHaveTheTrialsOfThePaper(t *testing.T) {
	for _, s := range drawn003() {
		file, err := mustFind(t, "003").File(s)
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Set) > 0 || !strings.Contains(string(file), "\ntrials: 30\n") {
			t.Errorf("%s has not 30 trials", s.Name)
		}
		for _, judged := range jittered003 {
			if drawn(judged.Name) == s.Name && !slices.Contains(judged.Set, "trials.until=precision") {
				t.Errorf("%s has as many", judged.Name)
			}
		}
	}
}
