package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"jitterfly/cli/figures"
	"jitterfly/cli/study"
	"jitterfly/datasets"
)

type figuresOptions struct {
	out      string
	formats  []string
	x, y     string
	measures []string
	where    []string
}

func figuresCommand() *cobra.Command {
	var o figuresOptions
	cmd := &cobra.Command{
		Use:   "figures DIR",
		Short: "Draw what a finished sweep found",
		Long: `Figures draws the tables of a finished sweep: heat maps of measures over two axes, completion with
its confidence bands, completion against T, and of trials, if they were kept, the share that is over by a time.
Further axes become panels side by side, on one scale. It prints the names of the files.`,
		Example: `  jitterfly figures results
  jitterfly figures results --out pictures --format svg,pdf
  jitterfly figures results --x ranks --y latency --measure slowdown,mean --where os-duration=10us`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(args[0], cmd.OutOrStdout()) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVarP(&o.out, "out", "o", "", "directory of the figures [`DIR/figures`]")
	f.StringSliceVar(&o.formats, "format", []string{"svg"}, "what to write: "+strings.Join(figures.Formats(), ", "))
	f.StringVar(&o.x, "x", "", "`axis` of heat maps and of completion, a key of the study [the one with most values; of completion the ranks]")
	f.StringVar(&o.y, "y", "", "other `axis` of heat maps [the one with most values but that]")
	f.StringSliceVar(&o.measures, "measure", []string{"slowdown", "speedup", "t_star"}, "of heat maps: slowdown, speedup, t_star, mean")
	f.StringArrayVar(&o.where, "where", nil, "only configurations with this value of an `axis=value`")
	return cmd
}

func (o *figuresOptions) run(path string, out io.Writer) error {
	for _, format := range o.formats {
		if !slices.Contains(figures.Formats(), format) {
			return fmt.Errorf("--format: %q is not known; known are %s", format, strings.Join(figures.Formats(), ", "))
		}
	}
	var measures []figures.Measure
	for _, name := range o.measures {
		m, err := figures.FindMeasure(name)
		if err != nil {
			return fmt.Errorf("--measure: %w", err)
		}
		measures = append(measures, m)
	}
	tables, err := datasets.OpenPublished(path)
	if err != nil {
		return err
	}
	data, err := o.read(path, tables)
	if err != nil {
		return err
	}
	all, err := o.draw(data, tables, measures)
	if err != nil {
		return err
	}
	if o.out == "" {
		o.out = filepath.Join(path, "figures")
	}
	return failed(o.write(out, all))
}

// read joins the tables and keeps what is asked for.
func (o *figuresOptions) read(path string, tables *datasets.Published) (*figures.Data, error) {
	choices, err := tables.Choices()
	if err != nil {
		return nil, err
	}
	summary, err := tables.Summary()
	if err != nil {
		return nil, err
	}
	var axes []figures.Axis
	for _, k := range study.Axes {
		axes = append(axes, axisOf(k))
	}
	data, err := figures.NewData(axes, choices, summary)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, condition := range o.where {
		if err := keep(data, condition); err != nil {
			return nil, err
		}
	}
	return data, nil
}

// axes are the two of heat maps, if there are two, and the one of other figures.
func (o *figuresOptions) axes(data *figures.Data) (x, y, along figures.Axis, err error) {
	if x, err = varyingAxis("--x", o.x, data); err != nil {
		return x, y, along, err
	}
	if y, err = varyingAxis("--y", o.y, data); err != nil {
		return x, y, along, err
	}
	if x == y && o.x != "" {
		return x, y, along, fmt.Errorf("--y: %s is the other axis already; name two that vary", y.Name)
	}
	x, y = data.Plane(x, y)
	ranks, _ := study.Find("ranks")
	along = axisOf(ranks)
	if o.x != "" || !slices.Contains(data.Varying(), along) && x.Column != "" {
		along = x
	}
	return x, y, along, nil
}

// draw makes all figures that the study has values for.
func (o *figuresOptions) draw(data *figures.Data, tables *datasets.Published, measures []figures.Measure) ([]figures.Figure, error) {
	x, y, along, err := o.axes(data)
	if err != nil {
		return nil, err
	}
	var all []figures.Figure
	if x.Column != "" && y.Column != "" {
		if err := roomFor(data, x, y); err != nil {
			return nil, err
		}
		for _, m := range measures {
			all = append(all, data.HeatMaps(m, x, y)...)
		}
	}
	if err := roomFor(data, along); err != nil {
		return nil, err
	}
	if slices.Contains(data.Varying(), along) {
		all = append(all, data.Completion(along)...)
	}
	all = append(all, data.Redundancy(along)...)
	if tables.HasTrials() {
		trials, err := tables.Trials(data.TrialsOf(along))
		if err != nil {
			return nil, err
		}
		all = append(all, data.Trials(along, trials)...)
	}
	return all, nil
}

// mostPanels is how many panels a person looks through.
const mostPanels = 120

// roomFor says which axes make a picture over others too large.
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
	return fmt.Errorf("figures over %s would have %d panels, and %d are the most; draw a part, with --where and values of %s",
		strings.Join(names, " and "), n, mostPanels, strings.Join(others, ", "))
}

// write writes the figures, and prints their files' names.
func (o *figuresOptions) write(out io.Writer, all []figures.Figure) error {
	if err := os.MkdirAll(o.out, 0o777); err != nil {
		return fmt.Errorf("%s: %w", o.out, unnamed(err))
	}
	for i := range all {
		for _, format := range o.formats {
			content, err := all[i].Bytes(format)
			if err != nil {
				return err
			}
			name := filepath.Join(o.out, all[i].Name+"."+format)
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
