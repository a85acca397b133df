package montecarlo

import (
	"math"
	"slices"
)

// An eProcess is the evidence that a mean difference is positive: the wealth of bets on it that
// began with 1.
//
// Each bet stakes λ on every trial: a difference G multiplies it by 1 + λ·G, or by 0
// if that is negative. If the mean is not positive, it is not expected to grow, however λ
// is; so is a mixture of bets with several λ, and its largest value exceeds 1/α with a
// probability of at most α, however often it is analysed (Ville, 1939; Waudby-Smith and Ramdas,
// "Estimating means of bounded random variables by betting", 2024). The bets take for granted
// that one hit of the noise is the worst that a trial meets, which is not so of trials with
// several; docs/model/proofs.md has how often verdicts are false.
type eProcess struct {
	logs [bets]float64 // of what each bet has
	best float64       // log of the most that the mixture has had
}

// bets is the number of stakes. The largest is 0.99 over the worst difference, so that a bet
// survives it; each further one is by [stakeRatio] smaller, for means that are small against it.
// The largest has most of what the bets begin with: differences nearly always vary so little
// against the worst that it gains most.
const (
	bets         = 16
	largestStake = 0.99
	largestShare = 0.8
	stakeRatio   = 0.6
)

// stakes are relative to one over the worst difference; logShares are the logarithms of the
// shares of 1 that the bets begin with. Those after the first one are in proportion to 1/(j(j+1)).
var stakes, logShares = func() (stakes, logs [bets]float64) {
	stake := largestStake
	for j := range bets {
		stakes[j] = stake
		stake *= stakeRatio
		logs[j] = math.Log(largestShare)
		if j > 0 {
			logs[j] = math.Log((1 - largestShare) / float64(j*(j+1)))
		}
	}
	sum := logSum(logs)
	for j := range logs {
		logs[j] -= sum
	}
	return stakes, logs
}()

// logSum returns the logarithm of a sum, given the logarithms of its terms.
func logSum(logs [bets]float64) float64 {
	most := slices.Max(logs[:])
	if math.IsInf(most, -1) {
		return most
	}
	sum := 0.0
	for _, l := range logs {
		sum += math.Exp(l - most)
	}
	return most + math.Log(sum)
}

// mixture returns the logarithm of the value of all bets together after the given multiple of the
// trials.
func (w *eProcess) mixture(times float64) float64 {
	logs := logShares
	for j, l := range w.logs {
		logs[j] += float64(times * l)
	}
	return logSum(logs)
}

func (w *eProcess) risk(times float64) float64 {
	most := w.best
	if times > 1 {
		most = max(most, w.mixture(times))
	}
	return math.Exp(-most)
}

// testMean returns the evidence that bets on the trials give, one after the other.
//
// A trial that no noise touches, as most are where noise is rare, has the least completion
// times of both candidates. Such trials are counted, and bet on all at once.
func testMean(c comparison) evidence {
	w := &eProcess{}
	if len(c.worse) == 0 {
		return w
	}
	g := newBetting(&c)
	if c.hit == 0 { // without noise all trials are the same
		if g.difference(g.worse, g.better) >= 0 {
			w.best = math.Inf(1)
		}
		return w
	}
	for begin, n := 0, len(c.worse); begin < n; {
		end := min(n, begin+max(16, begin/8))
		for _, look := range c.looks {
			if begin < look {
				end = min(end, look)
			}
		}
		for i := begin; i < end; i++ {
			g.trial(c.worse[i], c.better[i])
		}
		w.logs = g.logs()
		w.best = max(w.best, w.mixture(1))
		begin = end
	}
	return w
}

// A betting is the bets of a comparison while they go through the trials.
type betting struct {
	a, b, slack   float64
	worse, better float64       // least completions
	stakes        [bets]float64 // [1/s]
	untouched     float64       // trials with the least completions
	product       [bets]float64 // the value after all others is product·2^exponent
	exponent      [bets]float64
	unscaled      int // trials since the products were scaled
}

func newBetting(c *comparison) *betting {
	g := &betting{
		a: c.a, b: c.b, slack: c.slack, worse: slices.Min(c.worse), better: slices.Min(c.better),
	}
	for j, stake := range stakes {
		g.stakes[j] = stake / c.hit
		g.product[j] = 1
	}
	return g
}

// difference returns what the bets gain from a trial, at a stake of 1.
func (g *betting) difference(worse, better float64) float64 {
	return float64(g.a*worse) - float64(g.b*better) - g.slack
}

// scaleEvery is after how many trials products are scaled. None of them grows by more than
// 2^100 in a trial: differences are at most some thousand times a hit.
const scaleEvery = 8

func (g *betting) trial(worse, better float64) {
	if worse == g.worse && better == g.better {
		g.untouched++
		return
	}
	d := g.difference(worse, better)
	if g.stakes[0]*d > -1 { // all bets survive, nearly always
		for j, stake := range g.stakes {
			g.product[j] *= 1 + float64(stake*d)
		}
	} else {
		for j, stake := range g.stakes {
			g.product[j] *= max(0, 1+float64(stake*d))
		}
	}
	if g.unscaled++; g.unscaled == scaleEvery {
		g.scale()
	}
}

// scale takes the exponents out of the products, before they overflow.
func (g *betting) scale() {
	for j, p := range g.product {
		fraction, exponent := math.Frexp(p)
		g.product[j] = fraction
		g.exponent[j] += float64(exponent)
	}
	g.unscaled = 0
}

func (g *betting) logs() [bets]float64 {
	var logs [bets]float64
	d := g.difference(g.worse, g.better)
	for j, stake := range g.stakes {
		logs[j] = math.Log(g.product[j]) + float64(g.exponent[j]*math.Ln2)
		if g.untouched > 0 {
			logs[j] += float64(g.untouched * math.Log(max(0, 1+float64(stake*d))))
		}
	}
	return logs
}
