package reproduce

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"jitterfly/datasets"
	"jitterfly/internal/vector"
)

// Names of the studies of paper 003. Claims are judged by them, with as many trials as that needs;
// figures are drawn from the studies that [drawn] names.
const (
	latency1us   = "latency-1us"   // section 4.2 A
	latency100ns = "latency-100ns" // section 4.2 B
	line100ns    = "line-100ns"    // figure 12, as its caption has it
	line1us      = "line-1us"      // the same with the latency of section 4.2 A
	lineTrials   = "line-trials"   // figure 12 with trials that are kept
	period1ms    = "period-1ms"    // section 4.2 C
	period10ms   = "period-10ms"   // the same with ten times the period
	overhead50ns = "overhead"      // section 3.2 with a cost of sending
	tenMillion   = "ten-million"   // section 1
)

// paper003 is the paper that studies where jitter slows down a butterfly allreduce, and how
// much redundant exchanges reduce that.
var paper003 = Paper{
	ID: "003",
	Studies: slices.Concat(jittered003, literals003(), drawn003(),
		[]Study{{Name: overhead50ns}, {Name: tenMillion}}),
	Figures:      figures003(),
	Alternatives: alternatives003,
	judges: map[string]judge{
		"grows with P":                growsWithP,
		"grows along rows":            growsAlongRows,
		"small, then large":           smallThenLarge,
		"every cell":                  everyCell,
		"especially":                  especially,
		"correlated":                  correlated003,
		"uniform but for a corner":    cornered,
		"the largest":                 theLargest,
		"larger than in":              largerThanIn,
		"sudden rise":                 suddenRise,
		"never slower":                neverSlower,
		"grows beyond a million":      beyondMillion,
		"exchanges":                   exchanges003,
		"rescued":                     rescued,
		"other partners":              otherPartners,
		"copies that cost":            costlyCopies,
		"added by jitter":             addedByJitter,
		"ratio of the largest":        ratioOfLargest,
		"ratio of medians":            ratioOfMedians,
		"gain by latency":             gainByLatency,
		"larger and larger in middle": largerInMiddle,
	},
}

// jittered003 are the studies under jitter of section 4.2.
var jittered003 = []Study{
	{Name: latency1us, Set: precise003},
	{Name: latency100ns, Set: precise003},
	{Name: line100ns, Set: precise003},
	{Name: line1us, Of: line100ns, Set: append([]string{"network.latency=1us"}, precise003...)},
	{Name: lineTrials, KeepTrials: true},
	{Name: period1ms, Set: precise003},
	{Name: period10ms, Set: precise003},
}

// precise003 sets the trials so that the means of each configuration are known to 2%.
var precise003 = []string{
	"trials.min=30", "trials.max=100000", "trials.until=precision", "trials.precision=0.02",
}

// drawn returns the name of the study that figures are drawn of, with the paper's number of trials.
func drawn(study string) string { return study + "-drawn" }

// drawn003 returns the studies that figures are drawn of.
func drawn003() []Study {
	var studies []Study
	for _, name := range []string{latency1us, latency100ns, line100ns, period1ms, period10ms} {
		studies = append(studies, Study{Name: drawn(name), Of: name})
	}
	return studies
}

// slow returns the slow-down of the conventional method by jitter.
func slow(c *Config) float64 { return c.T[0].Slowdown }

// bestT returns the proposed method's T: the T of least mean time, at least 1.
func bestT(c *Config) int {
	best := 1
	for t := 2; t < len(c.T); t++ {
		if c.T[t].Mean < c.T[best].Mean {
			best = t
		}
	}
	return best
}

// best returns the results at bestT.
func best(c *Config) datasets.Measures { return c.T[bestT(c)] }

// gain returns the speed-up of the proposed method over the conventional one.
func gain(c *Config) float64 { return c.T[0].Mean / best(c).Mean }

// meanOf returns the mean of measures [s].
func meanOf(m datasets.Measures) estimate { return estimate{m.Mean, m.Low, m.High} }

// tComm returns α + βN [s].
func tComm(c *Config) float64 { return c.Latency + float64(c.Bytes)/c.Bandwidth }

// commByDuration returns Tcomm/duration, the axis of 4.2 A and B.
func commByDuration(c *Config) float64 { return tComm(c) / c.OSDuration }

// durationByPeriod returns duration/period, the axis of 4.2 C.
func durationByPeriod(c *Config) float64 { return c.OSDuration / c.OSPeriod }

// along returns the other axis of a study.
func along(study string) func(*Config) float64 {
	if strings.HasPrefix(study, "period") {
		return durationByPeriod
	}
	return commByDuration
}

// plane003 returns the plane of a study.
func plane003(r *Results, study string) plane { return planeOf(r.Of(study), along(study)) }

// cells003 returns the configurations of a part of some studies' planes.
func cells003(r *Results, in string, studies ...string) []*Config {
	var cells []*Config
	for _, study := range studies {
		p := plane003(r, study)
		cells = append(cells, p.pick(parsePart(in))...)
	}
	return cells
}

// measures003 are the measures of a configuration that claims name.
var measures003 = map[string]measured{
	"slow-down": slowdown, "gain": gained, "remaining": left, "T": chosen,
}

var (
	// Noise never makes a slow-down less than 1.
	slowdown = measured{slow, func(c *Config) (low, high float64) {
		return max(1, c.T[0].Low/c.T[0].NoiseFree), c.T[0].High / c.T[0].NoiseFree
	}}
	gained = measured{gain, func(c *Config) (low, high float64) {
		e := meanOf(c.T[0]).of(meanOf(best(c)))
		return e.low, e.high
	}}
	// left is the slow-down of the proposed method.
	left = measured{
		func(c *Config) float64 { return best(c).Mean / c.T[0].NoiseFree },
		func(c *Config) (low, high float64) {
			b, noiseFree := best(c), c.T[0].NoiseFree
			return max(1, b.Low/noiseFree), b.High / noiseFree
		},
	}
	// chosen has no interval: it is a choice.
	chosen = measured{of: func(c *Config) float64 { return float64(bestT(c)) }}
)

// all returns the measure of every configuration.
func (m measured) all(configs []*Config) []estimate {
	var estimates []estimate
	for _, c := range configs {
		estimates = append(estimates, m.at(c))
	}
	return estimates
}

// most returns the largest value of a measure. It panics if there are no configurations.
func (m measured) most(configs []*Config) estimate { return m.at(largest(configs, m.of)) }

// least returns the smallest value of a measure. It panics if there are no configurations.
func (m measured) least(configs []*Config) estimate {
	return m.at(largest(configs, func(c *Config) float64 { return -m.of(c) }))
}

// largest returns the configuration with the largest value of a measure, the first of several.
func largest(configs []*Config, of func(*Config) float64) *Config {
	return slices.MaxFunc(configs, func(a, b *Config) int { return cmp.Compare(of(a), of(b)) })
}

// median returns the median of a measure.
func (m measured) median(cells []*Config) estimate {
	return estimated(func(at lens) float64 { return vector.Median(each(cells, at(m))) })
}

// judged returns the cells and the measure that a claim names.
func (c *Claim) judged(r *Results) ([]*Config, measured) {
	return cells003(r, c.Part, c.Studies...), measures003[c.Measure]
}

// smallThenLarge judges "small here, large there": at most a number in every cell of the one part,
// and a median above that in the other.
func smallThenLarge(r *Results, c *Claim) (string, Verdict) {
	large, m := c.judged(r)
	small := cells003(r, c.Others["small"], c.Studies...)
	typical := m.median(large)
	return fmt.Sprintf("up to %s; median %s, up to %s", m.most(small).factor(), typical.factor(),
			m.most(large).factor()),
		all(allWithin(m.all(small), 0, c.expected()), typical.atLeast(c.expected()))
}

// everyCell judges that a measure is between two bounds, or at least one, in every cell.
func everyCell(r *Results, c *Claim) (string, Verdict) {
	cells, m := c.judged(r)
	bounds := append(slices.Clone(c.Expected), math.Inf(1))
	return m.least(cells).factor() + " to " + m.most(cells).factor(),
		allWithin(m.all(cells), bounds[0], bounds[1])
}

// especially judges "especially in this part": the median there is above the medians of others.
func especially(r *Results, c *Claim) (string, Verdict) {
	cells, m := c.judged(r)
	inside := m.median(cells)
	text, v := "median "+inside.factor(), Holds
	for _, name := range slices.Sorted(maps.Keys(c.Others)) {
		outside := m.median(cells003(r, c.Others[name], c.Studies...))
		text += fmt.Sprintf("; %s %s", name, outside.factor())
		v = all(v, inside.above(outside))
	}
	return text, v
}

// correlated003 judges "where the influence is large, the effect is large": their rank
// correlation is at least a number.
func correlated003(r *Results, c *Claim) (string, Verdict) {
	cells, _ := c.judged(r)
	e := estimated(func(at lens) float64 {
		return spearman(each(cells, at(slowdown)), each(cells, at(gained)))
	})
	return "rank correlation " + e.text("%.2f", ""), e.atLeast(c.expected())
}

// A group is configurations in which one value is compared with another.
type group struct {
	cells []*Config
	along []float64
}

// rises judges that the median of the rank correlations in those groups in which the measure
// varies, named so, is at least a number.
func rises(groups []group, names string, m measured, least float64) (string, Verdict) {
	correlation := func(g group, of func(*Config) float64) float64 {
		return spearman(g.along, each(g.cells, of))
	}
	groups = slices.DeleteFunc(groups, func(g group) bool { return math.IsNaN(correlation(g, m.of)) })
	if len(groups) == 0 {
		return "it is the same everywhere", Fails
	}
	correlations := func(at lens) (correlations []float64) {
		of := at(m)
		for _, g := range groups {
			correlations = append(correlations, correlation(g, of))
		}
		return correlations
	}
	middle := estimated(func(at lens) float64 { return vector.Median(correlations(at)) })
	lowest := estimated(func(at lens) float64 { return slices.Min(correlations(at)) })
	return fmt.Sprintf("median %s in %d %s, minimum %s", middle.text("%.2f", ""), len(groups), names,
		lowest.text("%.2f", "")), middle.atLeast(least)
}

// growsWithP judges "grows with P", by the rank correlations in the columns of all planes.
func growsWithP(r *Results, c *Claim) (string, Verdict) {
	var columns []group
	for _, study := range c.Studies {
		p := plane003(r, study)
		for _, x := range p.along {
			cells := p.pick(func(_ int64, along float64) bool { return math.Abs(along/x-1) < 0.1 })
			ranks := each(cells, func(c *Config) float64 { return float64(c.Ranks) })
			columns = append(columns, group{cells, ranks})
		}
	}
	return rises(columns, "columns", measures003[c.Measure], c.expected())
}

// growsAlongRows judges "the larger the other axis, the larger the measure", in the rows of a part
// of each study.
func growsAlongRows(r *Results, c *Claim) (string, Verdict) {
	var texts []string
	var verdicts []Verdict
	for _, study := range c.Studies {
		p := plane003(r, study)
		var rows []group
		for _, ranks := range p.ranks {
			row := p.pick(func(n int64, x float64) bool { return n == ranks && parsePart(c.Part)(n, x) })
			rows = append(rows, group{row, each(row, along(study))})
		}
		text, v := rises(rows, "rows", measures003[c.Measure], c.expected())
		texts, verdicts = append(texts, text), append(verdicts, v)
	}
	return strings.Join(texts, "; "), all(verdicts...)
}

// cornered judges "uniform but for a corner": of the cells outside of the corner nine of ten are in
// the lowest fifth of the colours up to a top, and most of the cells inside are not.
func cornered(r *Results, c *Claim) (string, Verdict) {
	corner, everywhere := parsePart(c.Part), plane003(r, c.Studies[0])
	low := func(inside bool) estimate {
		cells := everywhere.pick(func(ranks int64, x float64) bool { return corner(ranks, x) == inside })
		return estimated(func(at lens) float64 {
			n := 0.0
			for _, v := range each(cells, at(slowdown)) {
				if v < c.expected()/5 {
					n++
				}
			}
			return 100 * n / float64(len(cells))
		})
	}
	outside, inside := low(false), low(true)
	return fmt.Sprintf("%s of the cells outside, %s inside", outside.text("%.0f", "%"),
		inside.text("%.0f", "%")), all(outside.atLeast(90), inside.atMost(50))
}

// theLargest judges that the largest value of a measure agrees with a number.
func theLargest(r *Results, c *Claim) (string, Verdict) {
	cells, m := c.judged(r)
	most := largest(cells, m.of)
	e := m.at(most)
	return fmt.Sprintf("%s at 2^%d, Tcomm/duration %.2g", e.factor(), exponent(most.Ranks),
		commByDuration(most)), e.nearRatio(c.expected())
}

// largerThanIn judges that the largest value of a measure in the first study exceeds the largest in
// the second.
func largerThanIn(r *Results, c *Claim) (string, Verdict) {
	m := measures003[c.Measure]
	to, from := m.most(cells003(r, "", c.Studies[0])), m.most(cells003(r, "", c.Studies[1]))
	return to.factor() + " against " + from.factor(), to.above(from)
}

// largerInMiddle judges that the largest value of a measure and the median in a part are larger in
// the first study than in the second.
func largerInMiddle(r *Results, c *Claim) (string, Verdict) {
	most, v := largerThanIn(r, c)
	m := measures003[c.Measure]
	to := m.median(cells003(r, c.Part, c.Studies[0]))
	from := m.median(cells003(r, c.Part, c.Studies[1]))
	return fmt.Sprintf("%s; median %s against %s", most, to.factor(), from.factor()),
		all(v, to.above(from))
}

// ratioOfLargest judges how much larger the largest value of a measure is in the first study.
func ratioOfLargest(r *Results, c *Claim) (string, Verdict) {
	m := measures003[c.Measure]
	e := m.most(cells003(r, "", c.Studies[0])).of(m.most(cells003(r, "", c.Studies[1])))
	return e.factor(), e.nearRatio(c.expected())
}

// ratioOfMedians judges that a median is at least a multiple of another part's.
func ratioOfMedians(r *Results, c *Claim) (string, Verdict) {
	cells, m := c.judged(r)
	inside, outside := m.median(cells), m.median(cells003(r, c.Others["elsewhere"], c.Studies...))
	return inside.factor() + " against " + outside.factor(), inside.of(outside).atLeast(c.expected())
}

// suddenRise judges "rises suddenly above 2^14": less than a multiple of the time without jitter up
// to 2^14, and at least that from 2^15 on.
func suddenRise(r *Results, c *Claim) (string, Verdict) {
	cells, m := c.judged(r)
	var times []string
	var verdicts []Verdict
	for _, cell := range cells {
		e, k := m.at(cell), exponent(cell.Ranks)
		if slices.Contains([]int{10, 12, 14, 15, 16}, k) {
			times = append(times, fmt.Sprintf("%s at 2^%d", e.factor(), k))
		}
		if k <= 14 {
			verdicts = append(verdicts, e.atMost(c.expected()))
		} else {
			verdicts = append(verdicts, e.atLeast(c.expected()))
		}
	}
	return strings.Join(times, ", ") + " the time without jitter", all(verdicts...)
}

// neverSlower judges that no gain is below 1, and that the median gain is above a number. Both
// methods meet the same noise, so that the least gain is known better than a ratio of means.
func neverSlower(r *Results, c *Claim) (string, Verdict) {
	cells, m := c.judged(r)
	typical, least := m.median(cells), m.least(cells)
	return fmt.Sprintf("%s to %s, median %s", least.factor(), m.most(cells).factor(), typical.factor()),
		all(verdict(least.mean >= 1), typical.atLeast(c.expected()))
}

// beyondMillion judges that the slow-down at more ranks exceeds the slow-down at the first.
func beyondMillion(r *Results, _ *Claim) (string, Verdict) {
	configs := r.Of(tenMillion)
	million, v := slowdown.at(&configs[0]), Holds
	text := million.factor() + " at 2^20"
	for i := range configs[1:] {
		e := slowdown.at(&configs[i+1])
		v = all(v, e.above(million))
		text += fmt.Sprintf(", %s at 2^%d", e.factor(), exponent(configs[i+1].Ranks))
	}
	return text, v
}

// exchanges003 judges that all configurations take K exchanges without noise.
func exchanges003(r *Results, _ *Claim) (string, Verdict) {
	worst := 0.0
	for _, c := range cells003(r, "", studies003()...) {
		want := float64(exponent(c.Ranks)) * (tComm(c) + float64(c.Bytes)/c.MemoryBandwidth)
		worst = max(worst, math.Abs(c.T[0].NoiseFree/want-1))
	}
	return exactly(worst), verdict(worst < 1e-9)
}

// exactly returns the difference of two numbers that should be the same, as text. It ignores
// rounding, which differs between machines.
func exactly(difference float64) string {
	if difference < 1e-12 {
		return "the same to 12 digits"
	}
	return fmt.Sprintf("different by %.2g of it", difference)
}

// costlyCopies judges that each redundant exchange takes time of its own if copies cost some.
func costlyCopies(r *Results, _ *Claim) (string, Verdict) {
	configs := r.Of(overhead50ns)
	holds := len(configs) > 0
	for _, c := range configs {
		for t := range c.T[1:] {
			holds = holds && c.T[t+1].NoiseFree > c.T[t].NoiseFree
		}
	}
	text := "with the cost"
	last := configs[len(configs)-1]
	for t := 1; t <= 2; t++ {
		text += fmt.Sprintf(" T = %d takes %.3f× the time,", t, last.T[t].NoiseFree/last.T[0].NoiseFree)
	}
	same, cases := 0, 0
	for _, c := range cells003(r, "", studies003()...) {
		for _, m := range c.T[1:] {
			cases++
			if m.NoiseFree == c.T[0].NoiseFree {
				same++
			}
		}
	}
	return fmt.Sprintf("%s at 2^%d; without it all T are the same in %d of %d cases", text,
		exponent(last.Ranks), same, cases), verdict(holds)
}

// addedByJitter judges how much more of its noise-free time jitter adds to a collective in the
// first study than in the second.
func addedByJitter(r *Results, c *Claim) (string, Verdict) {
	to, from := cells003(r, c.Part, c.Studies[0]), cells003(r, c.Part, c.Studies[1])
	if len(from) != 1 || len(to) != 1 {
		return "no such cells", Inconclusive
	}
	f, t := slowdown.at(from[0]), slowdown.at(to[0])
	e := estimate{t.mean - 1, t.low - 1, t.high - 1}.of(estimate{f.mean - 1, f.low - 1, f.high - 1})
	return fmt.Sprintf("%s: from %s to %s", e.factor(), f.factor(), t.factor()),
		e.nearRatio(c.expected())
}

// gainByLatency judges that the conventional method is at most by a factor faster in the first
// study than in the second.
func gainByLatency(r *Results, c *Claim) (string, Verdict) {
	to, from := cells003(r, c.Part, c.Studies[0]), cells003(r, c.Part, c.Studies[1])
	if len(from) != len(to) || len(from) == 0 {
		return "no such cells", Inconclusive
	}
	var gains []estimate
	for i := range from {
		gains = append(gains, meanOf(from[i].T[0]).of(meanOf(to[i].T[0])))
	}
	return "at most " + slices.MaxFunc(gains, byMean).factor(), allWithin(gains, 0, c.expected())
}

// studies003 returns the names of the studies under jitter.
func studies003() []string {
	var names []string
	for _, s := range jittered003 {
		names = append(names, s.Name)
	}
	return names
}
