// Package results has the commands that show results: report writes a page, figures draws tables and
// the timeline of one trial, compare shows by how much two studies differ, program shows what a
// recorded MPI program does, and goal writes a schedule. The drawing is in cli/figures.
//
// A page (page.go) needs neither a network nor other files. Its parts are in the folder page; its script
// draws the data that payload.go packs.
//
// Compare matches configurations by their common axes (match.go). It compares their means in pairs of
// trials where both met the same noise, and otherwise by their intervals (ratio.go).
package results

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"jitterfly/cli/internal/command"
	"jitterfly/cli/internal/output"
	"jitterfly/cli/study"
	"jitterfly/cli/sweep"
	"jitterfly/datasets"
)

// Commands returns the commands report and figures, with timeline below it, which reads the
// environment.
func Commands(environ []string) []*cobra.Command {
	pictures := figuresCommand()
	pictures.AddCommand(timelineCommand(environ))
	return []*cobra.Command{reportCommand(), pictures, compareCommand(), programCommand()}
}

func reportCommand() *cobra.Command {
	var out string
	var where []string
	cmd := &cobra.Command{
		Use:   "report [DIR]",
		Short: "Write the results of a finished sweep as one HTML page",
		Long: `Report writes the results of a sweep in DIR, by default results, as one HTML page: the best
T of each configuration, heat maps over any two axes, and for each configuration all T and their
distributions. The page needs no other file and no network.

An existing report is replaced; any other file is not.`,
		Example: `  jitterfly report
  jitterfly report results/mine --out mine.html
  jitterfly report results/mine --where latency=1us,os-duration=10us`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := directory(args)
			if err != nil {
				return err
			}
			return writeReport(dir, out, where, cmd.ErrOrStderr())
		},
	}
	cmd.Flags().StringVarP(&out, "out", "o", "report.html", "file to write")
	command.Where(cmd, &where, "where", "configurations")
	command.Complete(cmd, "out", command.FilesOf("html"))
	cmd.ValidArgsFunction = command.First(1, command.DirectoriesWith(datasets.RunFile))
	return cmd
}

func writeReport(dir, out string, where []string, errs io.Writer) error {
	if err := replaceable(out); err != nil {
		return err
	}
	if ext := strings.ToLower(filepath.Ext(out)); !slices.Contains([]string{"", ".html", ".htm"}, ext) {
		return fmt.Errorf("--out: %s: a report is an HTML page; write a name that ends in .html, or jitterfly "+
			"figures --format pdf for pictures", out)
	}
	results, err := readSome(dir, where, "a page shows", mostOnPage)
	if err != nil {
		return err
	}
	page, err := pageOf(results, title(dir, where))
	if err != nil {
		return err
	}
	if err := datasets.WriteFile(out, page); err != nil {
		return command.Failure(err)
	}
	output.Remark(errs, "wrote %s, configurations: %d", out, len(results.Choices))
	return nil
}

// bytesShown is about what a configuration takes in memory that is shown.
const bytesShown = 4096

// readSome reads the results in a directory of the configurations that meet the conditions of
// --where. It fails if they are more than can be shown, as shown says, or than there is memory for.
func readSome(dir string, where []string, shown string, most int) (*datasets.Results, error) {
	filters, err := study.ParseFilters("--where", where)
	if err != nil {
		return nil, err
	}
	results, err := datasets.OpenResults(dir)
	if err != nil {
		return nil, err
	}
	tooMany := func(n int) error {
		return fmt.Errorf("%s: %d configurations are too many, %s %d at most; keep some with "+
			"--where and values of axes, such as --where ranks=1024,latency=1us", dir, n, shown, most)
	}
	all, likely := 0, filters.Most(results.Configurations)
	if likely > most {
		return nil, tooMany(likely)
	}
	what := fmt.Sprintf("%s: %d configurations", dir, likely)
	if err := sweep.Fits(what, float64(likely)*bytesShown); err != nil {
		return nil, fmt.Errorf("%w; keep some with --where", err)
	}
	err = results.Read(func(c *datasets.ChoiceRow) bool {
		passes := filters.Passes(c)
		if passes {
			all++
		}
		return passes && all <= most
	})
	switch {
	case err != nil:
		return nil, err
	case all == 0:
		return nil, filters.Unmet()
	case all > most:
		return nil, tooMany(all)
	}
	return results, nil
}

// title returns the name of the directory without those above it, and the conditions that what is
// shown meets.
func title(dir string, where []string) string {
	if path, err := filepath.Abs(dir); err == nil {
		dir = path
	}
	return strings.Join(append([]string{filepath.Base(dir)}, where...), ", ")
}

// defaultDir is where a sweep writes its results without --out.
const defaultDir = "results"

// maxFound is the largest number of directories that an error names.
const maxFound = 5

// directory returns the directory that the arguments name, or the default if they name none. It
// fails if that has no study, and then says where there are finished ones.
func directory(args []string) (string, error) {
	if len(args) > 0 {
		return args[0], nil
	}
	for _, name := range []string{datasets.RunFile, datasets.PlanFile} {
		if _, err := os.Stat(filepath.Join(defaultDir, name)); err == nil {
			return defaultDir, nil
		}
	}
	found := command.Directories("", datasets.RunFile)
	switch n := len(found); {
	case n == 0:
		return "", errors.New("DIR: there are no results in " + defaultDir +
			"; run jitterfly sweep first, or name the directory of a finished sweep")
	case n > maxFound:
		found = append(found[:maxFound], fmt.Sprintf("and %d more", n-maxFound))
	}
	return "", fmt.Errorf("DIR: there are no results in %s; name a directory that has some: %s",
		defaultDir, strings.Join(found, ", "))
}
