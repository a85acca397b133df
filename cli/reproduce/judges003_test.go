package reproduce

import (
	"strings"
	"testing"
)

// worlds003 are the worlds of the studies of paper 003.
type worlds003 func(study string) world

// everywhere is the same slow-down and gain in all studies and cells.
func everywhere(slow, gain float64) worlds003 {
	return all003(func(int, float64) (float64, float64, int) { return slow, gain, 1 })
}

// all003 has one world in all studies.
func all003(w world) worlds003 { return func(string) world { return w } }

// line003 reports whether a study is of one value of the other axis.
func line003(study string) bool { return strings.HasPrefix(study, "line") }

// lineWorld is what the paper says about figure 12.
func lineWorld(K int, _ float64) (float64, float64, int) {
	if K < 15 {
		return 20, 10.5, 1
	}
	return 20, 5, 1
}

// told003 is what the paper says of all studies, as far as one world can have it.
func told003(study string) world {
	switch {
	case study == line1us:
		return saidWorld
	case line003(study):
		return lineWorld
	case strings.HasPrefix(study, "period"):
		return periodWorld
	}
	return saidWorld
}

// tenfold003 has ten times the influence, and more of a gain, at a tenth of the latency.
func tenfold003(study string) world {
	return func(_ int, x float64) (float64, float64, int) {
		if study == latency1us || strings.HasPrefix(study, "period") {
			return 1 + 0.2/x, 1 + 0.02/x, 1
		}
		return 1 + 2/x, 1 + 0.2/x, 1
	}
}

// tenthfold003 has less influence and gain at a tenth of the latency.
func tenthfold003(study string) world {
	if study == latency1us {
		return tenfold003(latency100ns)
	}
	return tenfold003(latency1us)
}

// inPart has one slow-down and gain in a part of the planes, and another outside.
func inPart(in string, slow, gain, slowElse, gainElse float64) worlds003 {
	return all003(func(K int, x float64) (float64, float64, int) {
		if parsePart(in)(1<<K, x) {
			return slow, gain, 1
		}
		return slowElse, gainElse, 1
	})
}

// byT has the best T of a function.
func byT(T func(K int, x float64) int) worlds003 {
	return all003(func(K int, x float64) (float64, float64, int) { return 2, 1.5, T(K, x) })
}

// results003 returns made-up results of all studies. Lines have one value of the other axis.
func results003(worlds worlds003) *Results {
	r := &Results{configs: map[string][]Config{}}
	for _, study := range studies003() {
		at := parsePart("x≈0.01")
		if study == line1us {
			at = parsePart("x≈0.1")
		}
		for _, c := range worldly(study, worlds(study), 1e-3) {
			if !line003(study) || at(c.Ranks, commByDuration(&c)) {
				r.configs[study] = append(r.configs[study], c)
			}
		}
	}
	return r
}

// judges003 are worlds in which each claim is true, and in which it is false, by a part of where
// it is and of its statement.
var judges003 = []struct {
	claim   string
	yes, no worlds003
}{
	{"§1: The more processors, the larger", told003, all003(mirroredWorld)},
	{"suffers most (α = 1 µs)", told003, all003(mirroredWorld)},
	{"suffers most (α = 100 ns)", told003, all003(mirroredWorld)},
	{"reduces the influence", told003, everywhere(1.1, 1.05)},
	{"at most about 10 times as fast", told003, everywhere(40, 30)},
	{"even the proposed method suffers", told003, everywhere(1.1, 1.05)},
	{"§4.2 A, Fig. 5: Jitter shorter", told003, all003(mirroredWorld)},
	{"§4.2 A, §5, Fig. 6: The effect", told003, everywhere(1.1, 1.05)},
	{"§4.2 A, §5, Figs 5, 6: Where the influence", told003, all003(opposed)},
	{"§4.2 A, Fig. 7: The best T grows", byT(growing), byT(falling)},
	{"about 120 (caption)", everywhere(120, 10), everywhere(40, 10)},
	{"about 20 (text).", everywhere(20, 10), everywhere(40, 10)},
	{"about 20 (text), with", told003, everywhere(40, 10)},
	{"upper left corner", inPart("P≥2^10 x≤0.0101", 50, 1, 2, 1), everywhere(60, 1)},
	{"As in Fig. 5, shorter", told003, all003(mirroredWorld)},
	{"influence is larger in Fig. 8", tenfold003, tenthfold003},
	{"jitter about ten times as large.", told003, everywhere(1.1, 1.05)},
	{"jitter about ten times as large, as", tenfold003, everywhere(1.1, 1.05)},
	{"The influence is remarkable", told003, everywhere(1.1, 1.05)},
	{"On a very large machine", told003, everywhere(1.1, 1.05)},
	{"the effect is not good", told003, everywhere(20, 10)},
	{"Above 2^8 processors and below", told003, everywhere(1.1, 1.05)},
	{"It is largest from 2^10 to 2^14", inPart("P≥2^10 P≤2^14 x<0.0099", 12, 10, 12, 2),
		inPart("P≥2^10 P≤2^14 x<0.0099", 12, 2, 12, 10)},
	{"Fig. 12: From 2^7 to 2^14 processors the proposed method takes far less time (values of the c",
		told003, everywhere(12, 1.5)},
	{"Fig. 12: From 2^7 to 2^14 processors the proposed method takes far less time (values of the t",
		told003, everywhere(12, 1.5)},
	{"is up to about 10 times as fast", told003, everywhere(12, 5)},
	{"Fig. 12: Above 2^14 processors the time of the proposed method rises suddenly (values of the c",
		told003, everywhere(12, 4)},
	{"Fig. 12: Above 2^14 processors the time of the proposed method rises suddenly (values of the t",
		all003(lineWorld), everywhere(12, 4)},
	{"With the smaller latency the effect", tenfold003, tenthfold003},
	{"the fewer redundant exchanges", told003,
		byT(func(K int, x float64) int { return max(1, int(float64(K)*(1-x))) })},
	{"reaches about 12.", everywhere(12, 10), everywhere(40, 10)},
	{"reaches about 80.", everywhere(80, 10), everywhere(40, 10)},
	{"upper right corner the influence looks uniform (period 1 ms)",
		inPart("P≥2^10 x≥0.0099", 50, 1, 2, 1), everywhere(60, 1)},
	{"upper right corner the influence looks uniform (period 10 ms)",
		inPart("P≥2^10 x≥0.0099", 50, 1, 2, 1), everywhere(60, 1)},
	{"above it is large (period 1 ms)", told003, everywhere(4, 1)},
	{"above it is large (period 10 ms)", told003, everywhere(4, 1)},
	{"so is the effect of the proposed method (period 1 ms)", told003, all003(opposed)},
	{"so is the effect of the proposed method (period 10 ms)", told003, all003(opposed)},
	{"the effect is largest (period 1 ms)", inPart("P≥2^7 P≤2^14 x>0.0101", 12, 10, 12, 2),
		inPart("P≥2^7 P≤2^14 x>0.0101", 12, 2, 12, 10)},
	{"the effect is largest (period 10 ms)", inPart("P≥2^7 P≤2^14 x>0.0101", 12, 10, 12, 2),
		inPart("P≥2^7 P≤2^14 x>0.0101", 12, 2, 12, 10)},
	{"takes far less time (the caption's period", all003(lineWorld), everywhere(12, 1.5)},
	{"takes far less time (the text's period", all003(lineWorld), everywhere(12, 1.5)},
	{"rises suddenly (period 1 ms)", all003(lineWorld), everywhere(12, 4)},
	{"rises suddenly (period 10 ms)", all003(lineWorld), everywhere(12, 4)},
	{"The best T grows with the number of processors (period 1 ms)", byT(growing), byT(falling)},
	{"The best T grows with the number of processors (period 10 ms)", byT(growing), byT(falling)},
	{"to its period, the larger is its influence", all003(rising), everywhere(1.1, 1.05)},
	{"to its period, the larger is the effect", all003(rising), everywhere(1.1, 1.05)},
}

// elsewhere003 are the claims that other tests judge.
var elsewhere003 = []string{
	"From a million", "With 2^K processors K", "If only odd", "That needs the partners",
	"With two redundant", "Without jitter the conventional",
}

func growing(K int, _ float64) int { return 1 + K/2 }
func falling(K int, _ float64) int { return 1 + 5*(20-K)/20 }

// opposed has gains where there is no influence.
func opposed(K int, _ float64) (float64, float64, int) {
	return 1 + float64(K), 21 - float64(K), 1
}

// rising has an influence and gains that rise with the other axis.
func rising(_ int, x float64) (float64, float64, int) { return 1 + 10*x, 1 + 5*x, 1 }

// Every claim holds in a world in which it is true, and fails in one in which it is false.
func TestJudges003(t *testing.T) {
	tried := map[string]bool{}
	for _, c := range judges003 {
		var found []Claim
		for _, claim := range mustFind(t, "003").Claims {
			if strings.Contains(claim.Where+": "+claim.Statement, c.claim) {
				found = append(found, claim)
			}
		}
		if len(found) != 1 {
			t.Fatalf("%q is in %d claims", c.claim, len(found))
		}
		tried[found[0].Where+found[0].Statement] = true
		if ours, v := judged003(t, found[0], results003(c.yes)); v != Holds {
			t.Errorf("%q %s where it is true: %s", c.claim, v, ours)
		}
		if ours, v := judged003(t, found[0], results003(c.no)); v != Fails {
			t.Errorf("%q %s where it is not true: %s", c.claim, v, ours)
		}
	}
	for _, begins := range elsewhere003 {
		claim := claim003(t, begins)
		tried[claim.Where+claim.Statement] = true
	}
	for _, claim := range mustFind(t, "003").Claims {
		if !tried[claim.Where+claim.Statement] {
			t.Errorf("nothing judges %q", claim.Statement)
		}
	}
}
