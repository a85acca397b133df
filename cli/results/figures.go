package results

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"jitterfly/cli/figures"
	"jitterfly/cli/internal/command"
	"jitterfly/cli/internal/output"
	"jitterfly/cli/study"
	"jitterfly/datasets"
	"jitterfly/internal/vector"
)

type figuresOptions struct {
	out      string
	formats  []string
	layout   figures.Layout
	titles   bool
	x, y     string
	measures []string
	only     []string
	where    []string
}

func figuresCommand() *cobra.Command {
	var o figuresOptions
	cmd := &cobra.Command{
		Use:   "figures [DIR]",
		Short: "Draw the results of a finished sweep",
		Long: `Figures draws the results of a finished sweep in DIR, by default results, and prints the names of
the files. It draws everything for which the study has values, or what --only names:

    heat maps: measures over two axes (--measure)
    completion: completion times with their confidence intervals
    redundancy: completion times against T
    trials: distributions of completion times, if the sweep kept its trials
    gain: share of an iteration that redundancy saves, of applications
    sources: speed-up by R, of studies with several --sources
    attribution: shares of the sources of noise, of attribute

Further axes become panels on one scale, on as many pages as they need. Pictures that it drew
before are replaced; other files are not.

--width is the width in print; type then has its size in print. --titles=false leaves the titles
to a caption.`,
		Example: `  jitterfly figures
  jitterfly figures results --out pictures --format svg,pdf
  jitterfly figures results --only completion,t_estimate
  jitterfly figures results --width 85mm --titles=false --format pdf
  jitterfly figures results --x ranks --y latency --measure slowdown,mean --where os-duration=10us`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := directory(args)
			if err != nil {
				return err
			}
			return o.run(dir, cmd.OutOrStdout(), cmd.Flags().Changed("measure"))
		},
	}
	f := command.Flags(cmd)
	f.StringVarP(&o.out, "out", "o", "", "directory of the figures [`DIR/figures`]")
	f.StringSliceVar(&o.formats, "format", []string{"svg"},
		"formats of the pictures: "+strings.Join(figures.Formats(), ", "))
	layoutFlags(f, &o.layout, &o.titles)
	// Cobra completes the values of flags of one letter only if they are shorthands.
	f.StringVarP(&o.x, "x", "x", "", "`axis` of heat maps and of completion, a key of the study "+
		"[the one with most values; of completion the ranks]")
	f.StringVarP(&o.y, "y", "y", "",
		"other `axis` of heat maps [of the others the one with most values]")
	f.StringSliceVar(&o.measures, "measure", []string{"slowdown", "speedup", "t_estimate"},
		"measures of heat maps: "+strings.Join(figures.MeasureNames(), ", "))
	f.StringSliceVar(&o.only, "only", nil, "`pictures` to draw: "+strings.Join(pictures(), ", ")+
		" [all; heat maps of --measure]")
	command.Where(cmd, &o.where, "where", "configurations")
	command.Complete(cmd, "out", command.AnyDirectory)
	command.Complete(cmd, "format", command.ListOf(figures.Formats()...))
	command.Complete(cmd, "x", command.OneOf(command.Axes()...))
	command.Complete(cmd, "y", command.OneOf(command.Axes()...))
	command.Complete(cmd, "measure", command.ListOf(figures.MeasureNames()...))
	command.Complete(cmd, "only", command.ListOf(pictures()...))
	cmd.ValidArgsFunction = command.First(1, command.DirectoriesWith(datasets.RunFile))
	return cmd
}

type view struct {
	*figures.Data
	tables   *datasets.Results
	x, y     *study.Key // of heat maps; nil if fewer axes vary
	along    *study.Key // of other figures
	computed *study.Key // of gains
	// attribution are the costs of sources of noise, nil if they were not computed.
	attribution []datasets.AttributionRow
}

// A picture is a kind of figures: what they are over, whether a study has what they show, what to say if
// it lacks that, and how to draw them.
type picture struct {
	name    string
	over    func(*view) []*study.Key
	has     func(*view) bool
	lacking string
	draw    func(*view) ([]figures.Figure, error)
}

// curves are the pictures that are not heat maps of a measure.
var curves = []picture{
	{"completion", along, (*view).axis,
		"completion is drawn over an axis with several values, and the study has none; leave it out",
		func(v *view) ([]figures.Figure, error) { return v.Completion(v.along), nil }},
	{"redundancy", along, func(*view) bool { return true }, "",
		func(v *view) ([]figures.Figure, error) { return v.Redundancy(v.along), nil }},
	{"gain", func(v *view) []*study.Key { return []*study.Key{v.computed} },
		func(v *view) bool { return iterations(v.tables) && v.Has(v.computed) },
		"gain is what redundancy saves of an application's iterations, over an axis with several values, " +
			"and the study has none; leave it out",
		func(v *view) ([]figures.Figure, error) { return v.Gain(v.computed), nil }},
	{"sources", func(v *view) []*study.Key { return []*study.Key{v.along, study.Sources} },
		func(v *view) bool { return v.axis() && v.along != study.Sources && v.Has(study.Sources) },
		"sources is the speed-up of several --sources over another axis with several values, and the " +
			"study lacks them; leave it out",
		func(v *view) ([]figures.Figure, error) { return v.Sources(v.along), nil }},
	{"attribution", along, func(v *view) bool { return v.attribution != nil && v.axis() },
		"attribution is the shares of sources of noise over an axis with several values; " +
			"attribute --out DIR computes them",
		func(v *view) ([]figures.Figure, error) { return v.Attribution(v.along, v.attribution), nil }},
	{"trials", along, func(v *view) bool { return v.tables.KeepTrials },
		"the sweep has kept no trials; give it --keep-trials",
		func(v *view) ([]figures.Figure, error) { return v.Trials(v.along, v.tables.Trials) }},
}

// along returns the axis of figures of curves.
func along(v *view) []*study.Key { return []*study.Key{v.along} }

// axis reports whether the axis of figures of curves has several values.
func (v *view) axis() bool { return v.Has(v.along) }

func heatMap(m figures.Measure) picture {
	return picture{m.Name, func(v *view) []*study.Key { return []*study.Key{v.x, v.y} },
		func(v *view) bool { return v.x != nil && v.y != nil },
		m.Name + " is a heat map over two axes with several values, and the study has fewer; leave it out",
		func(v *view) ([]figures.Figure, error) { return v.HeatMaps(m, v.x, v.y), nil }}
}

func pictures() []string {
	return append(figures.MeasureNames(), vector.Each(curves, func(p picture) string { return p.name })...)
}

// wanted returns the pictures to draw; named says that --measure is given.
func (o *figuresOptions) wanted(named bool) ([]picture, error) {
	if len(o.only) > 0 && named {
		return nil, errors.New("--measure: --only names heat maps too; leave one of them out")
	}
	for _, name := range o.only {
		if !slices.Contains(pictures(), name) {
			return nil, fmt.Errorf("--only: %w", output.Unknown(name, pictures()))
		}
	}
	measures := o.measures
	if len(o.only) > 0 {
		measures = slices.DeleteFunc(slices.Clone(o.only), func(name string) bool {
			return !slices.Contains(figures.MeasureNames(), name)
		})
	}
	var wanted []picture
	for _, name := range measures {
		m, err := figures.FindMeasure(name)
		if err != nil {
			return nil, fmt.Errorf("--measure: %w", err)
		}
		wanted = append(wanted, heatMap(m))
	}
	for _, p := range curves {
		if len(o.only) == 0 || slices.Contains(o.only, p.name) {
			wanted = append(wanted, p)
		}
	}
	return wanted, nil
}

func (o *figuresOptions) run(path string, out io.Writer, named bool) error {
	if err := figures.CheckFormats(o.formats); err != nil {
		return err
	}
	wanted, err := o.wanted(named)
	if err != nil {
		return err
	}
	tables, err := readSome(path, o.where, "pictures show", mostOnPage)
	if err != nil {
		return err
	}
	v, err := o.view(tables)
	if err != nil {
		return err
	}
	v.Layout = o.layout
	v.Note, v.Untitled = basis(tables), !o.titles
	all, err := o.draw(v, wanted)
	if err != nil {
		return err
	}
	o.out = cmp.Or(o.out, filepath.Join(path, "figures"))
	for i := range all {
		for _, format := range o.formats {
			if err := figures.Replaceable(o.name(&all[i], format)); err != nil {
				return err
			}
		}
	}
	return command.Failure(o.write(out, all))
}

func (o *figuresOptions) name(f *figures.Figure, format string) string {
	return filepath.Join(o.out, f.Name+"."+format)
}

// view returns the tables and the axes that they are drawn over.
func (o *figuresOptions) view(tables *datasets.Results) (*view, error) {
	axes := vector.Each(study.Preferred(tables.Values), func(i int) *study.Key { return study.Axes[i] })
	data := figures.NewData(axes, tables)
	v := &view{Data: data, tables: tables, along: study.Ranks, computed: study.Compute}
	var err error
	if v.attribution, err = tables.Attribution(); err != nil {
		return nil, err
	}
	if v.x, err = varying(data, "--x", o.x); err != nil {
		return nil, err
	}
	if v.y, err = varying(data, "--y", o.y); err != nil {
		return nil, err
	}
	if v.x == v.y && v.x != nil {
		return nil, fmt.Errorf("--y: %s is the other axis already; name two that vary", v.y.Flag)
	}
	v.x, v.y = data.Plane(v.x, v.y)
	if o.x != "" || !data.Has(v.along) && v.x != nil {
		v.along = v.x
	}
	if o.x != "" || !data.Has(v.computed) {
		v.computed = v.along
	}
	return v, nil
}

// varying returns the axis of a name, nil for an empty one. It fails if the axis has only one
// value.
func varying(data *figures.Data, flag, name string) (*study.Key, error) {
	if name == "" {
		return nil, nil
	}
	k, err := study.FindAxis(flag, name)
	if err != nil || data.Has(k) {
		return k, err
	}
	return nil, fmt.Errorf("%s: %s has one value only; axes with several: %s",
		flag, name, cmp.Or(strings.Join(study.Flagged(data.Varying()), ", "), "none"))
}

// draw returns the figures that the study has values for. It fails if --only names others, or they
// have too many panels, before any is drawn.
func (o *figuresOptions) draw(v *view, wanted []picture) (all []figures.Figure, err error) {
	var possible []picture
	for _, p := range wanted {
		switch {
		case p.has(v):
			if err := roomFor(v.Data, p.over(v)...); err != nil {
				return nil, err
			}
			possible = append(possible, p)
		case slices.Contains(o.only, p.name):
			return nil, errors.New("--only: " + p.lacking)
		}
	}
	for _, p := range possible {
		drawn, err := p.draw(v)
		if err != nil {
			return nil, err
		}
		all = append(all, drawn...)
	}
	return all, nil
}

func iterations(tables *datasets.Results) bool {
	return !slices.ContainsFunc(tables.Choices, func(c datasets.ChoiceRow) bool {
		return c.Iterations == 0
	})
}

// mostPanels is the largest number of panels of one picture: of a hundred pages.
const mostPanels = 1200

// roomFor fails if figures over the axes have too many panels.
func roomFor(data *figures.Data, over ...*study.Key) error {
	n := data.Panels(over...)
	if n <= mostPanels {
		return nil
	}
	others := slices.DeleteFunc(data.Varying(), func(k *study.Key) bool {
		return slices.Contains(over, k)
	})
	return fmt.Errorf("figures over %s would have %d panels, more than %d; "+
		"draw a part, with --where and values of %s",
		strings.Join(study.Flagged(over), " and "), n, mostPanels, strings.Join(study.Flagged(others), ", "))
}

// write writes the figures, and prints their files' names.
func (o *figuresOptions) write(out io.Writer, all []figures.Figure) error {
	if err := datasets.MakeDir(o.out); err != nil {
		return err
	}
	for i := range all {
		for _, format := range o.formats {
			name := o.name(&all[i], format)
			if err := all[i].Write(name); err != nil {
				return err
			}
			if _, err := fmt.Fprintln(out, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// layoutFlags defines the flags of how figures are laid out.
func layoutFlags(f *pflag.FlagSet, l *figures.Layout, titles *bool) {
	command.Parsed(f, "width", "", "`width` of the figures in print, such as a column's: "+
		"85mm, 3.5in, 240pt [for a screen]", func(text string) (err error) {
		l.Width, err = figures.ParseWidth(text)
		return err
	})
	f.BoolVar(titles, "titles", true, "titles of figures; --titles=false for a caption")
}
