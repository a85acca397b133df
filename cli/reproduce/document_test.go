package reproduce

import (
	"strings"
	"testing"
)

// said returns a judge with one answer.
func said(v Verdict) judge {
	return func(*Results, *Claim) (string, Verdict) { return "ours", v }
}

// madeUp is a paper with a claim of each verdict, and one that its own formula contradicts.
var madeUp = Paper{ID: "9", Authors: "Nobody", Claims: []Claim{
	{Where: "§1", Statement: "A holds.", Published: "1", Judge: "holds"},
	{Where: "§2", Statement: "B fails.", Published: "2", Judge: "fails", Why: "It is.", Short: "B.",
		But:   "Thus {tried}",
		Tried: "{what reading}."},
	{Where: "§3", Statement: "C is inconclusive.", Published: "3", Judge: "inconclusive", Why: "Noise."},
	{Where: "§4", Statement: "D is given.", Published: "4", Judge: "holds", Given: "an input."},
	{Where: "§5", Statement: "E is given, and false.", Published: "5", Judge: "fails",
		Why: "A bug.", Given: "a formula."},
	{Where: "§6", Statement: "F holds.", Published: "6", Judge: "holds", Why: "Hidden.",
		Short: "F, shortly.", But: "Hidden.",
		Tried: "{panic}"},
}, judges: map[string]judge{
	"holds": said(Holds), "fails": said(Fails), "inconclusive": said(Inconclusive),
}, values: map[string]value{
	"what":  func(_ *Results, _ *Claim, args string) string { return "another " + args },
	"panic": func(*Results, *Claim, string) string { panic("nothing to explain") },
}}

// A claim that its input makes true is no evidence; one that it makes false is as wrong as any.
func TestGivenClaims(t *testing.T) {
	want := []Verdict{Holds, Fails, Inconclusive, Constructed, Fails, Holds}
	judged := madeUp.Judge(nil)
	for i, j := range judged {
		if j.Verdict != want[i] {
			t.Errorf("%s: %s, want %s", j.Statement, j.Verdict, want[i])
		}
	}
	for v, n := range map[Verdict]int{Holds: 2, Fails: 2, Inconclusive: 1, Constructed: 1} {
		if got := Count(judged, v); got != n {
			t.Errorf("%d of the claims %s, want %d", got, v, n)
		}
	}
}

// The page begins with the verdicts, disagreements first, and lists all but what holds.
func TestDocument(t *testing.T) {
	page := string(Document([]Section{madeUp.Section(nil, nil)}))
	last := -1
	for _, line := range []string{
		"# Claims of the papers and our results\n\nThis page",
		"| paper | claims | do not hold | inconclusive " +
			"| by construction | hold |\n| --- | --- | --- | --- | --- | --- |\n" +
			"| [9](#paper-9), Nobody | 6 | 2 | 1 | 1 | 2 |\n",
		"## Summary of 9: Nobody\n", "Holds:\n\n- F, shortly. *Ours:* ours.\n",
		"Does not hold:\n\n- B. *Ours:* ours. Thus another reading.\n",
		"**When numbers agree.** One rule",
		"## Claims that do not hold\n",
		"- **9, §2.** B fails. *Published:* 2. *Ours:* ours. It is. *Tried:* another reading.\n",
		"- **9, §5.** E is given, and false. *Published:* 5. *Ours:* ours. A bug.\n",
		"## Inconclusive claims\n",
		"- **9, §3.** C is inconclusive. *Published:* 3. *Ours:* ours. Noise.\n",
		"## Claims that hold by construction\n",
		"- **9, §4.** D is given. *Published:* 4. *Ours:* ours. *Given:* an input.\n",
		"## Paper 9\n",
		"| §1 | A holds. | 1 | ours | holds |\n",
		"| §4 | D is given. | 4 | ours | **by construction** |\n",
	} {
		at := strings.Index(page, line)
		if at <= last {
			t.Errorf("%q is at %d, after one at %d", line, at, last)
		}
		last = at
	}
	if strings.Contains(page, "Hidden") {
		t.Error("the page explains a claim that holds")
	}
}

// Whoever marks a claim as given says what is.
func TestGivenIsSaid(t *testing.T) {
	given := 0
	for _, p := range Papers() {
		for _, c := range p.Claims {
			if c.Given == "" {
				continue
			}
			given++
			if !strings.HasSuffix(c.Given, ".") {
				t.Errorf("%s, %q: %q is no sentence", p.ID, c.Statement, c.Given)
			}
		}
	}
	if given < 15 {
		t.Errorf("%d claims hold by construction; inputs and formulas are more", given)
	}
}

// Ratios agree by their difference from 1, quantities by 10%.
func TestNearRatio(t *testing.T) {
	for _, c := range []struct {
		low, high, published float64
		want                 Verdict
	}{
		{1.209, 1.209, 1.241, Holds}, {1.15, 1.15, 1.241, Fails}, {1.14, 1.17, 1.241, Inconclusive},
		{0.98, 0.98, 0.97, Holds}, {1.01, 1.01, 0.97, Fails}, {7.5, 12.5, 10, Holds},
		{13.1, 14, 10, Fails}, {1.019, 1.019, 1.085, Fails}, {0.98, 1.02, 1, Holds},
	} {
		if v := (estimate{low: c.low, high: c.high}).nearRatio(c.published); v != c.want {
			t.Errorf("%g to %g against %g: %s", c.low, c.high, c.published, v)
		}
	}
}
