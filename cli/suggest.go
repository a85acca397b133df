package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"jitterfly/cli/internal/output"
)

// setSuggestions makes a command, and those below it, name the flags that a mistyped one is most
// like, and say what a value must be.
func setSuggestions(root *cobra.Command) {
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if errors.Is(err, pflag.ErrHelp) { // --help-all
			return err
		}
		if invalid := new(pflag.InvalidValueError); errors.As(err, &invalid) {
			return invalidValue(invalid, err)
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
func invalidValue(invalid *pflag.InvalidValueError, err error) error {
	what, ok := map[string]string{
		"int": "a whole number", "uint64": "a whole number from 0 to 2^64−1", "float64": "a number",
		"duration": "a time, such as 90s or 10m", "bool": "true or false",
	}[invalid.GetFlag().Value.Type()]
	if !ok {
		return err
	}
	return fmt.Errorf("--%s: %q is not %s", invalid.GetFlag().Name, invalid.GetValue(), what)
}

// setUses makes a command, or those below it, say which arguments they take where others are given.
func setUses(cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		setUses(c)
	}
	if fits := cmd.Args; fits != nil && !cmd.HasSubCommands() {
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
