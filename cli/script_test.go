package cli

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"jitterfly/cli/internal/command"
	"jitterfly/datasets"
	"jitterfly/internal/rng"
	"jitterfly/internal/tests"
	"jitterfly/noise"
	"jitterfly/program"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"jitterfly": func() { os.Exit(untimed(os.Args[1:], os.Environ(), os.Stdout, os.Stderr)) },
	})
}

// The command line is tested by the scripts in testdata/script; each says in
// its first line what it shows. Their studies have 30 trials unless they say otherwise; those
// that add trials until choices are certain begin with env JITTERFLY_TRIALS=. Nothing that they
// print is too wide, but in those that set COLUMNS. What is computed has no time limit, unless a
// script sets TIMED. After [!whole] stop is what runs only if tests run whole.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		UpdateScripts:       *tests.Update,
		Setup: func(env *testscript.Env) error {
			env.Setenv("JITTERFLY_TRIALS", "30")
			env.Setenv("COLUMNS", "1000")
			env.Values[testKey{}] = env.T()
			env.Setenv("XDG_CACHE_HOME", filepath.Join(env.WorkDir, ".cache"))
			return nil
		},
		Condition: func(name string) (bool, error) {
			if name != "whole" {
				return false, fmt.Errorf("no condition is named %s", name)
			}
			return tests.Whole() || *tests.Update, nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code":    code,
			"measure": measure,
			"waitfor": waitFor,
			"damage":  damage,
			"older":   older,
			"inputs":  inputs,
			"rows":    rows,
			"trace":   readTrace,

			"otherbuild":    otherBuild,
			"maketrace":     makeTrace,
			"makerecording": makeRecording,
		},
	})
}

// code N ARG... runs jitterfly and checks that it exits with N, and with one line on stderr
// if N is not 0. Lines that name damaged parts are not counted.
func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: code N ARG...")
	}
	err := ts.Exec("jitterfly", args[1:]...)
	got := "0"
	if err != nil {
		got = strings.TrimPrefix(err.Error(), "exit status ")
	}
	if got != args[0] {
		ts.Fatalf("exit %s, want %s", got, args[0])
	}
	stderr := ts.ReadFile("stderr")
	passedOver := strings.Count(stderr, "configurations are computed again unless")
	if got != "0" && strings.Count(stderr, "\n")-passedOver != 1 {
		ts.Fatalf("the error is not one line:\n%s", stderr)
	}
}

// testKey is the key of a script's test.
type testKey struct{}

// measure ARG... measures this machine for a moment. If other programs take its processors, the script
// ends.
func measure(ts *testscript.TestScript, _ bool, args []string) {
	args = append([]string{"measure", "--duration", tests.Part("200ms", "50ms"), "--allow-busy"}, args...)
	if err := ts.Exec("jitterfly", args...); err != nil {
		skipIfBusy(ts.Value(testKey{}).(testscript.T), ts.ReadFile("stderr"))
		ts.Fatalf("%v", err)
	}
}

// waitfor GLOB waits until a file exists that matches.
func waitFor(ts *testscript.TestScript, _ bool, args []string) {
	for range 6000 {
		names, err := filepath.Glob(ts.MkAbs(args[0]))
		ts.Check(err)
		if len(names) > 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	ts.Fatalf("%s does not appear", args[0])
}

// otherbuild FILE writes a program that does the same as jitterfly and is another build.
func otherBuild(ts *testscript.TestScript, _ bool, args []string) {
	path, err := os.Executable()
	ts.Check(err)
	program, err := os.ReadFile(path)
	ts.Check(err)
	file := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(filepath.Dir(file), 0o777))
	ts.Check(os.WriteFile(file, append(program, 0), 0o777))
}

// damage GLOB inverts one bit of the first file that matches.
func damage(ts *testscript.TestScript, _ bool, args []string) {
	names, err := filepath.Glob(ts.MkAbs(args[0]))
	ts.Check(err)
	if len(names) == 0 {
		ts.Fatalf("nothing matches %s", args[0])
	}
	content, err := os.ReadFile(names[0])
	ts.Check(err)
	content[len(content)/2] ^= 1
	ts.Check(os.WriteFile(names[0], content, 0o666))
}

// older DIR COLUMN makes a finished study that of a build that had another name for a column of its
// choices: the table and its digests fit each other.
func older(ts *testscript.TestScript, _ bool, args []string) {
	table := filepath.Join(ts.MkAbs(args[0]), "choice.parquet")
	content, err := os.ReadFile(table)
	ts.Check(err)
	column := []byte(args[1])
	if !bytes.Contains(content, column) {
		ts.Fatalf("%s has no column %s", table, column)
	}
	renamed := bytes.ReplaceAll(content, column, bytes.Repeat([]byte("x"), len(column)))
	ts.Check(os.WriteFile(table, renamed, 0o666))

	name := filepath.Join(ts.MkAbs(args[0]), datasets.RunFile)
	run := ts.ReadFile(name)
	sum := func(b []byte) string { return fmt.Sprintf("%x", sha256.Sum256(b)) }
	run = strings.Replace(run, sum(content), sum(renamed), 1)
	digest := regexp.MustCompile(`"digest": "(\w+)"`).FindStringSubmatch(run)[1]
	var open bytes.Buffer
	ts.Check(json.Compact(&open, []byte(strings.Replace(run, digest, "", 1))))
	ts.Check(os.WriteFile(name, []byte(strings.Replace(run, digest, sum(open.Bytes()), 1)), 0o666))
}

// inputs DIR NAME sets a variable to the folder of the inputs in the directory of a plan.
func inputs(ts *testscript.TestScript, _ bool, args []string) {
	folders, err := filepath.Glob(filepath.Join(ts.MkAbs(args[0]), datasets.InputsDir, "*"))
	ts.Check(err)
	if len(folders) != 1 {
		ts.Fatalf("%s has inputs in %d folders, want one", args[0], len(folders))
	}
	ts.Setenv(args[1], folders[0])
}

// rows FILE N checks how many rows a table of a finished study has.
func rows(ts *testscript.TestScript, _ bool, args []string) {
	dir, name := filepath.Split(args[0])
	r, err := datasets.OpenResults(ts.MkAbs(dir))
	ts.Check(err)
	ts.Check(r.Read(func(*datasets.ChoiceRow) bool { return true }))
	n := 0
	switch name {
	case "choice.parquet":
		n = len(r.Choices)
	case "summary.parquet":
		for _, of := range r.Measures {
			n += len(of)
		}
	case "trials.parquet":
		ts.Check(r.Trials(func(_, _ int, completions []float64) { n += len(completions) }))
	default:
		ts.Fatalf("%s is no table of a study", args[0])
	}
	if got := fmt.Sprint(n); got != args[1] {
		ts.Fatalf("%s has %s rows, want %s", args[0], got, args[1])
	}
}

// maketrace FILE writes a trace of two detours.
func makeTrace(ts *testscript.TestScript, _ bool, args []string) {
	detours := []noise.Detour{{Start: 0.1, Length: 1e-5}, {Start: 0.7, Length: 1e-4}}
	core, _, err := noise.NewCore(0, 1, detours)
	ts.Check(err)
	two := noise.Trace{Resolution: 1e-7, Cores: []noise.Core{core}}
	_, err = datasets.WriteTrace(ts.MkAbs(args[0]), "test", two)
	ts.Check(err)
}

// trace FILE checks that a file is a trace.
func readTrace(ts *testscript.TestScript, _ bool, args []string) {
	seen, err := datasets.DecodeTrace([]byte(ts.ReadFile(args[0])))
	ts.Check(err)
	if len(seen.Cores) == 0 || seen.Resolution <= 0 {
		ts.Fatalf("%s has %d cores and a resolution of %g s", args[0], len(seen.Cores), seen.Resolution)
	}
}

// makerecording DIR RANKS ITERATIONS COMPUTE IMBALANCE [KILLED [PROCESSORS]] records a program whose ranks
// compute for COMPUTE ns with a random IMBALANCE, of which rank 3 has twice as much, and then call
// an allreduce of 8 B that takes 20 µs after the last has arrived. Every tenth time a barrier
// follows at once. There are four ranks on a node, whose clocks differ. The rank KILLED stops half
// way, if it is not -1. The ranks of a node may use as many PROCESSORS, if that is known.
func makeRecording(ts *testscript.TestScript, _ bool, args []string) {
	var numbers []int
	for _, a := range args[1:] {
		n, err := strconv.Atoi(a)
		ts.Check(err)
		numbers = append(numbers, n)
	}
	numbers = append(numbers, []int{-1, 0}[len(numbers)-4:]...)
	dir := ts.MkAbs(args[0])
	ts.Check(record(dir, numbers[0], numbers[1], float64(numbers[2]), float64(numbers[3]), numbers[4],
		numbers[5]))
}

// record is makerecording; killed is -1 if no rank is, and processors 0 if unknown.
func record(dir string, ranks, iterations int, compute, imbalance float64, killed, processors int) error {
	writers, clock := make([]*tests.CallWriter, ranks), make([]uint64, ranks)
	for r := range writers {
		w := tests.NewCallWriter(r, ranks, fmt.Sprintf("node%02d", r/4), 4, uint32(processors))
		clock[r] = uint64(1e9 * (1 + r/4))
		w.Clock(clock[r], 1e9-int64(clock[r]), 200)
		w.Site(1, "/opt/app/bin/solver", "dot_product", 0x4711)
		w.Site(2, "/opt/app/bin/solver", "", 0x8800)
		w.Communicator(0, r, 1, tests.WorldMembers(ranks))
		writers[r] = w
	}
	now := make([]float64, ranks)
	for i := range iterations {
		enter, last := make([]float64, ranks), 0.0
		for r := range ranks {
			share := 1.0
			if r == 3 {
				share = 2
			}
			draw := rng.NewKey(1, "recording").Derive(uint64(i)).Derive(uint64(r)).Uniform(0)
			enter[r] = now[r] + compute + imbalance*(2*draw+share-1)
			last = max(last, enter[r])
		}
		for r, w := range writers {
			now[r] = last + 20e3
			if r == killed && 2*i >= iterations {
				continue
			}
			at := func(t float64) uint64 { return clock[r] + uint64(t) }
			w.Events(tests.CallEvent{Entry: at(enter[r]), Exit: at(now[r]), Bytes: 8, Site: 1,
				Kind: uint8(program.Allreduce)})
			if i%10 == 9 {
				w.Events(tests.CallEvent{Entry: at(now[r]), Exit: at(now[r] + 5e3), Site: 2,
					Kind: uint8(program.Barrier)})
				now[r] += 5e3
			}
		}
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for r, w := range writers {
		if r != killed {
			w.Clock(clock[r]+uint64(now[r]), 1e9-int64(clock[r]), 300)
			w.End(0)
		}
		if err := w.Write(dir); err != nil {
			return err
		}
	}
	return nil
}

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
