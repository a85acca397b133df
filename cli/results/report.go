// Package results has the commands that show results: report writes a page, figures draws
// tables, timeline draws one trial, and reproduce compares papers with their simulation.
// The drawing and the writing are in cli/report, cli/figures and cli/reproduce.
package results

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"jitterfly/cli/internal/complete"
	"jitterfly/cli/internal/exit"
	"jitterfly/cli/internal/output"
	"jitterfly/cli/report"
	"jitterfly/cli/study"
	"jitterfly/cli/sweep"
	"jitterfly/datasets"
	"jitterfly/montecarlo"
)

// Commands returns the commands, which read the environment.
func Commands(environ []string) []*cobra.Command {
	return []*cobra.Command{
		reportCommand(), figuresCommand(), timelineCommand(environ), reproduceCommand(),
	}
}

func reportCommand() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "report [DIR]",
		Short: "Write the results of a finished sweep as one HTML page",
		Long: `Report writes the results of a sweep in DIR, by default results, as one HTML page: the best
T of each configuration, heat maps over any two axes, and of each configuration all T and their
distributions. The page needs no other file and no network.

An existing report is replaced; any other file is not.`,
		Example: `  jitterfly report
  jitterfly report results/mine --out mine.html`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := directory(args)
			if err != nil {
				return err
			}
			return writeReport(dir, out, cmd.ErrOrStderr())
		},
	}
	cmd.Flags().StringVarP(&out, "out", "o", "report.html", "file to write")
	complete.Flag(cmd, "out", complete.FilesOf("html"))
	cmd.ValidArgsFunction = complete.First(complete.DirectoriesWith(datasets.RunFile))
	return cmd
}

func writeReport(dir, out string, errs io.Writer) error {
	if err := report.Replaceable(out); err != nil {
		return err
	}
	results, err := datasets.ReadResults(dir)
	if err != nil {
		return err
	}
	certainty, err := certaintyOf(results)
	if err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	var page bytes.Buffer
	err = report.Write(&page, results, report.Options{Title: title(dir), Certainty: certainty})
	if err != nil {
		return err
	}
	if err := datasets.WriteFile(out, page.Bytes()); err != nil {
		return exit.Failure(err)
	}
	output.Remark(errs, "wrote %s, configurations: %d", out, len(results.Choices))
	return nil
}

// title returns the name of the directory without those above it.
func title(dir string) string {
	if path, err := filepath.Abs(dir); err == nil {
		return filepath.Base(path)
	}
	return filepath.Base(dir)
}

// certaintyOf returns what sweep prints of how certain the choices are.
func certaintyOf(r *datasets.Results) (string, error) {
	text := func(path string) string {
		if values := r.Values[path]; len(values) == 1 {
			return values[0]
		}
		return ""
	}
	most := text("trials.max")
	if most == "=trials.min" { // a default of format 3
		most = text("trials.min")
	}
	confidence, errConfidence := strconv.ParseFloat(text("trials.confidence"), 64)
	trials, errTrials := strconv.ParseUint(most, 10, 64)
	tolerance, errTolerance := strconv.ParseFloat(text("choose.tolerance"), 64)
	objective, errObjective := montecarlo.FindObjective(text("choose.objective"))
	if err := errors.Join(errConfidence, errTrials, errTolerance, errObjective); err != nil {
		return "", fmt.Errorf("run.json lacks the study's trials and objective: %w", err)
	}
	s := &study.Study{}
	s.Objective, s.Tolerance, s.Trials.Confidence = objective, tolerance, confidence
	if text("trials.until") == "choice" {
		s.Trials.Until = montecarlo.UntilChosen
	}
	s.Trials.Max = int(min(trials, 1<<31-1))
	return strings.TrimSpace(sweep.Certainty(s, r.Choices)), nil
}
