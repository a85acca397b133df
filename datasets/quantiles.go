package datasets

// evidence is the number of trials that must lie beyond a quantile for it to be an estimate: with
// fewer, two runs of the same study differ by too much for the quantile to mean anything.
const evidence = 10

// Resolved reports whether n trials resolve the p-quantile: whether n (1 − p) ≥ 10 of them are
// expected beyond it. The median takes 20 trials, the 99th percentile 1000. Tables, figures and
// reports leave out what is not resolved.
func Resolved(p float64, n int64) bool {
	const rounding = 0x1p-52 // 1 − 0.9 is a little less than 0.1
	return float64(n)*(1-p+rounding) >= evidence
}
