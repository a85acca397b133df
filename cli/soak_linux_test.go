package cli

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"jitterfly/cli/internal/command"
	"jitterfly/internal/tests"
)

var (
	kills  = flag.Int("kills", 60, "how many processes TestKilledTogether kills")
	starts = flag.Int("starts", 4, "how often TestStartedTogether starts eight processes")
)

// Processes that plan, run, sweep and merge one study in one directory at the same time are
// killed at random moments. Those that end by themselves end well, and the tables of each
// directory that is finished are those of an undisturbed sweep.
func TestKilledTogether(t *testing.T) {
	tests.OnlyWhole(t, "TestKilled kills single processes")
	t.Parallel()
	want := reference(t)
	seed := uint64(time.Now().UnixNano())
	t.Log("seed", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	finished := 0
	for killed := 0; killed < *kills; finished++ {
		dir := filepath.Join(t.TempDir(), "results")
		killed += together(t, random, dir, *kills-killed)
		printed(t, append([]string{"sweep", "--quiet", "--out", dir}, small...)...)
		published(t, dir, want, true)
		printed(t, "cluster", "status", dir, "--read-data")
		if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 5 {
			t.Fatalf("left behind: %v", left)
		}
	}
	t.Logf("killed %d processes in %d directories", *kills, finished)
}

// together runs three processes at a time in a directory and kills them, until it has killed most of
// them or the study is finished. It returns how many it killed.
func together(t *testing.T, random *rand.Rand, dir string, most int) (killed int) {
	t.Helper()
	const shards = 3
	plan := append([]string{"cluster", "plan", "--quiet", "--shards", strconv.Itoa(shards), "--out", dir},
		small...)
	commands := [][]string{
		append([]string{"sweep", "--quiet", "--workers", "1", "--out", dir}, small...), plan,
		{"cluster", "merge", dir, "--quiet"},
	}
	for shard := range shards {
		commands = append(commands, []string{"cluster", "run", dir, "--quiet", "--shard", strconv.Itoa(shard)})
	}
	printed(t, plan...)
	for killed < most {
		patience := 20 * time.Millisecond << random.IntN(6)
		if _, err := os.Stat(filepath.Join(dir, "run.json")); err == nil {
			break
		}
		var group sync.WaitGroup
		results := make([]error, 3)
		for i := range results {
			args := commands[random.IntN(len(commands))]
			after := time.Duration(random.Int64N(int64(patience)))
			group.Go(func() { results[i] = killedAfter(t, after, args) })
		}
		group.Wait()
		for _, err := range results {
			if err != nil {
				killed++
			}
		}
	}
	return killed
}

// killedAfter runs a command and kills it after a time. It returns no error if the command ended
// before, which must be well, or because shards are missing.
func killedAfter(t *testing.T, after time.Duration, args []string) error {
	t.Helper()
	cmd := exec.Command("jitterfly", args...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Error(err)
		return nil
	}
	timer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	err := cmd.Wait()
	switch code := cmd.ProcessState.ExitCode(); {
	case code == -1: // by the signal
		return err
	case code != command.Done && code != command.Incomplete:
		t.Errorf("%s: exit %d, %s", strings.Join(args, " "), code, errs.String())
	}
	return nil
}

// Eight sweeps that start at the same time in a new directory all end well, with the tables of an
// undisturbed one; of two studies all of one end well, and the others are refused.
func TestStartedTogether(t *testing.T) {
	tests.OnlyWhole(t, "TestTwoPlansAtOnce starts two")
	t.Parallel()
	const sweeps = 8
	few := []string{"--ranks", "2,4", "--latency", "1us", "--trials", "2", "--keep-trials"}
	reference := filepath.Join(t.TempDir(), "reference")
	printed(t, append([]string{"sweep", "--quiet", "--out", reference}, few...)...)
	want := contents(t, reference)
	for start := range *starts {
		dir := filepath.Join(t.TempDir(), "results")
		codes := make([]int, sweeps)
		messages := make([]strings.Builder, sweeps)
		var group sync.WaitGroup
		for i := range sweeps {
			args := append([]string{"sweep", "--quiet", "--workers", "1", "--out", dir}, few...)
			if start%2 == 1 && i%2 == 1 {
				args = append(args, "--seed", "2")
			}
			group.Go(func() {
				cmd := exec.Command("jitterfly", args...)
				cmd.Stderr = &messages[i]
				_ = cmd.Run()
				codes[i] = cmd.ProcessState.ExitCode() // -1 unless it ran
			})
		}
		group.Wait()
		other := "results: holds another study"
		for i, code := range codes {
			switch {
			case code == command.Done && codes[i%2] == command.Done:
			case start%2 == 1 && code == command.Input && strings.Contains(messages[i].String(), other):
			default:
				t.Errorf("start %d, sweep %d: exit %d, %s", start, i, code, messages[i].String())
			}
		}
		if codes[0] == command.Done {
			published(t, dir, want, true)
		}
		if start%2 == 1 && (codes[0] == command.Done) == (codes[1] == command.Done) {
			t.Errorf("two studies in one directory end with %d and %d", codes[0], codes[1])
		}
		printed(t, "cluster", "status", dir, "--read-data")
	}
}

// contents returns the tables of a finished study by their names.
func contents(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	for _, name := range tables {
		all[name] = tests.Must(os.ReadFile(filepath.Join(dir, name)))(t)
	}
	return all
}
