// Package cli is the command line. It builds the root command and runs it, and has the commands
// attribute, cluster and research validate, a file and its parts for each. Other commands are in
// packages by concern, which do not import this one:
//
//   - cli/sweep: sweep and choose, and the steps of computing a study
//   - cli/results: report, figures with timeline, compare, program, research goal
//   - cli/noise: measure, import, presets
//
// They share cli/study, which reads studies, and the packages in cli/internal.
package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"jitterfly/cli/internal/command"
	"jitterfly/cli/internal/output"
	"jitterfly/cli/noise"
	"jitterfly/cli/results"
	"jitterfly/cli/study"
	"jitterfly/cli/sweep"
	"jitterfly/datasets"
)

// smallHeap is the heap [bytes] that is not worth collecting. An array of that size, which is never touched
// and so takes no memory, is what the collector compares garbage with.
const smallHeap = 32 << 20

// Main runs the program and returns its exit code. Results go to out; progress and errors,
// one line each, go to errs. An interrupt or another signal to stop ends a command cleanly, or
// after [command.Guard]'s time wherever it is. A second interrupt ends it at once; others are ignored,
// since schedulers repeat them.
func Main(args, environ []string, out, errs io.Writer) int {
	// Signals are caught up to the end, so that one that comes after all is written does not
	// change the exit code.
	ctx, _ := signal.NotifyContext(context.Background(), stopSignals...)
	context.AfterFunc(ctx, func() { signal.Reset(os.Interrupt) })
	if !slices.ContainsFunc(environ, func(v string) bool { return strings.HasPrefix(v, "GOGC=") }) {
		// Most of the memory of a large study is its configurations, which stay, and trials make
		// little garbage: collecting it earlier costs little there. What is small is not collected.
		debug.SetGCPercent(50)
		defer runtime.KeepAlive(make([]byte, smallHeap))
	}
	guard := new(command.Guard)
	code := run(guard.Watch(ctx, func() {
		output.Remark(errs, "stopped by a signal")
		os.Exit(command.Stopped)
	}), args, environ, out, errs)
	if !guard.End() {
		select {} // the guard ends the program
	}
	return code
}

func run(ctx context.Context, args, environ []string, out, errs io.Writer) int {
	root := newRoot(environ, out, errs)
	root.SetArgs(args)
	err := command.Failure(checkMemory())
	if err == nil {
		err = root.ExecuteContext(ctx)
	}
	if err != nil {
		output.Remark(errs, "%s", strings.Join(strings.Fields(err.Error()), " "))
	}
	return command.ExitCode(err)
}

func init() { cobra.EnableCommandSorting = false } // in help they are in the order of work

// newRoot returns the root command, with all others below it in groups.
func newRoot(environ []string, out, errs io.Writer) *cobra.Command {
	environ = withoutOthers(environ)
	root := &cobra.Command{
		Use:   "jitterfly",
		Short: "Monte Carlo analysis of collectives under OS jitter and network noise",
		Long: `Jitterfly simulates collective operations under OS jitter and network noise, and
answers: from how many sources R should an allreduce receive, and how many redundant exchanges T
should follow it, on this machine?`,
		Example: `  jitterfly choose --ranks 4096 --latency 1us --os-duration 10us
  jitterfly sweep --ranks 2^4..2^10 --latency 100ns,1us
  jitterfly report results`,
		Version:       datasets.VersionString(),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetOut(output.NewScreen(out, environ))
	root.SetErr(errs)
	add := func(id, title string, commands ...*cobra.Command) {
		root.AddGroup(&cobra.Group{ID: id, Title: title + ":"})
		for _, c := range commands {
			c.GroupID = id
		}
		root.AddCommand(commands...)
	}
	add("simulate", "Simulate collectives", sweep.ChooseCommand(environ), attributeCommand(environ),
		sweep.Command(environ))
	add("results", "Look at results", results.Commands(environ)...)
	add("noise", "Noise of machines", noise.Commands()...)
	add("others", "On a cluster, and for research", clusterCommand(environ), researchCommand(environ))
	add("program", "The program itself", schemaCommand(), manCommand(), versionCommand())
	addCobras(root, "program")
	root.SetVersionTemplate(versionLine())
	root.InitDefaultVersionFlag()
	root.Flags().Lookup("version").Usage = "print the version"
	setHelp(root)
	setSuggestions(root)
	setUses(root)
	command.Rest(root)
	return root
}

// parent returns a command that only prints its help, with commands below it, which it is suggested for.
func parent(cmd *cobra.Command, below ...*cobra.Command) *cobra.Command {
	cmd.Args = cobra.NoArgs
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	cmd.AddCommand(below...)
	for _, c := range below {
		cmd.SuggestFor = append(cmd.SuggestFor, c.Name())
	}
	return cmd
}

// withoutOthers returns the variables without the ones that cobra's completions and the MPI library
// read, whose names begin like a study's keys.
func withoutOthers(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return name == "JITTERFLY_ACTIVE_HELP" || name == "JITTERFLY_COMPLETION_DESCRIPTIONS" ||
			strings.HasPrefix(name, "JITTERFLY_MPI_")
	})
}

// addCobras adds cobra's own commands, with examples. It panics if cobra has others.
func addCobras(root *cobra.Command, group string) {
	root.SetHelpCommandGroupID(group)
	root.SetCompletionCommandGroupID(group)
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	completions := "~/.local/share/bash-completion/completions/"
	for name, example := range map[string]string{
		"help":                  "jitterfly help sweep",
		"completion":            "source <(jitterfly completion bash)",
		"completion bash":       "jitterfly completion bash > " + completions + "jitterfly",
		"completion zsh":        "jitterfly completion zsh > ~/.zfunc/_jitterfly",
		"completion fish":       "jitterfly completion fish > ~/.config/fish/completions/jitterfly.fish",
		"completion powershell": "jitterfly completion powershell > jitterfly.ps1",
	} {
		cmd, _, err := root.Find(strings.Fields(name))
		if err != nil {
			panic(err)
		}
		cmd.Example = "  " + example
		if name == "help" { // it prints the help of another command even if the name is unknown
			cmd.PreRunE = func(_ *cobra.Command, args []string) error {
				_, _, err := root.Find(args)
				return err
			}
		}
	}
}

// researchCommand returns the command research, with what compares the program with others.
func researchCommand(environ []string) *cobra.Command {
	return parent(&cobra.Command{
		Use:   "research",
		Short: "Compare the program with measurements and with LogGOPSim",
		Long: `Research compares the program with others: validate with measurements of the MPI library's
benchmark, and goal writes schedules that LogGOPSim simulates.`,
		Example: "  jitterfly research validate bench.csv",
	}, validateCommand(), results.GoalCommand(environ))
}

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Long: `Version prints the version, of a release also the commit that it was built from, the
format of results, the compiler and the platform.`,
		Example: "  jitterfly version",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := io.WriteString(cmd.OutOrStdout(), versionLine())
			return command.Failure(err)
		},
	}
}

// versionLine returns what the command version prints, and the flag --version.
func versionLine() string {
	return fmt.Sprintf("jitterfly %s, result format %d, %s %s/%s\n",
		datasets.VersionString(), datasets.Format, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "schema",
		Hidden: true,
		Short:  "Print the JSON Schema of study files",
		Long: `Schema prints the JSON Schema of study files. Editors complete and check files with it. A
YAML file names it in its first line, as sweep --write writes it:

  # yaml-language-server: $schema=study.schema.json`,
		Example: `  jitterfly schema > study.schema.json`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := cmd.OutOrStdout().Write(study.Schema())
			return command.Failure(err)
		},
	}
}

func manCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "man DIR",
		Hidden: true,
		Short:  "Write the manual pages",
		Long: `Man writes a page of the manual for each command into DIR, which it makes if it does not
exist: jitterfly.1, jitterfly-sweep.1 and so on. The program man finds pages in a directory
man1 of those that manpath prints. The same program writes the same pages.`,
		Example:           "  jitterfly man ~/.local/share/man/man1",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: command.First(1, command.AnyDirectory),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := datasets.MakeDir(args[0]); err != nil {
				return err
			}
			cmd.Root().DisableAutoGenTag = true
			return command.Failure(doc.GenManTreeFromOpts(cmd.Root(), doc.GenManTreeOptions{
				Path: args[0], CommandSeparator: "-", Header: &doc.GenManHeader{
					Source: "jitterfly " + datasets.Version, Manual: "jitterfly", Date: &datasets.VersionDate,
				},
			}))
		},
	}
}
