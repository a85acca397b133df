package noise

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"jitterfly/cli/internal/command"
	"jitterfly/cli/internal/output"
	"jitterfly/cli/study"
	"jitterfly/datasets"
	"jitterfly/internal/vector"
	"jitterfly/noise/profile"
)

func presetsCommand() *cobra.Command {
	applications := false
	cmd := &cobra.Command{
		Use:   "presets [NAME]",
		Short: "List the built-in noise profiles or applications, or print one",
		Long: `Presets lists the noise profiles of published systems and of jobs with slow nodes,
which --noise takes by name; with --applications it lists ready applications, which --application
takes. With a name it prints that profile or application, with its source and caveats: a file to begin with.`,
		Example: `  jitterfly presets
  jitterfly presets alps > mine.yaml
  jitterfly presets --applications
  jitterfly presets --applications stencil > study.yaml`,
		Args: cobra.MaximumNArgs(1),
		ValidArgsFunction: func(
			cmd *cobra.Command, args []string, written string,
		) ([]string, cobra.ShellCompDirective) {
			offered := command.Presets()
			if applications {
				offered = command.Applications()
			}
			return command.First(1, command.OneOf(offered...))(cmd, args, written)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			all, list := datasets.Presets(), listPresets
			if applications {
				all, list = datasets.Applications(), listApplications
			}
			if len(args) == 0 {
				return list(cmd.OutOrStdout())
			}
			if text := all.Find(args[0]); text != nil {
				_, err := cmd.OutOrStdout().Write(text)
				return command.Failure(err)
			}
			if applications {
				return fmt.Errorf("no application is named %q; %s", args[0], output.Meant(args[0], all.Names()))
			}
			return fmt.Errorf("no preset is named %q; %s", args[0], study.SuggestProfile(args[0]))
		},
	}
	cmd.Flags().BoolVar(&applications, "applications", false, "applications instead of noise")
	return cmd
}

// brief leaves out of a component's words what the list has no room for.
var brief = strings.NewReplacer(", empirical", "", " on average", "")

func listPresets(out io.Writer) error {
	t := output.Columns("name", "overhead", "~~detours/s", "components", "~latency", "~~~network noise")
	for _, preset := range datasets.Presets() {
		p, _ := profile.Read(preset.YAML, preset.Name) // what is embedded is a profile
		words := func(c profile.Component) string { return brief.Replace(c.Words()) }
		components := vector.Each(p.OS, words)
		for i, c := range p.Classes {
			if c.Slower() {
				components = append(components, fmt.Sprintf("%s: speed %.3g", p.ClassLabel(i), c.Speed))
			}
		}
		latency, noise := "", ""
		if p.Network.Latency != nil {
			latency = output.Seconds(*p.Network.Latency)
		}
		if p.Network.Noisy() {
			noise = "measured"
		}
		t.Append(preset.Name, fmt.Sprintf("%.2g%%", 100*p.Overhead()), fmt.Sprintf("%.0f", p.Rate()),
			strings.Join(components, "\n"), latency, noise)
	}
	_, err := io.WriteString(out, output.ScreenOf(out).Table(t))
	return command.Failure(err)
}

func listApplications(out io.Writer) error {
	t := output.Columns("name", "calls", "bytes", "compute", "imbalance")
	about := ""
	for _, a := range datasets.Applications() {
		values := study.Preset(a.Name)
		row := []any{a.Name}
		for _, path := range []string{
			"application.calls", "bytes", "application.compute", "application.imbalance.random",
		} {
			row = append(row, strings.Join(values[path], ","))
		}
		t.Append(row...)
		about += a.About() + ".\n"
	}
	screen := output.ScreenOf(out)
	_, err := io.WriteString(out, screen.Table(t)+"\n"+screen.Wrap(about))
	return command.Failure(err)
}
