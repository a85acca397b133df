package noise

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"jitterfly/cli/internal/command"
	"jitterfly/cli/internal/output"
	"jitterfly/cli/study"
	"jitterfly/datasets"
	"jitterfly/internal/units"
	"jitterfly/internal/vector"
	"jitterfly/noise"
	"jitterfly/noise/measured/formats"
	"jitterfly/noise/profile"
)

type importOptions struct {
	settings
	out, name        string
	skip             int
	showOnly, replay bool
	remarks
}

// settings are what the user says of measurements.
type settings struct {
	bytes   float64  // size of the messages whose α and β are taken
	span    float64  // [s] of a histogram without its own; 0 if unknown
	latency *float64 // [s] that replaces the measured one; nil if that is taken
	rescale string   // the one of middles of latencies that is scaled to that; "" if none is
}

func importCommand() *cobra.Command {
	o := importOptions{settings: settings{bytes: 8}}
	known := vector.Each(formats.All, func(f formats.Format) string { return f.Name })
	cmd := &cobra.Command{
		Use:   "import FILE… | DIRECTORY",
		Short: "Make a noise profile of what other tools measured",
		Long: `Import recognises each file by its content, fits components to detours and α and β to
latencies, and writes a profile for --noise of the other commands. - is standard input. Of a
directory with a file for each node it divides the nodes into classes, and names the odd nodes.

Formats: ` + strings.Join(known, ", ") + ". docs/measure.md says what each gives.",
		Example: `  jitterfly import selfish.txt osu_latency.txt --out mine.yaml
  jitterfly import --check selfish.txt
  jitterfly import fleet/ --out fleet.yaml
  cyclictest -h 400 -D 60 -q | jitterfly import - --out mine.yaml`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.checkFlags(); err != nil {
				return err
			}
			if isDirectory(args[0]) {
				return o.importFleet(args, cmd.OutOrStdout(), cmd.ErrOrStderr())
			}
			return o.run(args, cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := command.Flags(cmd)
	f.StringVarP(&o.out, "out", "o", "",
		"`file` of the profile; a trace to replay is written beside it [standard output]")
	f.BoolVar(&o.showOnly, "check", false,
		"report of what was found and how well it is fitted; --out is then a picture")
	f.StringVar(&o.name, "name", "", "name of the profile [the name of the first file]")
	command.Parsed(f, "bytes", "8B", "`size` of the messages that give α and β",
		quantity(&o.bytes, units.Size, true))
	command.Parsed(f, "latency", "", "`time` that replaces the measured α", func(text string) error {
		o.latency = new(float64)
		return quantity(o.latency, units.Time, true)(text)
	})
	command.Choice(cmd, &o.rescale, "rescale", "",
		"`middle` of the latencies that is scaled to --latency, if any", slices.Sorted(maps.Keys(middles)))
	f.IntVar(&o.skip, "skip", -1, "first repetitions of each run, `n`, that are left out; -1: 20 of "+
		"netgauge's runs of 1000")
	command.Parsed(f, "span", "0s", "`time` over which a file counts detours",
		quantity(&o.span, units.Time, true))
	f.BoolVar(&o.replay, "replay", false, "replay of the trace, however well components fit")
	f.BoolVar(&o.quiet, "quiet", false, "no report of what was found")
	command.Complete(cmd, "out", command.FilesOf("yaml"))
	cmd.ValidArgsFunction = command.AnyFile
	return cmd
}

func (o *importOptions) run(files []string, in io.Reader, out, errs io.Writer) error {
	im, err := o.read(in, files...)
	if err != nil {
		return err
	}
	if o.replay && len(im.trace.Cores) == 0 {
		return fmt.Errorf("--replay: the files have no detours with times to replay")
	}
	p, err := im.profile(cmp.Or(o.name, baseName(files[0])))
	if err != nil {
		return fmt.Errorf("%s: %w", strings.Join(files, ", "), err)
	}
	if o.showOnly {
		return o.check(out, errs, p, &im)
	}
	o.remark(errs, append(im.lines, verdict(p)...)...)
	return o.write(out, p, &im)
}

// read returns what the files say. It fails if one is not valid.
func (o *importOptions) read(in io.Reader, files ...string) (importer, error) {
	im := importer{settings: o.settings}
	for _, name := range files {
		m, err := ReadMeasured(name, in, o.skip)
		if err == nil {
			err = im.add(m, name)
		}
		if err != nil {
			return im, err
		}
	}
	return im, nil
}

// quantity returns what reads a flag with a quantity that is not below 0, nor 0 unless zero is valid.
func quantity(to *float64, dimension units.Dimension, zero bool) func(text string) error {
	return func(text string) (err error) {
		switch *to, err = units.Parse(dimension, text); {
		case err != nil:
			return err
		case *to < 0:
			return fmt.Errorf("%s is below 0", text)
		case *to == 0 && !zero:
			return errors.New("it must exceed 0")
		}
		return nil
	}
}

// middles are what latencies can be scaled by.
var middles = map[string]func(noise.Length) float64{
	"median": profile.Median, "mean": noise.Length.Mean,
}

// remarks are lines that are not results, which users can turn off.
type remarks struct{ quiet bool }

// remark prints lines, unless the user asked for quiet.
func (r remarks) remark(errs io.Writer, lines ...string) {
	for _, line := range lines {
		if !r.quiet {
			output.Remark(errs, "%s", line)
		}
	}
}

// ReadMeasured reads a file of [formats.Read] or a trace, or in if the name is -, without the first
// repetitions of each run.
func ReadMeasured(name string, in io.Reader, first int) (formats.Measurement, error) {
	if name == "-" {
		name = "standard input"
	} else {
		f, err := os.Open(name)
		if err != nil {
			return formats.Measurement{}, datasets.FileError(name, err)
		}
		defer func() { _ = f.Close() }()
		if info, err := f.Stat(); err == nil && info.IsDir() {
			return formats.Measurement{}, fmt.Errorf("%s: it is a directory", name)
		}
		in = f
	}
	buffered := bufio.NewReader(in)
	if begin, _ := buffered.Peek(4); string(begin) != "PAR1" {
		return formats.Read(buffered, name, first)
	}
	content, err := io.ReadAll(io.LimitReader(buffered, study.MaxTrace+1))
	if err == nil && len(content) > study.MaxTrace {
		err = fmt.Errorf("a trace of more than %s", units.Format(units.Size, study.MaxTrace, 3))
	}
	if err != nil {
		return formats.Measurement{}, datasets.FileError(name, err)
	}
	t, err := datasets.DecodeTrace(content)
	m := formats.Measurement{Tool: measureTool, Trace: t, Lines: len(t.Lengths())}
	return m, datasets.FileError(name, err)
}

func baseName(file string) string {
	base := formats.Unpacked(filepath.Base(file))
	if short := strings.TrimSuffix(base, filepath.Ext(base)); short != "" && file != "-" {
		return short
	}
	return "measured"
}

// verdict returns lines that say what was fitted, and how well.
func verdict(p profile.Profile) []string {
	var lines []string
	if !unfit(p) {
		lines = vector.Each(p.OS, func(c profile.Component) string { return "component: " + c.Words() })
	}
	if p.Fit == nil {
		return lines
	}
	lines = append(lines, fmt.Sprintf("fit: %s; errors: %.2g in the distribution of lengths, "+
		"%.2g%% of the overhead, %.2g%% of the 99.9th percentile of the length",
		p.Fit.Verdict, p.Fit.KS, 100*p.Fit.OverheadError, 100*p.Fit.P999Error))
	if p.Fit.Reason != "" {
		lines = append(lines, p.Fit.Reason)
	}
	return lines
}

// write writes the profile, and the trace if the profile replays it.
func (o *importOptions) write(out io.Writer, p profile.Profile, im *importer) error {
	replay := len(im.trace.Cores) > 0 && (o.replay || unfit(p))
	switch {
	case replay && o.out == "":
		p.Caveats = append(p.Caveats, "The components do not stand for the trace; "+
			"import it with --out to replay it instead.")
	case replay:
		trace := withEnding(o.out, traceEnding)
		if err := replaceableTrace(trace, im.traced, im.trace); err != nil {
			return err
		}
		digest, err := datasets.WriteTrace(trace, datasets.Version, im.trace)
		if err != nil {
			return command.Failure(err)
		}
		p.OS = replayOf(trace, digest)
	}
	return writeProfile(out, o.out, p)
}

// traceEnding ends the name of a trace, which is otherwise its profile's name.
const traceEnding = ".parquet"

// checkFlags fails if a flag needs another one, or --out names no place for what is written: where the
// profile would replace a file that is not one, such as the measurement that it is made of, or has the
// name of a trace.
func (o *importOptions) checkFlags() error {
	switch {
	case o.rescale != "" && o.latency == nil:
		return errors.New("--rescale: it needs the latency to scale to; write --latency, such as 1.3us")
	case o.replay && o.out == "":
		return errors.New("--replay: the trace needs a place; write --out FILE")
	case o.showOnly || o.out == "":
		return nil
	}
	if filepath.Ext(o.out) == traceEnding {
		return fmt.Errorf("--out: %s is the name of a trace; name the profile, %s", o.out,
			withEnding(o.out, ".yaml"))
	}
	content, err := datasets.ReadFile(o.out)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil // or its directory does not, which is said when it is written
	case err != nil:
		return err
	case len(content) > 0 && !isProfile.Match(content):
		return fmt.Errorf("%s exists and is not a profile; name another file with --out", o.out)
	}
	return nil
}

// isProfile matches what profiles begin with, after comments.
var isProfile = regexp.MustCompile(`(?m)^profile:`)

// replaceableTrace fails if the file exists, unless it is the only trace that was read, or has the trace
// that is to be written: a measurement cannot be repeated.
func replaceableTrace(name string, read []string, written noise.Trace) error {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return nil // the file is absent, or writing it fails
	}
	content, err := os.ReadFile(name)
	if err != nil {
		return datasets.FileError(name, err)
	}
	existing, err := datasets.DecodeTrace(content)
	if err != nil {
		return fmt.Errorf("%s exists and is not a trace; name another file with --out", name)
	}
	same := func(other string) bool {
		read, err := os.Stat(other)
		return err == nil && os.SameFile(info, read)
	}
	switch one := slices.ContainsFunc(read, same); {
	case one && len(read) > 1:
		return fmt.Errorf("%s is one of the traces that were read; name another file with --out", name)
	case !one && !reflect.DeepEqual(existing, written):
		return fmt.Errorf("%s is another trace; name another file with --out", name)
	}
	return nil
}

// unfit reports whether the components do not stand for what was measured.
func unfit(p profile.Profile) bool { return p.Fit != nil && p.Fit.Verdict == profile.ReplayIt }

// replayOf returns the component that replays a trace in the directory of the profile.
func replayOf(trace, digest string) []profile.Component {
	return []profile.Component{{Kind: profile.Replay, Trace: filepath.Base(trace), TraceDigest: digest}}
}

func withEnding(file, ending string) string {
	return strings.TrimSuffix(file, filepath.Ext(file)) + ending
}

// writeProfile replaces the file, or prints the profile if that is "".
func writeProfile(out io.Writer, file string, p profile.Profile) error {
	text, err := profile.Write(p)
	switch {
	case err != nil:
		return err
	case file != "":
		err = datasets.WriteFile(file, text)
	default:
		_, err = out.Write(text)
	}
	return command.Failure(err)
}
