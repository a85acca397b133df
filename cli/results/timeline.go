package results

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"jitterfly/cli/figures"
	"jitterfly/cli/internal/command"
	"jitterfly/cli/internal/output"
	"jitterfly/cli/study"
	"jitterfly/cli/sweep"
	"jitterfly/collectives/network"
	"jitterfly/collectives/recording"
	"jitterfly/datasets"
	"jitterfly/internal/units"
	"jitterfly/montecarlo"
)

type timelineOptions struct {
	input   study.Input
	out     string
	layout  figures.Layout
	titles  bool
	least   float64 // time at which the axis ends [s], unless the trial is longer
	trial   int
	slowest bool
}

// The largest numbers of simulated messages in a trace: one is some 200 bytes of JSON, and
// on a topology about four times as much.
const (
	mostTraced     = 1 << 18
	mostOnTopology = mostTraced / 4
	mostFlitHops   = 1e9 // of packets
)

func timelineCommand(environ []string) *cobra.Command {
	o := timelineOptions{input: inputOfOne(environ)}
	cmd := &cobra.Command{
		Use:   "timeline [STUDY]",
		Short: "Draw one trial: what every rank does, and the critical path",
		Long: fmt.Sprintf(`Timeline simulates one trial of one configuration, which flags or the study
file STUDY describe, at the T that --redundancy gives. The trial is the same as in a sweep.

The picture shows what every rank does at each time (computing, posting, polling and receiving
messages, in a detour, waiting, waiting for a message that noise delays), which redundant copies
arrived first, the critical path, and the messages of up to 8 ranks. On a --topology it shows each node's controllers and
processor: messages at the full rate of their links, slowed by others or delayed, and, with
--engine packet, controllers that wait for room in a buffer. Timeline prints the parts of the
critical path.

--out names a picture (.svg, .png or .pdf) of up to %d ranks, or a trace (.json) for
https://ui.perfetto.dev or chrome://tracing of up to %d simulated messages, or %d on a topology.`,
			figures.MaxRanks, mostTraced, mostOnTopology),
		Example: `  jitterfly figures timeline --ranks 64 --slowest --out slow.svg
  jitterfly figures timeline --ranks 64 --redundancy 2 --trial 7 --out trial.png
  jitterfly figures timeline --ranks 32 --slowest --width 120mm --titles=false --out slow.pdf
  jitterfly figures timeline --ranks 16 --overhead 200ns --progress polling --out polling.svg
  jitterfly figures timeline --collective a2a-ring --topology torus:4x4 --bytes 8KiB --out flows.svg
  jitterfly figures timeline --collective dissemination --ranks 4096 --slowest --out trace.json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr(),
				cmd.Flags().Changed("trial"))
		},
	}
	f := command.Flags(cmd)
	f.StringVarP(&o.out, "out", "o", "", "`file` to write: .svg, .png, .pdf or .json")
	layoutFlags(f, &o.layout, &o.titles)
	command.Parsed(f, "axis", "0s", "`time` at which the axis ends, unless the trial is longer",
		func(text string) (err error) {
			o.least, err = units.Parse(units.Time, text)
			return err
		})
	f.IntVar(&o.trial, "trial", 0, "number of the trial, from 0")
	f.BoolVar(&o.slowest, "slowest", false, "the slowest of the first trials.min trials")
	command.Study(cmd, &o.input, ofManyTrials...)
	command.Complete(cmd, "out", command.FilesOf(append(figures.Formats(), "json")...))
	return cmd
}

// picture returns the format of the picture or trace. It fails if flags contradict each other or make no
// sense.
func (o *timelineOptions) picture(numbered bool) (format string, err error) {
	format = strings.TrimPrefix(filepath.Ext(o.out), ".")
	switch {
	case o.out == "":
		return "", fmt.Errorf("--out: a timeline needs a file; write --out trial.svg")
	case format != "json" && !slices.Contains(figures.Formats(), format):
		return "", fmt.Errorf("--out: %s ends neither in .json nor in .%s",
			o.out, strings.Join(figures.Formats(), ", ."))
	case o.trial < 0:
		return "", fmt.Errorf("--trial: %d is not at least 0", o.trial)
	case o.slowest && numbered:
		return "", fmt.Errorf("--trial: --slowest finds the trial; leave one of them out")
	}
	o.layout.Untitled = !o.titles
	return format, figures.Replaceable(o.out)
}

func (o *timelineOptions) run(ctx context.Context, out, errs io.Writer, numbered bool) error {
	format, err := o.picture(numbered)
	if err != nil {
		return err
	}
	s, err := readOne(o.input, "timeline", errs)
	if err != nil {
		return err
	}
	c := s.Config(0)
	if err := drawable(s, c.Model, format); err != nil {
		return err
	}
	T := s.Configurations[0].Results - 1
	rec, err := o.record(ctx, s, c)
	if ctx.Err() != nil {
		return command.With(command.Stopped, errors.New("stopped by a signal; nothing was drawn"))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", s.Point(0).Name(study.Collective), err)
	}
	point := s.Point(0)
	what, sources := "", ""
	if point.Application() {
		what = "iterations with "
	}
	if R := point.Whole(study.Sources); R > 1 {
		sources = fmt.Sprintf("R = %d, ", R)
	}
	title := fmt.Sprintf("Trial %d of %s%s on %d ranks at %sT = %d: %s", o.trial, what,
		point.Name(study.Collective), point.Whole(study.Ranks), sources, T, output.Seconds(rec.End.Time))
	var content []byte
	if format == "json" {
		content = figures.Trace(title, rec)
	} else {
		figure := figures.Timeline(title, rec, o.least, o.layout)
		content, err = figure.Bytes(format)
	}
	if err != nil {
		return command.Failure(err)
	}
	if err := datasets.WriteFile(o.out, content); err != nil {
		return command.Failure(err)
	}
	text := fmt.Sprintf("%s\n%s\n", title, madeOf(rec.CriticalPath()))
	if rec.Polls > 0 {
		text += fmt.Sprintf("System calls of all ranks: %d polls, %d reads\n", rec.Polls, rec.Reads)
	}
	_, err = io.WriteString(out, output.ScreenOf(out).Wrap(text))
	return command.Failure(err)
}

// record simulates the trial, which it finds first if that is the slowest, and returns what every
// rank did up to the last checkpoint.
func (o *timelineOptions) record(ctx context.Context, s *study.Study, c montecarlo.Config,
) (*recording.Recording, error) {
	shape, err := c.Model.Shape()
	if err != nil {
		return nil, err
	}
	last := len(shape.Checkpoints) - 1
	if o.slowest {
		if o.trial, err = c.Slowest(ctx, s.Seed, s.Trials.Min, last); err != nil {
			return nil, err
		}
	}
	runner, err := c.Model.NewRunner(nil)
	if err != nil {
		return nil, err
	}
	return runner.(recording.Recorder).Record(ctx, c.Key(s.Seed, o.trial), last)
}

// ofManyTrials are the keys that have no effect on a single trial.
var ofManyTrials = []*study.Key{
	study.TrialsMax, study.TrialsUntil, study.TrialsEffort, study.TrialsPrecision,
	study.TrialsConfidence, study.Objective, study.Tolerance,
}

// inputOfOne returns the input of a study of one configuration, which is small by default.
func inputOfOne(environ []string) study.Input {
	return study.Input{Environ: environ, Defaults: map[string]string{"redundancy.max": "0", "ranks": "16"}}
}

// readOne reads a study of one configuration, for what, and prints its notes on errs. It fails if
// the study has more.
func readOne(in study.Input, what string, errs io.Writer) (*study.Study, error) {
	s, err := study.Read(in, sweep.MaxConfigs())
	if err != nil {
		return nil, err
	}
	if n := len(s.Configurations); n != 1 {
		return nil, fmt.Errorf("a %s needs one configuration, not %d; give one value of %s",
			what, n, strings.Join(study.Flagged(s.Varying()), ", "))
	}
	if _, err = sweep.CostOf(s, 1); err != nil {
		return nil, err
	}
	(&sweep.Execution{Errs: errs}).Notes(s)
	return s, nil
}

// drawable fails if the configuration is too large for the format.
func drawable(s *study.Study, model montecarlo.Model, format string) error {
	p, work := s.Point(0), s.Configurations[0].Work
	ranks := p.Int(study.Ranks)
	hops := sweep.FlitHops(model)
	switch {
	case p.OnTopology() && p.Application():
		return errors.New("--iterations: iterations are drawn in rounds alone; write 0, or --engine rounds")
	case hops > mostFlitHops:
		return fmt.Errorf("--topology: %.3g flit-hops are too many to record, at most %.3g are; "+
			"write longer --packet-flit or fewer --bytes", hops, mostFlitHops)
	case format != "json" && ranks > figures.MaxRanks:
		return fmt.Errorf("--ranks: %d are too many for a picture, which has room for %d; "+
			"write a trace, --out FILE.json", ranks, figures.MaxRanks)
	case !p.OnTopology() && work > mostTraced:
		keys := "--ranks"
		if p.Application() {
			keys = "--iterations, --ranks, --redundancy"
		}
		return fmt.Errorf("%s: %.3g simulated messages are too many for a trace, "+
			"which has room for %d", keys, work, mostTraced)
	case !p.OnTopology():
		return nil
	}
	tracks := network.Tracks(model.(*network.Model).Network.Width())
	if format != "json" && ranks*tracks > figures.MaxTracks {
		return fmt.Errorf("--controllers: %d nodes have %d tracks each, and a picture has room for %d; "+
			"write a trace, --out FILE.json", ranks, tracks, figures.MaxTracks)
	}
	shape, err := model.Shape()
	if err != nil {
		return err
	}
	if n := shape.Checkpoints[0].Messages; n > mostOnTopology {
		return fmt.Errorf("--topology: %.3g messages are too many for a trace, "+
			"which has room for %d", n, mostOnTopology)
	}
	return nil
}

// madeOf says what the critical path consists of.
func madeOf(w recording.Path) string {
	var parts []string
	for _, part := range []struct {
		kind recording.Kind
		name string
	}{
		{recording.Detour, "in detours"}, {recording.Delayed, "delayed in the network"},
		{recording.Sharing, "slowed by other messages"}, {recording.Wire, "on the wire"},
		{recording.Computing, "computing"}, {recording.Sending, "posting"},
		{recording.Polling, "polling"}, {recording.Receiving, "receiving"},
		{recording.Queueing, "until messages leave"},
	} {
		if s := recording.Significant(w.Spent[part.kind]); s > 0 {
			parts = append(parts, output.Seconds(s)+" "+part.name)
		}
	}
	return "On the critical path: " + strings.Join(parts, ", ")
}
