package results

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"jitterfly/cli/figures"
	"jitterfly/cli/internal/complete"
	"jitterfly/cli/internal/exit"
	"jitterfly/cli/internal/suggest"
	"jitterfly/cli/report"
	"jitterfly/cli/study"
	"jitterfly/datasets"
	"jitterfly/internal/file"
)

type figuresOptions struct {
	out      string
	formats  []string
	layout   layout
	x, y     string
	measures []string
	only     []string
	where    []string
}

// Pictures that are not heat maps of a measure.
const (
	completion = "completion"
	redundancy = "redundancy"
	trials     = "trials"
	gain       = "gain"
)

func figuresCommand() *cobra.Command {
	var o figuresOptions
	cmd := &cobra.Command{
		Use:   "figures [DIR]",
		Short: "Draw what a finished sweep found",
		Long: `Figures draws the tables of a finished sweep in DIR, by default results: heat maps of
measures over two axes, completion times with their confidence bands, completion times against
T, and of trials, if they were kept, the distribution of their completion times; of applications
what redundancy saves of an iteration, over the compute time if there are several. Further axes
become panels on one scale, on as many pages as they need. It draws all that the study has
values for, or what --only names, and prints the names of the files. Pictures that it drew before
are replaced; other files are not.

With --width figures have the width of a column in print, and texts the size that they have
there; --titles=false leaves the titles to a caption.`,
		Example: `  jitterfly figures
  jitterfly figures results --out pictures --format svg,pdf
  jitterfly figures results --only completion,t_star
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
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVarP(&o.out, "out", "o", "", "directory of the figures [`DIR/figures`]")
	f.StringSliceVar(&o.formats, "format", []string{"svg"},
		"what to write: "+strings.Join(figures.Formats(), ", "))
	o.layout.flags(f)
	// Cobra completes the values of flags of one letter only if they are shorthands.
	f.StringVarP(&o.x, "x", "x", "", "`axis` of heat maps and of completion, a key of the study "+
		"[the one with most values; of completion the ranks]")
	f.StringVarP(&o.y, "y", "y", "",
		"other `axis` of heat maps [of the others the one with most values]")
	f.StringSliceVar(&o.measures, "measure", []string{"slowdown", "speedup", "t_star"},
		"of heat maps: "+strings.Join(figures.MeasureNames(), ", "))
	f.StringSliceVar(&o.only, "only", nil, "`pictures` to draw: "+strings.Join(pictures(), ", ")+
		" [all; of heat maps those of --measure]")
	f.StringArrayVar(&o.where, "where", nil,
		"only configurations with this value of an `axis=value`")
	complete.Flag(cmd, "out", complete.AnyDirectory)
	complete.Flag(cmd, "format", complete.ListOf(figures.Formats()...))
	complete.Flag(cmd, "x", complete.OneOf(complete.Axes()...))
	complete.Flag(cmd, "y", complete.OneOf(complete.Axes()...))
	complete.Flag(cmd, "measure", complete.ListOf(figures.MeasureNames()...))
	complete.Flag(cmd, "only", complete.ListOf(pictures()...))
	complete.Flag(cmd, "where", complete.Assignments(study.Axes,
		func(k *study.Key) string { return k.Flag }))
	cmd.ValidArgsFunction = complete.First(complete.DirectoriesWith(datasets.RunFile))
	return cmd
}

// pictures returns the names of all pictures.
func pictures() []string {
	return append(figures.MeasureNames(), completion, redundancy, trials, gain)
}

// wanted reports whether a picture that is not a heat map is to be drawn.
func (o *figuresOptions) wanted(name string) bool {
	return len(o.only) == 0 || slices.Contains(o.only, name)
}

// heatMaps returns the measures that are drawn; named says that --measure is given.
func (o *figuresOptions) heatMaps(named bool) ([]figures.Measure, error) {
	if len(o.only) > 0 && named {
		return nil, fmt.Errorf("--measure: --only names heat maps too; leave one of them out")
	}
	names := o.measures
	if len(o.only) > 0 {
		names = nil
	}
	for _, name := range o.only {
		switch {
		case !slices.Contains(pictures(), name):
			return nil, fmt.Errorf("--only: %w", suggest.Unknown(name, pictures()))
		case !slices.Contains([]string{completion, redundancy, trials, gain}, name):
			names = append(names, name)
		}
	}
	var measures []figures.Measure
	for _, name := range names {
		m, err := figures.FindMeasure(name)
		if err != nil {
			return nil, fmt.Errorf("--measure: %w", err)
		}
		measures = append(measures, m)
	}
	return measures, nil
}

func (o *figuresOptions) run(path string, out io.Writer, named bool) error {
	for _, format := range o.formats {
		if !slices.Contains(figures.Formats(), format) {
			return fmt.Errorf("--format: %w", suggest.Unknown(format, figures.Formats()))
		}
	}
	measures, err := o.heatMaps(named)
	if err != nil {
		return err
	}
	l, err := o.layout.read()
	if err != nil {
		return err
	}
	tables, err := readSome(path, o.where, "pictures show", report.MostConfigurations)
	if err != nil {
		return err
	}
	data, err := dataOf(path, tables)
	if err != nil {
		return err
	}
	l.Note = study.Assumptions(func(yield func(study.Point) bool) {
		for row := range data.Configurations() {
			if !yield(study.PointOf(row)) {
				return
			}
		}
	})
	data.Layout = l
	all, err := o.draw(data, tables, measures)
	if err != nil {
		return err
	}
	if o.out == "" {
		o.out = filepath.Join(path, "figures")
	}
	for i := range all {
		for _, format := range o.formats {
			if err := figures.Replaceable(o.name(&all[i], format)); err != nil {
				return err
			}
		}
	}
	return exit.Failure(o.write(out, all))
}

// name returns the name of a figure's file.
func (o *figuresOptions) name(f *figures.Figure, format string) string {
	return filepath.Join(o.out, f.Name+"."+format)
}

// dataOf returns the tables as what is drawn.
func dataOf(path string, tables *datasets.Results) (*figures.Data, error) {
	var axes []figures.Axis
	for _, i := range study.Preferred(tables.Values) {
		axes = append(axes, axisOf(study.Axes[i]))
	}
	data, err := figures.NewData(axes, tables)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return data, nil
}

// axes returns the two axes of heat maps, if there are two, and the one of other figures.
func (o *figuresOptions) axes(data *figures.Data) (x, y, along figures.Axis, err error) {
	if x, err = varyingAxis("--x", o.x, data); err != nil {
		return x, y, along, err
	}
	if y, err = varyingAxis("--y", o.y, data); err != nil {
		return x, y, along, err
	}
	if x == y && o.x != "" {
		return x, y, along, fmt.Errorf("--y: %s is the other axis already; name two that vary",
			y.Name)
	}
	x, y = data.Plane(x, y)
	along = axisOf(study.Ranks)
	if o.x != "" || !data.Has(along) && x.Column != "" {
		along = x
	}
	return x, y, along, nil
}

// draw returns all figures that the study has values for and that are wanted.
func (o *figuresOptions) draw(data *figures.Data, tables *datasets.Results,
	measures []figures.Measure,
) ([]figures.Figure, error) {
	x, y, along, err := o.axes(data)
	if err != nil {
		return nil, err
	}
	plane := x.Column != "" && y.Column != ""
	if err := o.possible(data, tables, measures, plane, along); err != nil {
		return nil, err
	}
	// What has no room is refused before anything is drawn.
	heatMaps := plane && len(measures) > 0
	if heatMaps {
		if err := roomFor(data, x, y); err != nil {
			return nil, err
		}
	}
	if o.curved() {
		if err := roomFor(data, along); err != nil {
			return nil, err
		}
	}
	var all []figures.Figure
	if heatMaps {
		for _, m := range measures {
			all = append(all, data.HeatMaps(m, x, y)...)
		}
	}
	curves, err := o.curves(data, tables, along)
	return append(all, curves...), err
}

// curved reports whether figures that are not heat maps are wanted.
func (o *figuresOptions) curved() bool {
	return slices.ContainsFunc([]string{completion, redundancy, trials, gain}, o.wanted)
}

// curves returns the wanted figures that are not heat maps.
func (o *figuresOptions) curves(data *figures.Data, tables *datasets.Results,
	along figures.Axis,
) (all []figures.Figure, err error) {
	if o.wanted(completion) && data.Has(along) {
		all = append(all, data.Completion(along)...)
	}
	if o.wanted(redundancy) {
		all = append(all, data.Redundancy(along)...)
	}
	if o.wanted(gain) && iterations(tables) {
		over := axisOf(study.Compute)
		if o.x != "" || !data.Has(over) {
			over = along
		}
		if data.Has(over) {
			all = append(all, data.Gain(over)...)
		}
	}
	if o.wanted(trials) && tables.KeepTrials {
		drawn := data.TrialsOf(along)
		var samples []figures.Sample
		err := tables.Trials(func(config, t int, completions []float64) {
			if id := tables.Choices[config].ConfigID; drawn(id, t) {
				samples = append(samples, figures.Sample{
					ConfigID: id, T: t, Completions: slices.Clone(completions),
				})
			}
		})
		if err != nil {
			return nil, err
		}
		all = append(all, data.Trials(along, samples)...)
	}
	return all, nil
}

// iterations reports whether the choices are by the iterations of applications.
func iterations(tables *datasets.Results) bool {
	return !slices.ContainsFunc(tables.Choices, func(c datasets.ChoiceRow) bool {
		return c.Iterations == 0
	})
}

// possible fails if the study has no values for a picture that --only names.
func (o *figuresOptions) possible(data *figures.Data, tables *datasets.Results,
	measures []figures.Measure, plane bool, along figures.Axis,
) error {
	switch only := func(name string) bool { return slices.Contains(o.only, name) }; {
	case len(o.only) > 0 && len(measures) > 0 && !plane:
		return fmt.Errorf("--only: %s is a heat map over two axes with several values, "+
			"and the study has fewer; leave it out", measures[0].Name)
	case only(completion) && !data.Has(along):
		return fmt.Errorf("--only: completion is drawn over an axis with several values, " +
			"and the study has none; leave it out")
	case only(gain) && (!iterations(tables) || len(data.Varying()) == 0):
		return fmt.Errorf("--only: gain is what redundancy saves of an application's iterations, over " +
			"an axis with several values, and the study has none; leave it out")
	case only(trials) && !tables.KeepTrials:
		return fmt.Errorf("--only: the sweep has kept no trials; give it --keep-trials")
	}
	return nil
}

// mostPanels is the largest number of panels of one picture: of a hundred pages.
const mostPanels = 1200

// roomFor fails if figures over the axes have too many panels.
func roomFor(data *figures.Data, over ...figures.Axis) error {
	n := data.Panels(over...)
	if n <= mostPanels {
		return nil
	}
	var names, others []string
	for _, a := range over {
		names = append(names, a.Name)
	}
	for _, a := range data.Varying() {
		if !slices.Contains(over, a) {
			others = append(others, a.Name)
		}
	}
	return fmt.Errorf("figures over %s would have %d panels, and the most is %d; "+
		"draw a part, with --where and values of %s",
		strings.Join(names, " and "), n, mostPanels, strings.Join(others, ", "))
}

// write writes the figures, and prints their files' names.
func (o *figuresOptions) write(out io.Writer, all []figures.Figure) error {
	if err := file.MakeDir(o.out); err != nil {
		return err
	}
	for i := range all {
		for _, format := range o.formats {
			content, err := all[i].Bytes(format)
			if err != nil {
				return err
			}
			name := o.name(&all[i], format)
			if err := datasets.WriteFile(name, content); err != nil {
				return err
			}
			if _, err := fmt.Fprintln(out, name); err != nil {
				return err
			}
		}
	}
	return nil
}
