// Package command has what all commands share: the words that complete a command line, the keys of a
// study as flags, and exit codes.
package command

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
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
	all := make([]string, len(words))
	for i, word := range words {
		if all[i] = word; !strings.HasPrefix(word, cobra.AppendActiveHelp(nil, "")[0]) {
			all[i] = before + word
		}
	}
	return all
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
		for _, path := range found {
			directories = append(directories, filepath.Dir(path))
		}
	}
	return directories
}

// literally returns a pattern that matches only the text.
func literally(text string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(text)
}
