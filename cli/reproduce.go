package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"jitterfly/cli/figures"
	"jitterfly/cli/reproduce"
	"jitterfly/cli/study"
	"jitterfly/datasets"
)

type reproduceOptions struct {
	playing
	out      string
	document string
	formats  []string
}

func reproduceCommand() *cobra.Command {
	var o reproduceOptions
	var known []string
	for _, p := range reproduce.Papers {
		known = append(known, fmt.Sprintf("  %s  %s: %s; %s", p.ID, p.Authors, p.Title, p.Cost))
	}
	cmd := &cobra.Command{
		Use:   "reproduce [PAPER…]",
		Short: "Hold the papers' figures and claims against ours",
		Long: `Reproduce plays the studies of papers, draws their figures in the papers' own layout, and judges
every number and every statement of shape in them: claim, published, ours, holds or not. Without an argument it
takes all papers:

` + strings.Join(known, "\n") + `

Results are in DIR/PAPER/STUDY, as those of sweep, and pictures in DIR/PAPER/figures. DIR/reproduction.md, or the
file that --document names, has the claims with what was assumed; pictures are copied beside such a file.

When it was stopped, with exit code 75, the same command goes on; finished studies are not computed again. A claim
that does not hold is a finding and no failure: the exit code is 0 all the same.`,
		Example: `  jitterfly reproduce 000
  jitterfly reproduce 000 --out papers --format svg,pdf --document papers.md`,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.errs = cmd.ErrOrStderr()
			return o.run(cmd.Context(), args, cmd.OutOrStdout())
		},
	}
	cmd.ValidArgsFunction = func(_ *cobra.Command, given []string, _ string) (ids []string, _ cobra.ShellCompDirective) {
		for _, p := range reproduce.Papers {
			if !slices.Contains(given, p.ID) {
				ids = append(ids, cobra.CompletionWithDesc(p.ID, p.Title))
			}
		}
		return ids, cobra.ShellCompDirectiveNoFileComp
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVarP(&o.out, "out", "o", "reproduction", "directory of the results")
	o.flags(f)
	f.StringSliceVar(&o.formats, "format", []string{"svg"}, "of pictures, the first for the document: "+strings.Join(figures.Formats(), ", "))
	f.StringVar(&o.document, "document", "", "`file` of the document [DIR/reproduction.md]")
	completeFlag(cmd, "out", anyDirectory)
	completeFlag(cmd, "document", filesOf("md"))
	completeFlag(cmd, "format", listOf(figures.Formats()...))
	return cmd
}

func (o *reproduceOptions) run(ctx context.Context, ids []string, out io.Writer) error {
	papers, err := o.papers(ids)
	if err != nil {
		return err
	}
	var sections []reproduce.Section
	for _, p := range papers {
		results, err := o.play(ctx, p)
		if err != nil {
			return err
		}
		pictures, err := o.draw(p, results)
		if err != nil {
			return failed(err)
		}
		sections = append(sections, reproduce.Section{Paper: p, Judged: p.Judge(results), Picture: pictures})
	}
	for _, s := range sections {
		if _, err := fmt.Fprintln(out, claimsTable(s)); err != nil {
			return failed(err)
		}
	}
	return failed(datasets.WriteFile(o.documentFile(), reproduce.Document(sections)))
}

// papers are those asked for, each once, if all else is sound too.
func (o *reproduceOptions) papers(ids []string) ([]*reproduce.Paper, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if len(o.formats) == 0 {
		return nil, fmt.Errorf("--format: is empty; known are %s", strings.Join(figures.Formats(), ", "))
	}
	for _, format := range o.formats {
		if !slices.Contains(figures.Formats(), format) {
			return nil, fmt.Errorf("--format: %q is not known; known are %s", format, strings.Join(figures.Formats(), ", "))
		}
	}
	if o.document != "" && filepath.Ext(o.document) != ".md" {
		return nil, fmt.Errorf("--document: %s does not end in .md", o.document)
	}
	if len(ids) == 0 {
		for _, p := range reproduce.Papers {
			ids = append(ids, p.ID)
		}
	}
	var papers []*reproduce.Paper
	for _, id := range ids {
		p, err := reproduce.Find(id)
		if err != nil {
			return nil, err
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

// play plays the studies of a paper, as sweep does, and reads their tables.
func (o *reproduceOptions) play(ctx context.Context, p *reproduce.Paper) (*reproduce.Results, error) {
	results := new(reproduce.Results)
	for _, s := range p.Studies {
		file, err := p.File(s)
		if err != nil {
			return nil, failed(err)
		}
		sweep := sweepOptions{
			playing: o.playing, format: "table", keepTrials: s.KeepTrials,
			input: study.Input{Name: p.FileName(s), File: file, Profile: findProfile},
			out:   filepath.Join(o.out, p.ID, s.Name),
		}
		if err := sweep.run(ctx, io.Discard); err != nil {
			return nil, err
		}
		tables, err := datasets.ReadResults(sweep.out)
		if err != nil {
			return nil, failed(err)
		}
		results.Add(s.Name, tables)
	}
	return results, nil
}

// draw writes the figures of a paper, and returns where the document finds them.
func (o *reproduceOptions) draw(p *reproduce.Paper, results *reproduce.Results) (func(reproduce.Figure) string, error) {
	dirs := []string{filepath.Join(o.out, p.ID, "figures")}
	from := p.ID + "/figures"
	if o.document != "" {
		beside := strings.TrimSuffix(o.document, ".md")
		dirs = append(dirs, filepath.Join(beside, p.ID))
		from = filepath.Base(beside) + "/" + p.ID
	}
	for _, dir := range dirs {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return nil, fmt.Errorf("%s: %w", dir, unnamed(err))
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
				if err := datasets.WriteFile(filepath.Join(dir, f.Name+"."+format), content); err != nil {
					return nil, err
				}
			}
		}
	}
	return func(f reproduce.Figure) string { return from + "/" + f.Name + "." + o.formats[0] }, nil
}

// claimsTable is the table of a paper's claims for a terminal.
func claimsTable(s reproduce.Section) string {
	t := newTable()
	t.SetTitle("%s, %s: of %d claims %d hold, %d do not, %d cannot be told", s.Paper.ID, s.Paper.Authors, len(s.Judged),
		reproduce.Count(s.Judged, reproduce.Holds), reproduce.Count(s.Judged, reproduce.Fails), reproduce.Count(s.Judged, reproduce.Unclear))
	t.AppendHeader(table.Row{"where", "claim", "published", "ours", "holds?"})
	var columns []table.ColumnConfig
	for i, width := range []int{14, 48, 26, 36, 8} {
		columns = append(columns, table.ColumnConfig{Number: i + 1, Align: text.AlignLeft, AlignHeader: text.AlignLeft, WidthMax: width, WidthMaxEnforcer: text.WrapSoft})
	}
	t.SetColumnConfigs(columns)
	t.Style().Options.SeparateRows = true
	for _, j := range s.Judged {
		t.AppendRow(table.Row{j.Where, j.Statement, j.Published, j.Ours, j.Verdict})
	}
	return t.Render()
}
