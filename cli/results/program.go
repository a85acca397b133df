package results

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"jitterfly/cli/internal/command"
	"jitterfly/cli/internal/output"
	"jitterfly/datasets"
	"jitterfly/internal/vector"
	"jitterfly/noise"
	"jitterfly/program"
)

type options struct {
	format, by, out string
	profile         string // of the machine's noise, empty if it is not given
}

// programCommand returns the command program.
func programCommand() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "program DIR",
		Short: "Show what a recorded MPI program does, and what it waits for",
		Long: `Program reads a recording that the MPI library has made (JITTERFLY_MPI_RECORD=DIR). It shows how long
ranks are in collectives and how long they wait there for the last rank, which places in the program
call them, how long ranks compute before them, and which ranks arrive last.

It divides the waiting among imbalance that stays (a rank that has more to do), imbalance that
changes, and, with --noise, the noise of the machine. jitterfly choose --program DIR estimates what
redundancy saves.`,
		Example: `  jitterfly program recording
  jitterfly program recording --noise alps --out program.html
  jitterfly program recording --by rank --format csv`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(args[0], cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := command.Flags(cmd)
	f.StringVar(&o.profile, "noise", "", "a `profile` of the machine's noise, or a preset")
	command.Format(cmd, &o.format, "output format", printers.Names())
	command.Choice(cmd, &o.by, "by", "site", "rows of csv and json", tables.Names())
	f.StringVarP(&o.out, "out", "o", "", "`file` of a page with pictures [none]")
	command.Complete(cmd, "out", command.FilesOf("html"))
	command.Complete(cmd, "noise", command.FilesOf("yaml", "yml"))
	cmd.ValidArgsFunction = command.First(1, command.AnyDirectory)
	return cmd
}

func (o *options) run(dir string, out, errs io.Writer) error {
	if o.out != "" {
		if err := replaceable(o.out); err != nil {
			return err
		}
	}
	var os noise.OS
	if o.profile != "" {
		var err error
		if _, os, err = command.Noise(o.profile, noise.Random, errs); err != nil {
			return err
		}
	}
	p, err := program.Read(dir)
	if err != nil {
		return err
	}
	a := &answer{Program: p, options: *o, dir: dir, split: p.Split(os)}
	if err := printers[o.format](out, a); err != nil {
		return command.Failure(err)
	}
	if o.out == "" {
		return nil
	}
	page, err := a.page()
	if err == nil {
		err = datasets.WriteFile(o.out, page)
	}
	if err != nil {
		return command.Failure(err)
	}
	output.Remark(errs, "wrote %s", o.out)
	return nil
}

// An answer is what a recording shows, with the noise of the machine.
type answer struct {
	*program.Program
	options
	dir   string
	split program.Waiting
}

// programScripts are the files of the script of a program's page, in their order.
var programScripts = []string{"data.js", "format.js", "scale.js", "svg.js", "program.js"}

// Limits of the pictures of a page.
const (
	mostRows      = 512 // of the map of arrivals
	mostColumns   = 1024
	mostTimelines = 48
)

// A programPage is the data of the template program.html.
type programPage struct {
	Name     string // of the recording
	Version  string // of the program that writes the page
	Headline []string
	Facts    string
	Tables   []titledTable
	Notes    []string
	Sampled  string // which collectives the map of arrivals shows, empty if there is no map
	Worst    string // which collective the timeline shows, empty if there is no timeline
}

// page returns the page of a recording.
func (a *answer) page() ([]byte, error) {
	p := programPage{
		Name: filepath.Base(a.dir), Version: datasets.Version, Headline: []string{a.verdict(), a.waits()},
		Facts: a.recorded(), Tables: a.tables(), Notes: append(a.notes(), a.basis()...),
	}
	if a.split.Known >= leastKnown {
		p.Notes = append([]string{a.waitsFor()}, p.Notes...)
	}
	var data payload
	data.header.Ranks = vector.Each(a.Ranks, (*program.Rank).Name)
	data.add("time", len(a.Ranks), func(i int) float64 { return a.Ranks[i].Time })
	data.add("waiting", len(a.Ranks), func(i int) float64 { return a.Ranks[i].Waiting })
	p.Sampled = a.arrivals(&data)
	p.Worst = a.moments(&data)
	return render("program.html", programScripts, data.pack(), p)
}

// arrivals adds how late [s] ranks are in the collectives in which they wait longest: of several ranks the
// latest, if there are too many. It returns which collectives these are, or nothing if too few are sampled.
func (a *answer) arrivals(data *payload) (sampled string) {
	var samples []program.Sample
	var late []float64 // of all ranks in the first sample, then in the next
	if len(a.Groups) > 0 && len(a.Groups[0].Samples) > 1 {
		g := a.Groups[0]
		samples = g.Samples[:min(mostColumns, len(g.Samples))]
		members := slices.DeleteFunc(slices.Clone(g.Members),
			func(m int) bool { return a.Processes[m] == nil })
		together := (len(members) + mostRows - 1) / mostRows
		for few := range slices.Chunk(members, together) {
			name := fmt.Sprintf("rank %d", few[0])
			if n := len(few); n > 1 {
				name += fmt.Sprintf(" to %d", few[n-1])
			}
			data.header.Rows = append(data.header.Rows, name)
		}
		for _, s := range samples {
			for few := range slices.Chunk(s.Late, together) {
				late = append(late, slices.Max(few))
			}
		}
		sampled = fmt.Sprintf("The collectives in which ranks wait longest in all: %s of %s, %d of %d calls.",
			g.Kind, output.Bytes(g.Bytes), len(samples), g.Calls)
	}
	data.add("number", len(samples), func(i int) float64 { return float64(samples[i].Number + 1) })
	data.add("late", len(late), func(i int) float64 { return late[i] })
	return sampled
}

// moments adds what ranks did about the collective that they waited longest for: all of them, or some and
// the last one. It returns which collective that is, or nothing if ranks waited for none.
func (a *answer) moments(data *payload) (worst string) {
	m := cmp.Or(a.Worst, &program.Moment{})
	var shown []program.Call
	every := (len(m.Calls) + mostTimelines - 1) / mostTimelines
	origin, last := m.Last, ""
	for i, c := range m.Calls {
		name := fmt.Sprintf("rank %d", c.Rank)
		if c.Entry == m.Last {
			last = name
		}
		if i%every == 0 || c.Entry == m.Last {
			if math.IsNaN(c.Computed) {
				c.Computed = 0
			}
			data.header.Moments = append(data.header.Moments, name)
			shown = append(shown, c)
			origin = min(origin, c.Entry-c.Computed)
		}
	}
	add := func(name string, of func(program.Call) float64) {
		data.add(name, len(shown), func(i int) float64 { return of(shown[i]) - origin })
	}
	add("begin", func(c program.Call) float64 { return c.Entry - c.Computed })
	add("enter", func(c program.Call) float64 { return c.Entry })
	add("leave", func(c program.Call) float64 { return c.Exit })
	data.add("last", 1, func(int) float64 { return m.Last - origin })
	if a.Worst == nil {
		return ""
	}
	return fmt.Sprintf("%s of %s from %s, %s after the program began: all wait for %s.", m.Row.Kind,
		output.Bytes(m.Row.Bytes), m.Row.Site, output.Seconds(m.Last), last)
}
