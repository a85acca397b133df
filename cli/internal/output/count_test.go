package output

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// tick is the time between two lines of progress.
const tick = 100 * time.Millisecond

// A result is what a run simulates: its number of messages, and the time of each [s].
type result struct {
	Range
	messages, each float64
}

// lines returns the lines of progress of the results, simulated one after the other, and calls
// check, if it is not nil, with the true time left [s] at each.
func lines(count *Count, results []result, check func(line string, left float64)) []string {
	left := 0.0
	for _, r := range results {
		count.Expect(r.Range)
		left += r.messages * r.each
	}
	var texts []string
	clock, done := time.Duration(0), 0.0
	for _, r := range results {
		for part := 0.0; part < r.messages; {
			messages := math.Min(r.messages-part, math.Round(tick.Seconds()/r.each))
			part += messages
			clock += time.Duration(messages * r.each * float64(time.Second))
			left -= messages * r.each
			done += messages
			count.Messages.Store(int64(done))
			if part == r.messages {
				count.Finish(r.Range, r.messages)
			}
			line := count.text(clock)
			if texts = append(texts, line); check != nil {
				check(line, left)
			}
		}
	}
	return texts
}

// fixed returns a result whose number of messages is known.
func fixed(messages, each float64) result {
	return result{Range{messages, messages}, messages, each}
}

var leftPattern = regexp.MustCompile(`, (about|at most) (\d+) (s|min|h) left$`)

// parse returns the word before the time left of a line, and that in seconds.
func parse(line string) (word string, seconds float64) {
	m := leftPattern.FindStringSubmatch(line)
	if m == nil {
		return "", 0
	}
	n, _ := strconv.ParseFloat(m[2], 64)
	return m[1], n * map[string]float64{"s": 1, "min": 60, "h": 3600}[m[3]]
}

func TestConstantRate(t *testing.T) {
	var results []result
	for range 20 {
		results = append(results, fixed(2e8, 1e-8))
	}
	count, n := Count{What: "configurations"}, 0
	all := lines(&count, results, func(line string, left float64) {
		if n++; n < 10 {
			if strings.HasSuffix(line, "left") {
				t.Errorf("%s in the first second", line)
			}
			return
		}
		word, seconds := parse(line)
		if word != "about" || seconds < left-1e-6 || seconds > left+1+1e-6 {
			t.Errorf("%s, and %g s are", line, left)
		}
	})
	if want := "1 of 20 configurations, 100 M messages/s, about 38 s left"; all[20] != want {
		t.Errorf("%q, want %q", all[20], want)
	}
}

// Where the fields that come first are cheap, the time left becomes right soon after they end,
// while one by the average rate since the begin would be far below it for long.
func TestCheapFirst(t *testing.T) {
	var changed float64
	check := func(line string, left float64) {
		word, seconds := parse(line)
		if left > 100 || word == "" {
			return
		}
		if changed == 0 {
			changed = left
		}
		if since := changed - left; since > 15 && math.Abs(seconds-left) > 0.1*left+1 {
			t.Errorf("%s, and %g s are, %g s after the change", line, left, since)
		}
	}
	lines(&Count{}, []result{fixed(3e9, 1e-8), fixed(1e9, 1e-7)}, check)
	if changed < 99 {
		t.Errorf("%g s were left when the rate changed", changed)
	}
}

// The bound of adaptive results is never below what is left, it is left out while it says
// nothing, and results that end early lower it.
func TestAdaptive(t *testing.T) {
	var results []result
	for i := range 10 {
		messages := 1e8
		if i == 4 {
			messages = 2e9
		}
		results = append(results, result{Range{3e7, 3e9}, messages, 1e-8})
	}
	bounds := 0
	all := lines(&Count{What: "choices"}, results, func(line string, left float64) {
		switch word, seconds := parse(line); {
		case word == "at most":
			bounds++
			if seconds < left {
				t.Errorf("%s, and %g s are", line, left)
			}
		case word != "" && left > 1e-6:
			t.Errorf("%s, of what is not known", line)
		}
	})
	for line, want := range map[int]string{
		14:  "1 of 10 choices, 100 M messages/s", // at most 269 s, after 1.5 s
		140: "4 of 10 choices, 100 M messages/s", // at most 170 s, after 14 s
		170: "4 of 10 choices, 100 M messages/s, at most 3 min left",
		264: "7 of 10 choices, 100 M messages/s, at most 90 s left",
		284: "9 of 10 choices, 100 M messages/s, at most 30 s left",
	} {
		if all[line] != want {
			t.Errorf("line %d is %q, want %q", line, all[line], want)
		}
	}
	if bounds == 0 {
		t.Error("no bound")
	}
}

// Trials that take far longer than the time between lines give the rate of all workers.
func TestLongTrials(t *testing.T) {
	count := Count{What: "configurations"}
	count.Expect(Range{20e9, 20e9})
	for second := 1; second <= 300; second++ {
		if second%60 <= 1 && second > 1 { // two workers end a trial each
			count.Messages.Add(1e9)
		}
		line := count.text(time.Duration(second) * time.Second)
		switch word, left := parse(line); {
		case second < 60 && line != "0 of 1 configurations, starting":
			t.Errorf("%q before the end of a trial", line)
		case second > 130 && second%60 > 1:
			ends := float64(second / 60 * 60)
			if want := 600 - ends; word != "about" || math.Abs(left-want) > 0.15*want {
				t.Errorf("%d s: %q, want %g s", second, line, want)
			}
		}
	}
}

func TestShare(t *testing.T) {
	count := Count{}
	count.Expect(Range{100, 100})
	count.Expect(Range{100, 1100})
	for _, step := range []struct {
		messages int64
		finished Range
		want     float64
	}{
		{0, Range{}, 0},
		{60, Range{}, 0.05},
		{100, Range{100, 100}, 0.5}, // one of two
		{300, Range{}, 0.5},
		{700, Range{}, 7. / 12},
		{900, Range{100, 1100}, 1},
	} {
		count.Messages.Store(step.messages)
		if step.finished.Most > 0 {
			count.Finish(step.finished, map[bool]float64{true: 100, false: 800}[step.want < 1])
		}
		if got := count.share(); math.Abs(got-step.want) > 1e-12 {
			t.Errorf("%d messages: %g, want %g", step.messages, got, step.want)
		}
	}
}

// Where the time is limited no more than the rest of it is left.
func TestLimit(t *testing.T) {
	count := &Count{What: "choices", Limit: 30 * time.Second}
	lines(count, []result{{Range{1e6, 1e12}, 2e8, 1e-7}}, func(line string, _ float64) {
		word, left := parse(line)
		if word == "" || strings.HasPrefix(line, "1 of 1") {
			return
		}
		if elapsed := float64(count.Messages.Load()) * 1e-7; word != "at most" || left > 30-elapsed+1 {
			t.Errorf("after %.1f of 30 s: %s", elapsed, line)
		}
	})
}

// What must be simulated at least is, also where that takes longer than the limit, beyond which
// no line tells what is left.
func TestLimitBelowTheLeast(t *testing.T) {
	count := &Count{What: "choices", Limit: 10 * time.Second}
	lines(count, []result{{Range{3e8, 1e12}, 3e8, 1e-7}}, func(line string, left float64) {
		word, told := parse(line)
		elapsed := 30 - left
		if told := word != ""; told && elapsed > 10.2 || !told && elapsed > 1.2 && elapsed < 9.8 {
			t.Errorf("after %.1f s: %s", elapsed, line)
		}
		if word != "" && (told < left-0.1 || told > left+2) {
			t.Errorf("with %.1f s left: %s", left, line)
		}
	})
}

func TestRoundUp(t *testing.T) {
	for seconds, want := range map[float64]string{
		0: "1 s", 0.2: "1 s", 1.2: "2 s", 99: "99 s", 99.5: "2 min", 120: "2 min",
		121: "3 min", 5939: "99 min", 5941: "2 h", 1e6: "278 h",
	} {
		if got := roundUp(seconds); got != want {
			t.Errorf("%g s: %q, want %q", seconds, got, want)
		}
	}
}

// What is known of a result stands in the line before its rate.
func TestStanding(t *testing.T) {
	count := Count{What: "choices"}
	count.Expect(Range{1e9, 1e9})
	known := "leaders q=2 R=2 T=1: within 4%, 3 of 14 candidates left"
	count.Standing.Store(&known)
	if line, want := count.text(0), "0 of 1 choices, "+known; line != want {
		t.Errorf("%q, want %q", line, want)
	}
}

// In an hour there are some dozens of lines, and then some in each.
func TestLinesBecomeRare(t *testing.T) {
	lines, at := 0, LineEvery
	for ; at < time.Hour; at = nextLine(at) + LineEvery {
		lines++
	}
	if after := nextLine(10 * time.Hour); lines < 10 || lines > 40 || after > 11*time.Hour {
		t.Errorf("%d lines in an hour, and after 10 h one at %s", lines, after)
	}
}
