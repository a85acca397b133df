// Package command has what all commands share: the words that complete a command line, the keys of a
// study as flags, and exit codes.
package command

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"jitterfly/cli/internal/output"
	"jitterfly/cli/study"
	"jitterfly/datasets"
	"jitterfly/internal/units"
	"jitterfly/internal/vector"
	"jitterfly/noise"
	"jitterfly/noise/profile"
)

// NoFiles keeps the shell from offering files.
const NoFiles = cobra.ShellCompDirectiveNoFileComp

// Complete sets what the shell offers for the values of a flag. It panics if the flag does not
// exist or is set already.
func Complete(cmd *cobra.Command, name string, values cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(name, values); err != nil {
		panic(err)
	}
}

// Rest sets that the shell offers no files for all other flags and arguments of a command
// and of those below it.
func Rest(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if _, ok := cmd.GetFlagCompletionFunc(f.Name); !ok {
			Complete(cmd, f.Name, cobra.NoFileCompletions)
		}
	})
	if cmd.ValidArgsFunction == nil {
		cmd.ValidArgsFunction = cobra.NoFileCompletions
	}
	for _, c := range cmd.Commands() {
		Rest(c)
	}
}

// OneOf offers the words.
func OneOf(words ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(words, NoFiles)
}

// ListOf offers the words for each element of a list.
func ListOf(words ...string) cobra.CompletionFunc { return listFrom(OneOf(words...)) }

// listFrom returns a function that offers the next element of a list, without elements that the
// list has already. The elements are what one offers.
func listFrom(one cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, written string,
	) ([]string, cobra.ShellCompDirective) {
		at := strings.LastIndexByte(written, ',') + 1
		before, last := written[:at], written[at:]
		offered, directive := one(cmd, args, last)
		if before == "" {
			return offered, directive
		}
		given := strings.Split(before, ",")
		offered = slices.DeleteFunc(slices.Clone(offered), func(word string) bool {
			word, _, _ = strings.Cut(word, "\t")
			return slices.Contains(given, word)
		})
		return prefixed(before, offered), directive
	}
}

// prefixed returns the words with the text before each, except for help texts.
func prefixed(before string, words []string) []string {
	return vector.Each(words, func(word string) string {
		if strings.HasPrefix(word, cobra.AppendActiveHelp(nil, "")[0]) {
			return word
		}
		return before + word
	})
}

// FilesOf offers files with the endings.
func FilesOf(endings ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(endings, cobra.ShellCompDirectiveFilterFileExt)
}

// AnyFile offers files, and AnyDirectory directories.
var (
	AnyFile      = cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault)
	AnyDirectory = cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)
)

// First offers what argument does for the first n arguments, and nothing for others.
func First(n int, argument cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, written string,
	) ([]string, cobra.ShellCompDirective) {
		if len(args) >= n {
			return nil, NoFiles
		}
		return argument(cmd, args, written)
	}
}

// DirectoriesWith offers directories that have the file, up to two levels below what is written,
// and all directories if none match.
func DirectoriesWith(file string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, written string,
	) ([]string, cobra.ShellCompDirective) {
		directories := Directories(written, file)
		if len(directories) == 0 {
			return AnyDirectory(cmd, args, written)
		}
		return directories, NoFiles
	}
}

// Directories returns the directories that have the file, up to two levels below what is written.
func Directories(written, file string) (directories []string) {
	for _, below := range []string{"*", filepath.Join("*", "*")} {
		// Glob fails only if the pattern is malformed, which this one is not.
		found, _ := filepath.Glob(literally(written) + filepath.Join(below, file))
		directories = append(directories, vector.Each(found, filepath.Dir)...)
	}
	return directories
}

// literally returns a pattern that matches only the text.
func literally(text string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(text)
}

// Flags returns the flags of a command, which help has in the order of their definitions.
func Flags(cmd *cobra.Command) *pflag.FlagSet {
	f := cmd.Flags()
	f.SortFlags = false
	return f
}

// parsed is the value of a flag that a function reads.
type parsed struct {
	text, kind string
	read       func(text string) error
}

// Set implements [pflag.Value].
func (p *parsed) Set(text string) error {
	p.text = text
	return p.read(text)
}

// String implements [pflag.Value].
func (p *parsed) String() string { return p.text }

// Type implements [pflag.Value].
func (p *parsed) Type() string { return p.kind }

// Parsed defines a flag whose value a function reads if it is given. Errors of the function are after the
// name of the flag. Help has the default.
func Parsed(f *pflag.FlagSet, name, by, usage string, read func(text string) error) {
	f.Var(&parsed{by, "string", read}, name, usage)
}

// Share defines a flag for a share, which may be written in per cent: 0.5% or 0.005.
func Share(f *pflag.FlagSet, to *float64, name string, by float64, usage string) {
	*to = by
	f.Var(&parsed{output.Level(by), "share", func(text string) (err error) {
		*to, err = units.Parse(units.Number, text)
		return err
	}}, name, usage)
}

// Choice defines a flag whose value is one of some names, and what the shell offers for it.
func Choice(cmd *cobra.Command, to *string, name, by, usage string, names []string) {
	*to = by
	Parsed(cmd.Flags(), name, by, usage+": "+strings.Join(names, ", "), func(text string) error {
		if !slices.Contains(names, text) {
			return output.Unknown(text, names)
		}
		*to = text
		return nil
	})
	Complete(cmd, name, OneOf(names...))
}

// Format defines --format of a command, which prints a table by default.
func Format(cmd *cobra.Command, to *string, of string, names []string) {
	Choice(cmd, to, "format", "table", of, names)
}

// Study adds --set and the flags of all keys to a command, for an input that has the defaults of its help,
// and sets what the shell offers for them and for the argument, a study file. The input reads the flags, and
// before the command runs the file in the argument, if any. Help leaves out keys that have no effect on the
// command, which are in study files that it reads.
func Study(cmd *cobra.Command, in *study.Input, unused ...*study.Key) {
	in.Flags, in.Name = cmd.Flags(), cmp.Or(in.Name, cmd.Name()+".yaml") // of nothing
	cmd.PreRunE = func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return in.ReadFile(args[0])
	}
	cmd.ValidArgsFunction = First(1, FilesOf(study.Extensions...))
	cmd.Flags().StringArrayVar(&in.Set, "set", nil, "set any key of the study: `key=value`")
	study.Flags(cmd.Flags(), in.Defaults)
	for _, k := range study.Keys {
		Complete(cmd, k.Flag, valuesOf(k, in.Defaults))
	}
	for _, k := range unused {
		cmd.Flags().Lookup(k.Flag).Hidden = true
	}
	Complete(cmd, "set", assignments(study.Keys, func(k *study.Key) string { return k.Path }, in.Defaults))
}

// valuesOf offers the values of a key, or a help text with its default if they are not words.
func valuesOf(k *study.Key, defaults map[string]string) cobra.CompletionFunc {
	one := func(cmd *cobra.Command, args []string, written string,
	) ([]string, cobra.ShellCompDirective) {
		offered := slices.Concat(k.Names, slices.Sorted(maps.Keys(k.Aliases)), k.Examples)
		if k == study.NoiseProfile {
			offered = append(offered, Presets()...)
		}
		if k.Files != nil {
			for _, ending := range k.Files {
				found, _ := filepath.Glob(literally(written) + "*." + ending) // the pattern is well-formed
				offered = append(offered, found...)
			}
			fits := func(word string) bool { return strings.HasPrefix(word, written) }
			if !slices.ContainsFunc(offered, fits) {
				return FilesOf(k.Files...)(cmd, args, written)
			}
		}
		if k.Whole || k.Names == nil {
			offered = cobra.AppendActiveHelp(offered, k.Help+" ["+cmp.Or(defaults[k.Path], k.Default)+"]")
		}
		return offered, NoFiles
	}
	if k.Column == "" {
		return one
	}
	return listFrom(one)
}

// assignments offers key=value: first the keys, then the values of the key. The function
// name returns what a key is called.
func assignments(
	keys []*study.Key, name func(*study.Key) string, defaults map[string]string,
) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, written string,
	) ([]string, cobra.ShellCompDirective) {
		var names []string
		for _, k := range keys {
			if value, ok := strings.CutPrefix(written, name(k)+"="); ok {
				values, directive := valuesOf(k, defaults)(cmd, args, value)
				if directive != NoFiles { // a shell finds no files in the middle of a word
					return nil, NoFiles
				}
				return prefixed(name(k)+"=", values), directive
			}
			names = append(names, cobra.CompletionWithDesc(name(k)+"=", k.Help))
		}
		return names, NoFiles | cobra.ShellCompDirectiveNoSpace
	}
}

// Where defines a flag for conditions axis=value that configurations meet, offered by the flags of keys.
func Where(cmd *cobra.Command, to *[]string, name, configurations string) {
	cmd.Flags().StringArrayVar(to, name, nil, "only "+configurations+" where `axis=value`")
	Complete(cmd, name, assignments(study.Axes, func(k *study.Key) string { return k.Flag }, nil))
}

// Axes returns the flags of the keys that can have several values.
func Axes() []string {
	return vector.Each(study.Axes, func(k *study.Key) string { return cobra.CompletionWithDesc(k.Flag, k.Help) })
}

// Presets returns the names of the built-in profiles, with their systems.
func Presets() []string {
	return vector.Each(datasets.Presets(), func(preset datasets.Preset) string {
		system := ""
		p, _ := profile.Read(preset.YAML, preset.Name) // what is embedded is a profile
		for _, note := range p.Provenance {
			if note.Key == "system" {
				system = note.Text
			}
		}
		return cobra.CompletionWithDesc(preset.Name, system)
	})
}

// Noise returns the profile that --noise names, and its OS noise with a start. It prints a remark if the
// profile is edited.
func Noise(name string, start noise.Start, errs io.Writer) (m study.Measured, os noise.OS, err error) {
	if m, err = study.FindProfile(name); err == nil {
		if note := m.EditedNote(name); note != "" {
			output.Remark(errs, "--noise: %s", note)
		}
		os, err = m.Jitter(start, profile.Groups{}, m.Traces)
	}
	if err != nil {
		err = fmt.Errorf("--noise: %w", err)
	}
	return m, os, err
}

// Applications returns the names of the ready applications, with what they are.
func Applications() []string {
	return vector.Each(datasets.Applications(), func(a datasets.Preset) string {
		return cobra.CompletionWithDesc(a.Name, a.About())
	})
}
