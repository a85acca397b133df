package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// What a shell offers for the words of a command line. A function of cobra's
// returns all that the word could be, and the shell keeps what begins with what is
// written of it.

const noFiles = cobra.ShellCompDirectiveNoFileComp

// completeFlag says what the values of a flag are.
func completeFlag(cmd *cobra.Command, name string, values cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(name, values); err != nil {
		panic(err) // the flag is not there, or has values already
	}
}

// completeRest says of all other flags of a command and of those below it that
// files are not what they name.
func completeRest(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if _, ok := cmd.GetFlagCompletionFunc(f.Name); !ok {
			completeFlag(cmd, f.Name, cobra.NoFileCompletions)
		}
	})
	if cmd.ValidArgsFunction == nil {
		cmd.ValidArgsFunction = cobra.NoFileCompletions
	}
	for _, c := range cmd.Commands() {
		completeRest(c)
	}
}

// oneOf offers words.
func oneOf(words ...string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) { return words, noFiles }
}

// listOf offers words for each place of a list.
func listOf(words ...string) cobra.CompletionFunc { return listFrom(oneOf(words...)) }

// listFrom makes of what offers one word what offers the next word of a list, which has
// none twice.
func listFrom(one cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, written string) ([]string, cobra.ShellCompDirective) {
		before, last := written[:strings.LastIndexByte(written, ',')+1], written[strings.LastIndexByte(written, ',')+1:]
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

// prefixed puts what stands before the words before them, but not before what is
// said to the person.
func prefixed(before string, words []string) []string {
	all := make([]string, len(words))
	for i, word := range words {
		if all[i] = word; !strings.HasPrefix(word, cobra.AppendActiveHelp(nil, "")[0]) {
			all[i] = before + word
		}
	}
	return all
}

// filesOf offers files by their endings.
func filesOf(endings ...string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return endings, cobra.ShellCompDirectiveFilterFileExt
	}
}

// anyFile offers files, and anyDirectory directories.
func anyFile(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveDefault
}

func anyDirectory(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// first offers something for the first argument, and nothing for others.
func first(argument cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, written string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, noFiles
		}
		return argument(cmd, args, written)
	}
}

// directoriesWith offers directories that have the file, down to two levels below
// what is written; if there are none, all directories.
func directoriesWith(file string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, written string) ([]string, cobra.ShellCompDirective) {
		var directories []string
		for _, below := range []string{"*", filepath.Join("*", "*")} {
			found, _ := filepath.Glob(literally(written) + filepath.Join(below, file)) // the pattern is well-formed
			for _, path := range found {
				directories = append(directories, strings.TrimSuffix(path, string(os.PathSeparator)+file))
			}
		}
		if len(directories) == 0 {
			return anyDirectory(cmd, args, written)
		}
		return directories, noFiles
	}
}

// literally is a pattern that matches the text alone.
func literally(text string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(text)
}
