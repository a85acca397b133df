package results

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"jitterfly/cli/figures"
	"jitterfly/cli/internal/complete"
	"jitterfly/cli/internal/exit"
	"jitterfly/cli/internal/output"
	"jitterfly/cli/internal/profiles"
	"jitterfly/cli/reproduce"
	"jitterfly/cli/study"
	"jitterfly/cli/sweep"
	"jitterfly/datasets"
	"jitterfly/internal/file"
	"jitterfly/noise/trace"
)

type reproduceOptions struct {
	sweep.Execution
	out      string
	document string
	formats  []string
	full     bool
	data     string
}

func reproduceCommand() *cobra.Command {
	var o reproduceOptions
	cmd := &cobra.Command{
		Use:   "reproduce [PAPER…]",
		Short: "Simulate the studies of papers, and judge their claims",
		Long: `Reproduce simulates the studies of papers, draws their figures in the papers' own
layout, and judges every number and every statement of shape in them: it holds, holds by
construction (an input or a formula of the model makes it true), does not hold or is inconclusive.
Without an argument it lists the papers and about how long each takes; "all" is all of them.

Results go to DIR/PAPER/STUDY, as sweep writes them, and pictures to DIR/PAPER/figures.
DIR/reproduction.md, or the file that --document names, summarizes each paper and lists the
claims with what was assumed; pictures are copied into a directory next to such a file.

After a stop, with exit code 75, the same command resumes; finished studies are not computed
again. A claim that does not hold is a finding and not a failure: the exit code is 0.`,
		Example: `  jitterfly reproduce
  jitterfly reproduce 000
  jitterfly reproduce 000 --out papers --format svg,pdf --document papers.md`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				if cmd.Flags().NFlag() > 0 {
					return errors.New("PAPER: name papers, or all; jitterfly reproduce lists them")
				}
				return exit.Failure(list(cmd.OutOrStdout()))
			}
			o.Errs = cmd.ErrOrStderr()
			return o.run(cmd.Context(), args, cmd.OutOrStdout())
		},
	}
	cmd.ValidArgsFunction = otherPapers
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVarP(&o.out, "out", "o", "reproduction", "directory of the results")
	o.AddFlags(f)
	f.BoolVar(&o.full, "full", false, "all sides and more trials where a study leaves some out (002)")
	f.StringVar(&o.data, "data", "",
		"`directory` of the authors' measurements, to replay in place of presets (005)")
	f.StringSliceVar(&o.formats, "format", []string{"svg"},
		"of pictures, the first for the document: "+strings.Join(figures.Formats(), ", "))
	f.StringVar(&o.document, "document", "", "`file` of the document [DIR/reproduction.md]")
	complete.Flag(cmd, "out", complete.AnyDirectory)
	complete.Flag(cmd, "data", complete.AnyDirectory)
	complete.Flag(cmd, "document", complete.FilesOf("md"))
	complete.Flag(cmd, "format", complete.ListOf(figures.Formats()...))
	return cmd
}

// allPapers is the argument that stands for all papers.
const allPapers = "all"

// list prints the papers, and about how long each takes.
func list(out io.Writer) error {
	screen, text := output.ScreenOf(out), ""
	for _, p := range reproduce.Papers() {
		text += screen.Hang(p.ID+"  ", p.Authors+": "+p.Title+"\n") +
			screen.Hang("     ", "takes "+strings.ReplaceAll(p.Cost, "`", "")+"\n")
	}
	text += screen.Wrap(fmt.Sprintf("\nWith the names of papers, or %s, it simulates their studies "+
		"and judges their claims.\n", allPapers))
	_, err := io.WriteString(out, text)
	return err
}

// otherPapers offers the papers that are not given yet, and all.
func otherPapers(_ *cobra.Command, given []string, _ string,
) (ids []string, _ cobra.ShellCompDirective) {
	for _, p := range reproduce.Papers() {
		if !slices.Contains(given, p.ID) {
			ids = append(ids, cobra.CompletionWithDesc(p.ID, p.Title))
		}
	}
	if len(given) == 0 {
		ids = append(ids, cobra.CompletionWithDesc(allPapers, "all of them"))
	}
	return ids, complete.NoFiles
}

func (o *reproduceOptions) run(ctx context.Context, ids []string, out io.Writer) error {
	papers, err := o.papers(ids)
	if err != nil {
		return err
	}
	var sections []reproduce.Section
	for _, p := range papers {
		results, err := o.simulate(ctx, p)
		if err != nil {
			return err
		}
		pictures, err := o.draw(p, results)
		if err != nil {
			return exit.Failure(err)
		}
		sections = append(sections, p.Section(results, pictures))
	}
	for _, s := range sections {
		if _, err := fmt.Fprintln(out, claimsTable(s, output.ScreenOf(out))); err != nil {
			return exit.Failure(err)
		}
	}
	return exit.Failure(datasets.WriteFile(o.documentFile(), reproduce.Document(sections)))
}

// papers returns the papers that are asked for, each once. It fails if a flag is wrong.
func (o *reproduceOptions) papers(ids []string) ([]*reproduce.Paper, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	if err := figures.CheckFormats(o.formats); err != nil {
		return nil, err
	}
	if o.document != "" && filepath.Ext(o.document) != ".md" {
		return nil, fmt.Errorf("--document: %s does not end in .md", o.document)
	}
	if slices.Contains(ids, allPapers) {
		ids = nil
		for _, p := range reproduce.Papers() {
			ids = append(ids, p.ID)
		}
	}
	var papers []*reproduce.Paper
	for _, id := range ids {
		p, err := reproduce.Find(id)
		if err != nil {
			return nil, err
		}
		if o.data != "" && p.Adapt == nil {
			return nil, fmt.Errorf("--data: paper %s replays no measurements; give it with 005 alone", id)
		}
		if !slices.Contains(papers, p) {
			papers = append(papers, p)
		}
	}
	return papers, nil
}

func (o *reproduceOptions) documentFile() string {
	if o.document != "" {
		return o.document
	}
	return filepath.Join(o.out, "reproduction.md")
}

// simulate computes the studies of a paper, as sweep does, and reads their tables.
func (o *reproduceOptions) simulate(ctx context.Context, p *reproduce.Paper,
) (*reproduce.Results, error) {
	results := new(reproduce.Results)
	if o.data != "" {
		results.Archive = reproduce.NewArchive(o.data)
	}
	for _, s := range p.Studies {
		text, err := p.File(s)
		if err != nil {
			return nil, exit.Failure(err)
		}
		options := sweep.Options{
			Execution: o.Execution, Format: "table", KeepTrials: s.KeepTrials,
			Input: study.Input{
				Name: p.FileName(s), File: text, Set: s.Set, Profile: findFor(p, s, results.Archive),
			},
			Out: filepath.Join(o.out, p.ID, s.Name),
		}
		if o.full && s.Full != nil {
			options.Input.Set = slices.Concat(s.Set, s.Full)
			options.Out += "-full"
		}
		if err := options.Run(ctx, io.Discard); err != nil {
			return nil, err
		}
		tables, err := datasets.ReadResults(options.Out)
		if err != nil {
			return nil, exit.Failure(err)
		}
		if err := results.Add(s.Name, tables); err != nil {
			return nil, exit.Failure(err)
		}
	}
	return results, nil
}

// findFor returns how profiles are found for a study of a paper.
func findFor(p *reproduce.Paper, s reproduce.Study, a *reproduce.Archive,
) func(name string) (study.Measured, error) {
	if p.Adapt == nil {
		return profiles.Find
	}
	return func(name string) (study.Measured, error) {
		m, err := profiles.Find(name)
		if err != nil {
			return m, err
		}
		adapted, err := p.Adapt(m.Profile, s, a)
		if err != nil {
			return m, fmt.Errorf("--data: %w", err)
		}
		m.Profile, m.ID = adapted.Profile, m.ID+"@"+adapted.ID
		m.Trace = func(string) (trace.Trace, error) { return adapted.Trace, nil }
		return m, nil
	}
}

// draw writes the figures of a paper, and returns their names in the document.
func (o *reproduceOptions) draw(p *reproduce.Paper, results *reproduce.Results,
) (func(reproduce.Figure) string, error) {
	dirs := []string{filepath.Join(o.out, p.ID, "figures")}
	from := p.ID + "/figures"
	if o.document != "" {
		folder := strings.TrimSuffix(o.document, ".md")
		dirs = append(dirs, filepath.Join(folder, p.ID))
		from = filepath.Base(folder) + "/" + p.ID
	}
	for _, dir := range dirs {
		if err := file.MakeDir(dir); err != nil {
			return nil, err
		}
	}
	for _, f := range p.Figures {
		picture := f.Draw(results, f.Name)
		for i, format := range o.formats {
			content, err := picture.Bytes(format)
			if err != nil {
				return nil, err
			}
			for j, dir := range dirs {
				if i > 0 && j > 0 { // the document shows the first format only
					continue
				}
				name := filepath.Join(dir, f.Name+"."+format)
				if err := figures.Replaceable(name); err != nil {
					return nil, err
				}
				if err := datasets.WriteFile(name, content); err != nil {
					return nil, err
				}
			}
		}
	}
	return func(f reproduce.Figure) string { return from + "/" + f.Name + "." + o.formats[0] }, nil
}

// claimsTable returns a table of the claims of a paper, whose cells have as many lines as the
// screen's width asks for.
func claimsTable(s reproduce.Section, screen *output.Screen) string {
	t := output.NewTable()
	count := func(v reproduce.Verdict) int { return reproduce.Count(s.Judged, v) }
	title := screen.Wrap(fmt.Sprintf("%s, %s: of %d claims %d hold, %d hold by construction, "+
		"%d do not hold, %d inconclusive\n", s.Paper.ID, s.Paper.Authors, len(s.Judged),
		count(reproduce.Holds), count(reproduce.Constructed),
		count(reproduce.Fails), count(reproduce.Inconclusive)))
	t.AppendHeader(table.Row{"where", "claim", "published", "ours", "holds?"})
	var columns []table.ColumnConfig
	widths := []int{14, 48, 26, 36, 12}
	const texts, others = 48 + 26 + 36, 14 + 12 + 5*2 // with a space on both sides of each column
	for i := 1; i <= 3; i++ {
		widths[i] = min(widths[i], widths[i]*max(screen.Width-others, texts/4)/texts)
	}
	for i, width := range widths {
		columns = append(columns, table.ColumnConfig{
			Number: i + 1, Align: text.AlignLeft, AlignHeader: text.AlignLeft,
			WidthMax: width, WidthMaxEnforcer: text.WrapSoft,
		})
	}
	t.SetColumnConfigs(columns)
	t.Style().Options.SeparateRows = true
	for _, j := range s.Judged {
		t.AppendRow(table.Row{j.Where, j.Statement, j.Published, j.Ours, j.Verdict})
	}
	return screen.Bold(title) + t.Render()
}
