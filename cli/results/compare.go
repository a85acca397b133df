package results

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"jitterfly/cli/internal/command"
	"jitterfly/cli/internal/output"
	"jitterfly/cli/study"
	"jitterfly/datasets"
)

type compareOptions struct {
	at     string
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
	f.StringVar(&o.at, "at", "star",
		"T to compare: star (the choice of each study), or a number")
	command.Format(cmd, &o.format, "format of the output", comparisonPrinters.Names())
	f.StringArrayVar(&o.whereA, "where-a", nil,
		"only configurations of A where `axis=value`")
	f.StringArrayVar(&o.whereB, "where-b", nil,
		"only configurations of B where `axis=value`")
	command.Complete(cmd, "at", command.OneOf("star"))
	for _, flag := range []string{"where-a", "where-b"} {
		command.Complete(cmd, flag, command.Where())
	}
	cmd.ValidArgsFunction = command.First(2, command.DirectoriesWith(datasets.RunFile))
	return cmd
}

func (o *compareOptions) run(dirA, dirB string, out io.Writer) error {
	show, err := comparisonPrinters.Find(o.format)
	if err != nil {
		return err
	}
	at, err := o.parseAt()
	if err != nil {
		return err
	}
	a, err := readSide(dirA, "--where-a", o.whereA, at)
	if err != nil {
		return err
	}
	b, err := readSide(dirB, "--where-b", o.whereB, at)
	if err != nil {
		return err
	}
	c, err := compare(a, b, at)
	if err != nil {
		return err
	}
	return command.Failure(show(out, c))
}

func (o *compareOptions) parseAt() (int, error) {
	if o.at == "star" {
		return star, nil
	}
	t, err := strconv.ParseUint(o.at, 10, 31)
	if err != nil {
		return 0, fmt.Errorf("--at: %q is not star or a number of redundant exchanges", o.at)
	}
	return int(t), nil
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
