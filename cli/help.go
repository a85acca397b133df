package cli

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"jitterfly/cli/internal/output"
	"jitterfly/cli/study"
)

// helpWidth is the width of help on screens that are wider.
const helpWidth = 80

// Headings of flags in help, besides the headings of a study's keys.
const (
	groupMostUsed  = "Most used"
	groupExecution = "Execution"
	groupOutput    = "Output"
	groupGeneral   = "General"
	groupFlags     = "Flags" // all, of commands that take no keys of a study
)

// mostUsed are the flags that --help lists, in its order; --help-all lists the others too.
var mostUsed = []string{
	"ranks", "nodes", "ranks-per-node", "bytes", "latency", "bandwidth", "os-duration", "noise",
	"assume", "collective", "compute", "imbalance", "objective", "trial", "slowest", "shards",
	"time", "format", "out",
}

// groupOf are the headings of flags that are no keys of a study, in commands that take keys.
var groupOf = map[string]string{
	"workers": groupExecution, "quiet": groupExecution, "time": groupExecution,
	"operation": study.GroupCollective,
	"dry-run":   groupExecution, "verbose": groupExecution, "shards": groupExecution,
	"format": groupOutput, "write": groupOutput, "keep-trials": groupOutput, "width": groupOutput,
	"titles": groupOutput, "axis": groupOutput,
	"trial": study.GroupTrials, "slowest": study.GroupTrials, "idempotent": study.GroupChoice,
	"baseline": study.GroupChoice, "strict": groupExecution, "no-cache": groupExecution,
	"resolution": study.GroupTrials, "cores": study.GroupChoice, "spare": study.GroupChoice,
	"shorten": study.GroupChoice, "program": study.GroupChoice,
	"set": groupGeneral, "help": groupGeneral, allFlag: groupGeneral,
}

// allFlag is the flag that lists all flags of a command that takes the keys of a study.
const allFlag = "help-all"

// setHelp makes the help of a command, and of those below it, fit the screen. Commands that take
// the keys of a study get the flag --help-all, which lists their flags in groups.
func setHelp(root *cobra.Command) {
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		screen := *output.ScreenOf(cmd.OutOrStdout())
		screen.Width = min(screen.Width, helpWidth)
		_, _ = io.WriteString(&screen, help(cmd, &screen))
	})
	addAllFlag(root)
}

// addAllFlag defines --help-all for a command and those below it.
func addAllFlag(cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		addAllFlag(c)
	}
	if takesKeys(cmd.LocalFlags()) {
		cmd.Flags().BoolFunc(allFlag, "help with all flags", func(string) error {
			cmd.Flags().Lookup(allFlag).Changed = true
			return pflag.ErrHelp // which ends the reading of flags, as --help does
		})
	}
}

// takesKeys reports whether some flags are keys of a study.
func takesKeys(flags *pflag.FlagSet) bool { return flags.Lookup(study.Assume.Flag) != nil }

// help returns the help of a command: what it does in a sentence, examples, and then the rest.
func help(cmd *cobra.Command, screen *output.Screen) string {
	sections := []string{prose(cmd.Short+".", screen)}
	add := func(heading, text string) {
		if text != "" {
			sections = append(sections, screen.Bold(heading+":")+"\n"+text)
		}
	}
	usage := ""
	if cmd.Runnable() {
		usage = "  " + cmd.UseLine() + "\n"
	}
	if cmd.HasAvailableSubCommands() {
		usage += "  " + cmd.CommandPath() + " [command]\n"
	}
	add("Examples", commandLines(cmd.Example, screen))
	add("Usage", usage)
	if cmd.Long != "" {
		sections = append(sections, prose(cmd.Long, screen))
	}
	for _, group := range cmd.Groups() {
		add(strings.TrimSuffix(group.Title, ":"), commandsOf(cmd, group.ID, screen))
	}
	add("Available Commands", commandsOf(cmd, "", screen))
	shown, more := headings(), ""
	if all := cmd.LocalFlags().Lookup(allFlag); all != nil {
		if all.Changed {
			more = furtherKeys()
		} else {
			shown = []string{groupMostUsed}
			more = fmt.Sprintf("Every key of a study is a flag. \"%s --help-all\" lists all flags, and "+
				"docs/concepts.md has a glossary.\n",
				cmd.CommandPath())
		}
	}
	groups := flagGroups(cmd.LocalFlags())
	for _, heading := range shown {
		if flags := groups[heading]; flags != nil {
			add(heading, flags.FlagUsagesWrapped(screen.Width))
		}
	}
	if more != "" {
		sections = append(sections, screen.Wrap(more))
	}
	if cmd.HasAvailableSubCommands() {
		sections = append(sections, screen.Wrap(fmt.Sprintf(
			"Use \"%s [command] --help\" for more information about a command.\n", cmd.CommandPath())))
	}
	return strings.Join(sections, "\n")
}

// furtherKeys returns a sentence with the keys whose flags help does not list.
func furtherKeys() string {
	var paths []string
	for _, k := range study.Keys {
		if k.Rare {
			paths = append(paths, k.Path)
		}
	}
	return "Study files and --set key=value have further keys: " + strings.Join(paths, ", ") + ".\n"
}

// commandsOf returns a line for each command of a group, or "".
func commandsOf(cmd *cobra.Command, group string, screen *output.Screen) string {
	var b strings.Builder
	for _, c := range cmd.Commands() {
		if c.GroupID == group && (c.IsAvailableCommand() || c.Name() == "help") {
			b.WriteString(screen.Hang(fmt.Sprintf("  %-*s ", c.NamePadding(), c.Name()), c.Short+"\n"))
		}
	}
	return b.String()
}

// headings returns the headings of flags in their order.
func headings() []string {
	return slices.Concat([]string{groupFlags, groupMostUsed}, study.Groups,
		[]string{groupExecution, groupOutput, groupGeneral})
}

// flagGroups returns flags by their headings: all under one if none is a key of a study.
func flagGroups(flags *pflag.FlagSet) map[string]*pflag.FlagSet {
	groups := map[string]*pflag.FlagSet{}
	put := func(heading string, f *pflag.Flag) {
		if groups[heading] == nil {
			groups[heading] = pflag.NewFlagSet(heading, pflag.ContinueOnError)
			groups[heading].SortFlags = false
		}
		groups[heading].AddFlag(f)
	}
	keys := takesKeys(flags)
	for _, name := range mostUsed {
		if f := flags.Lookup(name); f != nil && keys && !f.Hidden {
			put(groupMostUsed, f)
		}
	}
	flags.VisitAll(func(f *pflag.Flag) {
		named := f.Annotations[study.GroupAnnotation]
		switch {
		case !keys:
			put(groupFlags, f)
		case slices.Contains(mostUsed, f.Name) && !f.Hidden:
		case named != nil:
			put(named[0], f)
		default:
			put(groupOf[f.Name], f)
		}
	})
	return groups
}

// broken matches the end of a line of a paragraph, and the beginning of the next line.
var broken = regexp.MustCompile(`(\S)\n(\S)`)

// prose returns paragraphs in lines of the screen's width. Indented lines stay lines; lines that
// begin with a tab are code.
func prose(text string, screen *output.Screen) string {
	var b strings.Builder
	for line := range strings.Lines(broken.ReplaceAllString(strings.TrimSpace(text), "$1 $2") + "\n") {
		if strings.HasPrefix(line, "\t") {
			b.WriteString(commandLines(line, screen))
		} else {
			b.WriteString(screen.Wrap(line))
		}
	}
	return b.String()
}

// commandLines returns lines of a shell; it continues lines that are too wide after a backslash.
// Lines with quotes, comments or substitutions stay, in which a backslash means something else.
func commandLines(text string, screen *output.Screen) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		at := 0
		for i, word := range strings.SplitAfter(line, " ") {
			if i > 0 && at+len(word)+len("\\") > screen.Width && !strings.ContainsAny(line, `'"#$`) {
				b.WriteString("\\\n      ")
				at = 6
			}
			b.WriteString(word)
			at += len(word)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// setSuggestions makes a command, and those below it, name the flags that a mistyped one is most
// like, and say what a value must be.
func setSuggestions(root *cobra.Command) {
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if errors.Is(err, pflag.ErrHelp) { // --help-all
			return err
		}
		if invalid := new(pflag.InvalidValueError); errors.As(err, &invalid) {
			return invalidValue(invalid)
		}
		unknown := new(pflag.NotExistError)
		if !errors.As(err, &unknown) || unknown.GetSpecifiedShortnames() != "" {
			return err
		}
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, f.Name)
			}
		})
		name := unknown.GetSpecifiedName()
		similar := output.Similar(name, names)
		if len(similar) == 0 {
			list := "help"
			if cmd.Flags().Lookup(allFlag) != nil {
				list = allFlag
			}
			return fmt.Errorf("%w; %s --%s lists the flags", err, cmd.CommandPath(), list)
		}
		return fmt.Errorf("%w; did you mean --%s?", err, strings.Join(similar, ", --"))
	})
}

// invalidValue returns the error of a flag with a value that is not of its type, as the errors of
// keys are.
func invalidValue(invalid *pflag.InvalidValueError) error {
	what, ok := map[string]string{
		"int": "a whole number", "uint64": "a whole number from 0 to 2^64−1", "float64": "a number",
		"duration": "a time, such as 90s or 10m", "bool": "true or false",
	}[invalid.GetFlag().Value.Type()]
	if !ok {
		return fmt.Errorf("--%s: %w", invalid.GetFlag().Name, errors.Unwrap(invalid))
	}
	return fmt.Errorf("--%s: %q is not %s", invalid.GetFlag().Name, invalid.GetValue(), what)
}

// setUses makes a command, or those below it, say which arguments they take where others are given.
func setUses(cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		setUses(c)
	}
	takes := strings.Contains(cmd.Use, " ") // arguments, and not only commands below it
	if fits := cmd.Args; fits != nil && (takes || !cmd.HasSubCommands()) {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if fits(cmd, args) == nil {
				return nil
			}
			what := "too few arguments"
			for n := range args { // fewer would do
				if fits(cmd, args[:n]) == nil {
					what = fmt.Sprintf("too many arguments: %s", strings.Join(args[n:], " "))
				}
			}
			return fmt.Errorf("%s; write %s", what, strings.TrimSuffix(cmd.UseLine(), " [flags]"))
		}
	}
}
