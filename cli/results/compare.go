package results

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"jitterfly/cli/internal/command"
	"jitterfly/cli/internal/output"
	"jitterfly/cli/study"
	"jitterfly/datasets"
	"jitterfly/internal/vector"
)

type compareOptions struct {
	at     int // star, or a number
	format string
	whereA []string
	whereB []string
}

// compareCommand returns the command compare.
func compareCommand() *cobra.Command {
	var o compareOptions
	cmd := &cobra.Command{
		Use:   "compare A B",
		Short: "Compare the results of two finished sweeps",
		Long: `Compare prints by how much the mean completion times of sweep B differ from sweep A, with
confidence intervals; ~ marks inconclusive rows. A and B are directories of finished sweeps, with
other noise, networks, collectives, seeds or versions of the program. Configurations are matched by
the axes that both have.

If both met the same noise and kept their trials (--keep-trials), trials are compared one by one,
which detects smaller differences.`,
		Example: `  jitterfly compare results/quiet results/stationary
  jitterfly compare results/quiet results/stationary --at 0 --format csv
  jitterfly compare results/both results/both --where-a os-duration=10us --where-b os-duration=100us`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(args[0], args[1], cmd.OutOrStdout())
		},
	}
	f := command.Flags(cmd)
	o.at = star
	command.Parsed(f, "at", "star", "T to compare: star (the choice of each study), or a number", o.parseAt)
	command.Format(cmd, &o.format, "format of the output", comparisonPrinters.Names())
	command.Where(cmd, &o.whereA, "where-a", "configurations of A")
	command.Where(cmd, &o.whereB, "where-b", "configurations of B")
	command.Complete(cmd, "at", command.OneOf("star"))
	cmd.ValidArgsFunction = command.First(2, command.DirectoriesWith(datasets.RunFile))
	return cmd
}

func (o *compareOptions) run(dirA, dirB string, out io.Writer) error {
	a, err := readSide(dirA, "--where-a", o.whereA, o.at)
	if err != nil {
		return err
	}
	b, err := readSide(dirB, "--where-b", o.whereB, o.at)
	if err != nil {
		return err
	}
	c, err := compare(a, b, o.at)
	if err != nil {
		return err
	}
	return command.Failure(comparisonPrinters[o.format](out, c))
}

func (o *compareOptions) parseAt(text string) error {
	if o.at = star; text == "star" {
		return nil
	}
	t, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return fmt.Errorf("%q is not star or a number of redundant exchanges", text)
	}
	o.at = int(t)
	return nil
}

// A Comparison compares two finished studies, A and B.
type Comparison struct {
	A, B *side
	At   string // the T that are compared, in words
	Axes []axis // that distinguish rows
	Rows []row
	// Differences are what else differs between the studies.
	Differences []difference
	Notes       []string // what was left out, and what else a reader should know
}

type row struct {
	pair pair
	Ratio
	// paired is the number of trials that are compared one by one, with these means; 0 if none are.
	paired       int32
	meanA, meanB float64
}

// star stands for the T that each study has chosen.
const star = -1

// compare compares two studies at one T, or at the T that each has chosen. It fails if their
// configurations cannot be matched, or the trials of one cannot be read.
func compare(a, b *side, at int) (*Comparison, error) {
	if a.level != b.level {
		return nil, fmt.Errorf("the intervals of %s are at %s and the intervals of %s at %s; "+
			"sweep one of them again with the --confidence of the other",
			a.name, output.Level(a.level), b.name, output.Level(b.level))
	}
	pairs, axes, err := match(a, b)
	if err != nil {
		return nil, err
	}
	c := &Comparison{A: a, B: b, At: fmt.Sprintf("T = %d", at), Axes: axes}
	if at == star {
		c.At = "the T that each has chosen"
	}
	c.Differences = differences(a, b, pairs, axes)
	c.note(unmatched(a, b, pairs))
	c.add(pairs)
	if len(c.Rows) == 0 {
		return nil, fmt.Errorf("%s and %s have no configuration to compare: %s",
			a.name, b.name, c.Notes[len(c.Notes)-1])
	}
	if c.same() {
		return c, nil
	}
	return c, c.inPairs()
}

func (c *Comparison) note(text string) {
	if text != "" {
		c.Notes = append(c.Notes, text)
	}
}

func (c *Comparison) add(pairs []pair) {
	c.Rows = make([]row, 0, len(pairs))
	for _, p := range pairs {
		a, b := c.configs(p)
		if a.t >= 0 && b.t >= 0 {
			c.Rows = append(c.Rows, row{pair: p, Ratio: unpaired(a, b), meanA: a.mean, meanB: b.mean})
		}
	}
	if lacking := len(pairs) - len(c.Rows); lacking > 0 {
		c.note(fmt.Sprintf("%s: not in both for %d of %d pairs, which are left out",
			c.At, lacking, len(pairs)))
	}
}

// configs returns the configurations of a pair.
func (c *Comparison) configs(p pair) (a, b *config) { return &c.A.configs[p[0]], &c.B.configs[p[1]] }

func unmatched(a, b *side, pairs []pair) string {
	rest := [2]int{len(a.configs), len(b.configs)}
	for i := range rest {
		met := make([]bool, rest[i])
		for _, p := range pairs {
			if !met[p[i]] {
				met[p[i]] = true
				rest[i]--
			}
		}
	}
	switch {
	case rest[0] > 0 && rest[1] > 0:
		return fmt.Sprintf("%d configurations of A and %d of B have no match", rest[0], rest[1])
	case rest[0] > 0:
		return fmt.Sprintf("%d of %d configurations of A have no match in B", rest[0], len(a.configs))
	case rest[1] > 0:
		return fmt.Sprintf("%d of %d configurations of B have no match in A", rest[1], len(b.configs))
	}
	return ""
}

// A difference is a key of the study, or the version of the program, whose values A and B differ
// between two studies.
type difference struct{ Name, A, B string }

// differences returns what differs between the studies besides the axes that both vary along the
// rows: the values of other axes in the pairs, and settings of the studies. It leaves out axes that
// follow others.
func differences(a, b *side, pairs []pair, shown []axis) []difference {
	var found []difference
	add := func(name, inA, inB string) {
		if inA != inB {
			found = append(found, difference{Name: name, A: inA, B: inB})
		}
	}
	for _, k := range study.Keys {
		isShown := func(x axis) bool { return x.Path == k.Path && x.only == 0 }
		x := slices.IndexFunc(study.Axes, func(axis *study.Key) bool { return axis == k })
		valuesA, valuesB := a.results.Values[k.Path], b.results.Values[k.Path]
		switch {
		case slices.ContainsFunc(shown, isShown):
		case x < 0:
			add(k.Flag, strings.Join(inUnits(k, valuesA), ", "), strings.Join(inUnits(k, valuesB), ", "))
		case len(valuesA) > 1 || !slices.Equal(valuesA, valuesB): // else it follows from others
			add(k.Flag, list(k, a, x, pairs, 0), list(k, b, x, pairs, 1))
		}
	}
	add("version", a.results.Version, b.results.Version)
	return found
}

func list(k *study.Key, s *side, x int, pairs []pair, of int) string {
	var texts []string
	axis := &s.axes[x]
	met := make([]bool, len(axis.values))
	for _, p := range pairs {
		code := axis.code(int(p[of]))
		if met[code] {
			continue
		}
		met[code] = true
		if text := k.Format(axis.values[code]); !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return shorten(texts, 6)
}

// comparisonPrinters are the ways to print a comparison, by the values of --format.
var comparisonPrinters = output.Printers(comparisonText, comparisonRows)

// comparisonText returns what differs between the studies, and a table of the rows.
func comparisonText(screen *output.Screen, c *Comparison) string {
	var b strings.Builder
	b.WriteString(screen.Wrap(c.sentence() + "\n\n"))
	fmt.Fprintf(&b, "A: %s\nB: %s\n", c.A.name, c.B.name)
	for _, d := range c.Differences {
		b.WriteString(screen.Wrap(fmt.Sprintf("%s: %s in A, %s in B\n", d.Name, d.A, d.B)))
	}
	b.WriteString(screen.Wrap(fmt.Sprintf("\nMean completion time at %s; how B's differs from A's, "+
		"with its %s interval, %s.\n\n", c.At, output.Level(c.A.level), c.method())))
	b.WriteString(screen.Table(c.table()))
	b.WriteString(screen.Wrap(output.More(len(c.Rows), "--format csv has all")))
	if len(c.Notes) > 0 {
		b.WriteString("\n" + screen.Lines(c.Notes))
	}
	b.WriteString("\n" + screen.Lines(c.basis()))
	return b.String()
}

// basis returns the lines that say what the studies rest on, those of both once.
func (c *Comparison) basis() []string {
	a, b := c.A.basis(), c.B.basis()
	var lines []string
	for _, line := range a {
		if !slices.Contains(b, line) {
			line = "A: " + line
		}
		lines = append(lines, line)
	}
	for _, line := range b {
		if !slices.Contains(a, line) {
			lines = append(lines, "B: "+line)
		}
	}
	return lines
}

func (c *Comparison) method() string {
	inPairs := 0
	for _, r := range c.Rows {
		if r.paired > 0 {
			inPairs++
		}
	}
	switch inPairs {
	case 0:
		return "from the intervals of both means"
	case len(c.Rows):
		return "trial by trial under the same noise"
	}
	return fmt.Sprintf("in %d of %d rows trial by trial under the same noise", inPairs, len(c.Rows))
}

// same reports whether both studies have the same values of all keys, the seed included, and all
// rows compare a configuration with itself at one T.
func (c *Comparison) same() bool {
	return maps.EqualFunc(c.A.results.Values, c.B.results.Values, slices.Equal) &&
		!slices.ContainsFunc(c.Rows, func(r row) bool {
			a, b := c.configs(r.pair)
			return a.id != b.id || a.t != b.t
		})
}

// sentence returns the summary in words.
func (c *Comparison) sentence() string {
	if c.same() {
		return "A and B are the same study with the same seed: their trials are the same, and no row can differ."
	}
	faster, slower, logs, n := 0, 0, 0.0, len(c.Rows)
	for _, r := range c.Rows {
		logs += math.Log(r.Value)
		switch {
		case r.Low > 1:
			slower++
		case r.High < 1:
			faster++
		}
	}
	text := fmt.Sprintf("B is faster in %d and slower in %d of %d rows. ~: inconclusive, "+
		"as the interval contains 0%%.", faster, slower, n)
	if n > 1 {
		text += fmt.Sprintf(" Geometric mean of the changes: %s. If nothing differed, about %.2g rows "+
			"would still show a change.", percent(math.Exp(logs/float64(n))), float64(n)*(1-c.A.level))
	}
	return text
}

func (c *Comparison) table() output.Table {
	t := output.Table{}
	t.Axes(vector.Each(c.Axes, axis.Title)...)
	t.Add("T", "A", "B", "change", "interval")
	for i := range c.Rows[:min(output.MostRows, len(c.Rows))] {
		r := &c.Rows[i]
		line := vector.Each(c.Axes, func(x axis) any { return x.Format(x.value(r.pair)) })
		a, b := c.configs(r.pair)
		ts := fmt.Sprint(a.t)
		if a.t != b.t {
			ts = fmt.Sprintf("%d → %d", a.t, b.t)
		}
		change := "~"
		if r.Differs() {
			change = percent(r.Value)
		}
		t.Append(append(line, ts, output.Seconds(r.meanA), output.Seconds(r.meanB), change,
			percent(r.Low)+" to "+percent(r.High))...)
	}
	return t
}

// percent returns by how much a ratio differs from 1.
func percent(ratio float64) string {
	x := 100 * (ratio - 1)
	digits := 0
	switch a := math.Abs(x); {
	case a < 9.995:
		digits = 2
	case a < 99.95:
		digits = 1
	}
	return strings.Replace(fmt.Sprintf("%+.*f%%", digits, x), "-", "−", 1)
}

func comparisonRows(c *Comparison, _ bool) (header []string, rows output.Rows) {
	for _, x := range c.Axes {
		name := x.Column
		if x.only != 0 {
			name += "_" + strings.ToLower(string(x.only))
		}
		header = append(header, name)
	}
	header = append(header, "config_id_a", "config_id_b", "redundancy_a", "redundancy_b",
		"t_star_a", "t_star_b", "trials_a", "trials_b", "mean_a_s", "mean_b_s",
		"ratio", "ratio_low", "ratio_high", "differs", "paired")
	return header, vector.Sequence(len(c.Rows), func(i int) []any { return c.cells(&c.Rows[i]) })
}

// cells returns what programs get of a row.
func (c *Comparison) cells(r *row) []any {
	cells := vector.Each(c.Axes, func(x axis) any { return x.value(r.pair) })
	a, b := c.configs(r.pair)
	return append(cells, string(a.id[:]), string(b.id[:]), a.t, b.t, a.star, b.star,
		cmp.Or(r.paired, a.trials), cmp.Or(r.paired, b.trials), r.meanA, r.meanB, r.Value, r.Low, r.High,
		r.Differs(), r.paired > 0)
}
