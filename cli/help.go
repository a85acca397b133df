package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"jitterfly/cli/study"
)

func init() { cobra.AddTemplateFunc("groupedFlags", groupedFlags) }

// groupFlags makes the help of a command, and of those below it, list the keys of the study
// in their groups.
func groupFlags(root *cobra.Command) {
	const flags = "Flags:\n{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}"
	template := root.UsageTemplate()
	if !strings.Contains(template, flags) {
		panic("cli: cobra's template of help is another")
	}
	root.SetUsageTemplate(strings.Replace(template, flags, "{{groupedFlags .LocalFlags}}", 1))
}

// groupedFlags returns the help of flags: first those that are not keys of the study, then
// the keys by their groups.
func groupedFlags(flags *pflag.FlagSet) string {
	groups := map[string]*pflag.FlagSet{}
	flags.VisitAll(func(f *pflag.Flag) {
		group := "Flags"
		if named := f.Annotations[study.GroupAnnotation]; named != nil {
			group = named[0]
		}
		if groups[group] == nil {
			groups[group] = pflag.NewFlagSet(group, pflag.ContinueOnError)
			groups[group].SortFlags = false
		}
		groups[group].AddFlag(f)
	})
	var sections []string
	for _, group := range append([]string{"Flags"}, study.Groups...) {
		if groups[group] != nil {
			sections = append(sections, group+":\n"+groups[group].FlagUsages())
		}
	}
	return strings.TrimRight(strings.Join(sections, "\n"), "\n")
}
