package noise

import (
	"fmt"
	"io"
	"strings"

	"jitterfly/cli/internal/command"
	"jitterfly/cli/internal/output"
	"jitterfly/cli/study"
	"jitterfly/datasets"
)

// printApplications prints the ready application that the arguments name, or a table of all. It
// fails if no application has that name.
func printApplications(out io.Writer, args []string) error {
	if len(args) == 0 {
		return listApplications(out)
	}
	var names []string
	for _, a := range datasets.Applications() {
		if a.Name == args[0] {
			_, err := out.Write(a.YAML)
			return command.Failure(err)
		}
		names = append(names, a.Name)
	}
	return fmt.Errorf("no application is named %q; %s", args[0], output.Meant(args[0], names))
}

func listApplications(out io.Writer) error {
	t := output.Table{}
	t.Add(output.Column{}, "name", "calls", "bytes", "compute", "imbalance")
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
		about += a.About + ".\n"
	}
	screen := output.ScreenOf(out)
	_, err := io.WriteString(out, screen.Table(t)+"\n"+screen.Wrap(about))
	return command.Failure(err)
}
