package cli

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"jitterfly/cli/study"
	"jitterfly/datasets"
	"jitterfly/noise/profile"
)

// completeStudy says what the flags of a study are, and --set.
func completeStudy(cmd *cobra.Command) {
	for _, k := range study.Keys {
		completeFlag(cmd, k.Flag, valuesOf(k))
	}
	completeFlag(cmd, "set", assignments(study.Keys, func(k study.Key) string { return k.Path }))
}

// studyFiles offers study files.
func studyFiles() cobra.CompletionFunc { return filesOf(study.Extensions...) }

// valuesOf offers the values of a key. Where they are no words it says what they
// are like.
func valuesOf(k study.Key) cobra.CompletionFunc {
	one := func(cmd *cobra.Command, args []string, written string) ([]string, cobra.ShellCompDirective) {
		offered := slices.Concat(k.Names, slices.Sorted(maps.Keys(k.Aliases)), k.Examples)
		if k.Path == "noise.profile" {
			offered = append(offered, presetNames()...)
		}
		if k.Files != nil {
			offered = append(offered, filesLike(written, k.Files)...)
			if !slices.ContainsFunc(offered, func(word string) bool { return strings.HasPrefix(word, written) }) {
				return filesOf(k.Files...)(cmd, args, written)
			}
		}
		if k.Whole || k.Names == nil {
			offered = cobra.AppendActiveHelp(offered, k.Help+" ["+cmp.Or(defaultOf(cmd, k), k.Default)+"]")
		}
		return offered, noFiles
	}
	if k.Column == "" {
		return one
	}
	return listFrom(one)
}

// defaultOf is the default that the command's help shows for the key, in the place of
// the value.
func defaultOf(cmd *cobra.Command, k study.Key) string {
	f := cmd.Flags().Lookup(k.Flag)
	if f == nil {
		return ""
	}
	_, shown, _ := strings.Cut(f.Usage, "`")
	shown, _, _ = strings.Cut(shown, "`")
	return shown
}

// filesLike are the files that begin with what is written and have one of the
// endings.
func filesLike(written string, endings []string) []string {
	var files []string
	for _, ending := range endings {
		found, _ := filepath.Glob(literally(written) + "*." + ending) // the pattern is well-formed
		files = append(files, found...)
	}
	return files
}

// assignments offers key=value, first the key and then its values.
func assignments(keys []study.Key, name func(study.Key) string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, written string) ([]string, cobra.ShellCompDirective) {
		var names []string
		for _, k := range keys {
			if value, ok := strings.CutPrefix(written, name(k)+"="); ok {
				values, directive := valuesOf(k)(cmd, args, value)
				if directive != noFiles { // a shell finds no files in the middle of a word
					return nil, noFiles
				}
				return prefixed(name(k)+"=", values), directive
			}
			names = append(names, cobra.CompletionWithDesc(name(k)+"=", k.Help))
		}
		return names, noFiles | cobra.ShellCompDirectiveNoSpace
	}
}

// axisNames are those of the keys that can have several values.
func axisNames() []string {
	var names []string
	for _, k := range study.Axes {
		names = append(names, cobra.CompletionWithDesc(k.Flag, k.Help))
	}
	return names
}

// presetNames are those of the built-in profiles, with the systems.
func presetNames() []string {
	var names []string
	for _, preset := range datasets.Presets() {
		system := ""
		if p, err := profile.Read(preset.YAML, preset.Name); err == nil {
			for _, note := range p.Provenance {
				if note.Key == "system" {
					system = note.Text
				}
			}
		}
		names = append(names, cobra.CompletionWithDesc(preset.Name, system))
	}
	return names
}
