package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"jitterfly/cli/internal/command"
)

// speedBound is the exit code of a command whose results would depend on the machine's speed.
const speedBound = 99

// untimed runs the program as [Main] does, without a limit of time for what it computes, so that its
// results are the same on every machine, unless the environment has TIMED. A command that sets a
// limit, and succeeds, exits with [speedBound].
func untimed(args, environ []string, out, errs io.Writer) int {
	if slices.ContainsFunc(environ, func(v string) bool { return strings.HasPrefix(v, "TIMED=") }) {
		return Main(args, environ, out, errs)
	}
	args, limited := withoutLimit(args)
	code := Main(args, environ, out, errs)
	if limited && code == command.Done {
		_, _ = io.WriteString(errs, "--time: what is tested must not depend on the machine's speed\n")
		return speedBound
	}
	return code
}

// withoutLimit returns the arguments with --time 0 if they are of a command that computes for as long
// as --time allows; limited reports whether they have another --time already. A dry run computes
// nothing.
func withoutLimit(args []string) (without []string, limited bool) {
	cmd, _, err := newRoot(nil, io.Discard, io.Discard).Find(args)
	if err != nil || slices.Contains(args, "--dry-run") {
		return args, false
	}
	if flag := cmd.Flags().Lookup("time"); flag == nil || flag.Value.Type() != "duration" {
		return args, false
	}
	if i := slices.IndexFunc(args, func(a string) bool { return strings.HasPrefix(a, "--time") }); i >= 0 {
		value, joined := strings.CutPrefix(args[i], "--time=")
		if !joined && i+1 < len(args) {
			value = args[i+1]
		}
		return args, value != "0"
	}
	return append(slices.Clone(args), "--time", "0"), false
}

// withoutCache leaves the program no directory for a cache, so that nothing that another test, or
// another build, has computed is used.
func withoutCache(t *testing.T) {
	t.Helper()
	t.Setenv("HOME", "")
	t.Setenv("XDG_CACHE_HOME", "")
	if dir, err := os.UserCacheDir(); err == nil {
		t.Fatalf("there is a cache in %s", dir)
	}
}

// Commands that could take as long as the machine is slow get no limit of time; those with a limit
// that succeed are reported.
func TestUntimed(t *testing.T) {
	for args, want := range map[string]string{
		"choose --ranks 8":              "choose --ranks 8 --time 0",
		"attribute a.yaml":              "attribute a.yaml --time 0",
		"choose --ranks 8 --time=0":     "choose --ranks 8 --time=0",
		"sweep --ranks 8":               "sweep --ranks 8",
		"choose --dry-run":              "choose --dry-run",
		"choose --time 5m --ranks 8":    "limited",
		"attribute --time=1s --ranks 8": "limited",
	} {
		got, limited := withoutLimit(strings.Fields(args))
		if text := strings.Join(got, " "); limited != (want == "limited") || !limited && text != want {
			t.Errorf("%s: %s, limited %t", args, text, limited)
		}
	}
	withoutCache(t)
	var out, errs bytes.Buffer
	for limit, want := range map[string]int{"0": command.Done, "1h": speedBound} {
		args := []string{"choose", "--ranks", "4", "--trials", "3", "--quiet", "--time", limit}
		if code := untimed(args, nil, &out, &errs); code != want {
			t.Errorf("--time %s: exit %d, want %d: %s", limit, code, want, errs.String())
		}
	}
}

// runUntimed runs a command in this process, as [untimed] does, and returns what it prints.
func runUntimed(t *testing.T, args []string) string {
	t.Helper()
	args, limited := withoutLimit(args)
	if limited {
		t.Errorf("%s: what it prints depends on the machine's speed; bound it by --effort", args)
	}
	return printed(t, args...)
}

// ran runs a command in this process, and returns its exit code, and what it prints and says. It fails if
// that takes as long as nothing does that ends.
func ran(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	var out, errs bytes.Buffer
	code = run(ctx, args, nil, &out, &errs)
	if ctx.Err() != nil {
		t.Fatalf("%v does not end", args)
	}
	return code, out.String(), errs.String()
}

// printed returns what a command prints, which must succeed.
func printed(t *testing.T, args ...string) string {
	t.Helper()
	code, stdout, stderr := ran(t, args...)
	if code != command.Done {
		t.Fatalf("%s: exit %d, %s", args, code, stderr)
	}
	return stdout
}
