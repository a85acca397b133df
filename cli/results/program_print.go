package results

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"jitterfly/cli/internal/output"
	"jitterfly/cli/study"
	"jitterfly/internal/vector"
	"jitterfly/program"
)

// printers are the ways to print an answer, by the values of --format.
var printers = output.Printers(answerText, answerRows)

// tables are what csv and json have rows of, by the values of --by.
var tables = output.Formats[func(*answer) (header []string, rows [][]any)]{
	"site": (*answer).bySite,
	"rank": (*answer).byRank,
}

// answerRows returns the rows that --by names, each with what it rests on if asked to.
func answerRows(a *answer, basis bool) ([]string, output.Rows) {
	header, rows := tables[a.by](a)
	if basis {
		header = append(header, study.BasisColumn)
		for i := range rows {
			rows[i] = append(rows[i], a.basis())
		}
	}
	return header, slices.Values(rows)
}

func (a *answer) bySite() (header []string, rows [][]any) {
	header = []string{
		"call", "site", "bytes", "ranks", "collectives", "time_s", "waiting_s", "samples", "compute_s",
		"compute_p5_s", "compute_p50_s", "compute_p95_s", "persistent_s", "random_s", "common_s", "correlation",
		"by_rule",
	}
	for _, r := range a.Rows {
		row := []any{r.Kind.String(), r.Site.String(), int64(r.Bytes), r.Size, r.Collectives, a.mean(r.Time),
			a.mean(r.Waiting)}
		if c := r.Computing; c != nil {
			row = append(row, c.Samples, c.Mean, c.Quantiles[0], c.Quantiles[1], c.Quantiles[2], c.Persistent,
				c.Random, c.Common, c.Correlation)
		} else {
			none := math.NaN()
			row = append(row, 0, none, none, none, none, none, none, none, none)
		}
		rows = append(rows, append(row, r.Rule))
	}
	return header, rows
}

func (a *answer) byRank() (header []string, rows [][]any) {
	header = []string{"rank", "node", "time_s", "waiting_s", "collectives", "last", "lost", "clock_error_s"}
	for _, r := range a.Ranks {
		rows = append(rows, []any{
			r.Rank, r.Host, r.Time, r.Waiting, r.Synchronizing, r.Last, int64(r.Lost), r.ClockError,
		})
	}
	return header, rows
}

// mean returns a time of all ranks for one rank.
func (a *answer) mean(all float64) float64 { return all / float64(len(a.Ranks)) }

// mostShown is how many rows a table for people has.
const mostShown = 12

func answerText(screen *output.Screen, a *answer) string {
	var b strings.Builder
	b.WriteString(screen.Wrap(screen.Bold(a.verdict()+" "+a.waits())+"\n\n") + screen.Wrap(a.recorded()+"\n\n"))
	for _, t := range a.tables() {
		b.WriteString(t.Title + "\n" + screen.Table(t.Table) + screen.Wrap(t.note) + "\n")
	}
	if a.split.Known >= leastKnown {
		b.WriteString(screen.Wrap(a.waitsFor() + "\n"))
	}
	for _, note := range a.notes() {
		b.WriteString(screen.Wrap("\n" + note + "\n"))
	}
	b.WriteString("\n" + screen.Lines(a.basis()))
	return b.String()
}

// A titledTable is a table with a title, and a note that is for screens only.
type titledTable struct {
	Title string
	note  string
	output.Table
}

// tables returns the tables for people.
func (a *answer) tables() []titledTable {
	tables := []titledTable{
		{Title: "Collectives, with the mean time of a rank in them", Table: a.callsTable()},
	}
	if t := a.computingTable(); len(t.Rows) > 0 {
		tables = append(tables, titledTable{Title: "Computing before them", Table: t,
			note: "stays: standard deviation of the ranks' means; changes: of a rank's times around its " +
				"mean; follows: correlation of these from one collective to the next.\n"})
	}
	if a.Collectives > 0 {
		tables = append(tables, titledTable{Title: "Last to arrive", Table: a.lastTable()})
	}
	return tables
}

// callsTable returns the collectives.
func (a *answer) callsTable() output.Table {
	t := output.Columns("call", "from", "bytes", "~~ranks", "count", "time", "of the run", "waiting")
	for _, r := range a.Rows[:min(mostShown, len(a.Rows))] {
		t.Append(name(r), short(r), output.Bytes(r.Bytes), r.Size, r.Collectives,
			output.Seconds(a.mean(r.Time)), output.Percent(a.mean(r.Time)/a.Duration),
			output.Percent(r.Waiting/max(r.Time, math.SmallestNonzeroFloat64)))
	}
	return t
}

// name returns the kind of a row, and whether a rule took it.
func name(r *program.Row) string {
	if r.Rule {
		return r.Kind.String() + " by rule"
	}
	return r.Kind.String()
}

// short returns the call site of a row: the function without its class, or else the object, without the
// middle of a long name, and the whole address.
func short(r *program.Row) string {
	const most = 24
	if r.Site.Object == "" {
		return r.Site.String()
	}
	name := cmp.Or(r.Site.Symbol[strings.LastIndex(r.Site.Symbol, ":")+1:], filepath.Base(r.Site.Object))
	if letters := []rune(name); len(letters) > most {
		name = string(letters[:most/2]) + "…" + string(letters[len(letters)-most/2+1:])
	}
	return fmt.Sprintf("%s+%#x", name, r.Site.Address)
}

// computingTable returns how long ranks compute before the collectives.
func (a *answer) computingTable() output.Table {
	t := output.Columns("call", "from", "~~~bytes", "mean", "5% to 95%", "~ranks' means",
		"~~iterations", "stays", "changes", "follows")
	for _, r := range a.Rows[:min(mostShown, len(a.Rows))] {
		c := r.Computing
		if c == nil || c.Mean == 0 {
			continue
		}
		follows := "–"
		if !math.IsNaN(c.Correlation) {
			follows = fmt.Sprintf("%.2f", c.Correlation)
		}
		t.Append(name(r), short(r), output.Bytes(r.Bytes), output.Seconds(c.Mean),
			span(c.Quantiles[0], c.Quantiles[2]), span(c.RankLow, c.RankHigh), span(c.IterationLow, c.IterationHigh),
			output.Percent(c.Persistent/c.Mean), output.Percent(c.Random/c.Mean), follows)
	}
	return t
}

func span(low, high float64) string { return output.Seconds(low) + "–" + output.Seconds(high) }

// lastTable returns the ranks and nodes that arrive last most often.
func (a *answer) lastTable() output.Table {
	t := output.Columns("rank or node", "last in", "if all were equal")
	add := func(shares []program.Share) {
		for _, s := range shares[:min(3, len(shares))] {
			t.Append(s.Name, output.Percent(s.Share), output.Percent(s.Even))
		}
	}
	add(a.Last((*program.Rank).Name))
	if nodes := a.Last(func(r *program.Rank) string { return "node " + r.Host }); len(nodes) > 1 {
		add(nodes)
	}
	return t
}

// reach returns the share of the run that redundancy can save at most.
func (a *answer) reach() float64 {
	noise := a.split.Noise
	if !a.noisy() {
		noise = a.split.Random
	}
	if a.split.Known < leastKnown {
		noise = 1
	}
	return a.Reach(noise) / a.Duration
}

// verdict says whether redundancy can save anything; choose --program says how much it does.
func (a *answer) verdict() string {
	in, _ := a.Time()
	spend := fmt.Sprintf("ranks spend %s of %s in collectives, and redundancy can save %s of the run at most.",
		output.Percent(in/a.Duration), output.Seconds(a.Duration), output.Percent(a.reach()))
	if x := a.Shared(); x != nil {
		return fmt.Sprintf("Inconclusive: %d ranks share %d processors of %s, so they wait for processors, which "+
			"redundancy cannot shorten; record with a processor for each rank. In this run ", x.NodeRanks,
			x.Processors, x.Host) + spend
	}
	if !program.Worth(a.reach()) {
		return "Leave the collectives alone: " + spend
	}
	return "Redundancy may pay: " + spend + " jitterfly choose --program estimates how much it saves."
}

// waits says in a sentence how long ranks wait, mainly why, and for which rank.
func (a *answer) waits() string {
	_, waiting := a.Time()
	text := fmt.Sprintf("They wait %s of the run for the last one to arrive", output.Percent(waiting/a.Duration))
	if a.Collectives == 0 {
		return "No collective of several ranks is recorded."
	}
	if a.split.Known >= leastKnown {
		parts := a.parts()
		most := slices.MaxFunc(parts, func(x, y part) int { return int(math.Copysign(1, x.share-y.share)) })
		text += fmt.Sprintf(", mostly because of %s (%s)", most.what, output.Percent(most.share))
	}
	last := a.Last((*program.Rank).Name)[0]
	return text + fmt.Sprintf(": %s is last in %s of the collectives.", last.Name, output.Percent(last.Share))
}

// leastKnown is the share of the waiting that must be divided for the parts to say something of all.
const leastKnown = 0.5

// A part is a share of the waiting.
type part struct {
	what  string
	share float64
}

func (a *answer) parts() []part {
	changes := "imbalance that changes"
	if !a.noisy() {
		changes = "imbalance that changes and noise"
	}
	parts := []part{{"imbalance that stays", a.split.Persistent}, {changes, a.split.Random}}
	if a.noisy() {
		parts = append(parts, part{"noise", a.split.Noise})
	}
	return parts
}

// waitsFor says which causes the waiting has.
func (a *answer) waitsFor() string {
	shares := vector.Each(a.parts(), func(p part) string { return p.what + " " + output.Percent(p.share) })
	text := "Causes of waiting: " + strings.Join(shares, ", ") + "."
	if a.split.Known < 0.995 {
		text += fmt.Sprintf(" This covers %s of the waiting; too few collectives of the other kinds are recorded.",
			output.Percent(a.split.Known))
	}
	switch {
	case !a.noisy():
		text += " With a profile of the machine, --noise separates noise from imbalance that changes."
	case a.split.Excess > 1.1:
		text += fmt.Sprintf(" The noise of the profile varies %.2g× as much as the recorded times: the machine "+
			"had less noise during the run.", math.Sqrt(a.split.Excess))
	}
	return text
}

// noisy reports whether the machine's noise is known.
func (a *answer) noisy() bool { return a.profile != "" }

// basis returns the lines that say what the answer rests on.
func (a *answer) basis() []string {
	noise := "not given (default), and counted as imbalance that changes"
	if a.noisy() {
		noise = "OS of " + a.profile + ", at random phases"
	}
	return []string{
		"noise: " + noise,
		fmt.Sprintf("machine: %d ranks on %d nodes, as recorded", len(a.Ranks), a.nodes()),
	}
}

// nodes returns how many nodes there are.
func (a *answer) nodes() int { return len(a.Last(func(r *program.Rank) string { return r.Host })) }

// recorded says what is recorded.
func (a *answer) recorded() string {
	nodes := a.nodes()
	worst, unknown := 0.0, false
	for _, p := range a.Ranks {
		worst = max(worst, p.ClockError)
		unknown = unknown || math.IsNaN(p.ClockError)
	}
	text := fmt.Sprintf("Ranks: %d, nodes: %d", len(a.Ranks), nodes)
	if n := a.Size - len(a.Ranks); n > 0 {
		text += fmt.Sprintf(" (%d more are not recorded)", n)
	}
	text += ", " + output.Seconds(a.Duration)
	switch {
	case unknown && nodes > 1:
		text += "; their clocks were not compared, so the last rank may be wrong"
	case !unknown && worst > 0:
		text += "; their clocks agree to ±" + output.Seconds(worst)
	}
	return text + "."
}

// notes says what is missing.
func (a *answer) notes() []string {
	var notes []string
	damaged, lost, first := 0, uint64(0), ""
	for _, r := range a.Ranks {
		lost += r.Lost
		if r.Damage != "" {
			if damaged++; damaged == 1 {
				first = fmt.Sprintf("rank %d: %s", r.Rank, r.Damage)
			}
		}
	}
	add := func(applies bool, format string, args ...any) {
		if applies {
			notes = append(notes, fmt.Sprintf(format, args...))
		}
	}
	add(damaged > 0, "The recording of %d of %d ranks is incomplete (%s).", damaged, len(a.Ranks), first)
	add(lost > 0, "%d calls were not recorded for lack of space.", lost)
	add(a.Early > 0, "In %d collectives a rank leaves before another enters, by up to %s more than their "+
		"clocks are said to be wrong: which rank is last may be wrong.", a.Early, output.Seconds(a.Earliest))
	add(a.Left > 0, "%d calls are left out, because calls of other ranks are missing.", a.Left)
	add(len(a.Rows) > mostShown, "The tables show the %d of %d kinds of calls that take most time; "+
		"--format csv prints all.", mostShown, len(a.Rows))
	return notes
}
