package cli

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"jitterfly/cli/internal/command"
	"jitterfly/cli/sweep"
	"jitterfly/datasets"
	"jitterfly/internal/tests"
)

// small is a study of twenty configurations, each a moment's work.
var small = []string{"--ranks", "2^1..2^10", "--latency", "1us,100ns", "--os-duration", "10us",
	"--trials", "100", "--keep-trials"}

var tables = []string{"summary.parquet", "choice.parquet", "trials.parquet"}

// reference are the tables of an undisturbed sweep of the small study.
func reference(t *testing.T) map[string][]byte {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "reference")
	printed(t, append([]string{"sweep", "--quiet", "--out", dir}, small...)...)
	return contents(t, dir)
}

// published checks that no table is there that is not the reference's, and with all
// that every one is there.
func published(t *testing.T, dir string, want map[string][]byte, all bool) {
	t.Helper()
	for _, name := range tables {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if !all && errors.Is(err, os.ErrNotExist) {
			continue
		}
		tests.NoError(t, err)
		if !bytes.Equal(got, want[name]) {
			t.Fatalf("%s differs from that of an undisturbed sweep", name)
		}
	}
}

// completed counts the configurations that a directory has, and checks that all of its
// parts are sound.
func completed(t *testing.T, dir string) int {
	t.Helper()
	n := 0
	for _, p := range progressOf(t, dir) {
		n += p.Done
	}
	return n
}

func progressOf(t *testing.T, dir string) []datasets.Progress {
	t.Helper()
	d := tests.Must(datasets.Open(dir))(t)
	passedOver, err := d.Load(sweep.All)
	if err != nil || len(passedOver) > 0 {
		t.Fatal(err, passedOver)
	}
	return d.Progress()
}

// killings run a command again and again and kill it at random moments, later and later,
// until it is too late; between checks what is left.
func killings(t *testing.T, random *rand.Rand, between func(), args ...string) (kills int) {
	t.Helper()
	for most := 5 * time.Millisecond; ; most += most / 5 {
		if killedAfter(t, time.Duration(random.Int64N(int64(most))), args) == nil {
			return kills
		}
		kills++
		between()
	}
}

// A process killed at any moment loses what it had not written and nothing else, and
// leaves nothing behind that is taken for a result.
func TestKilled(t *testing.T) {
	t.Parallel()
	want := reference(t)
	dir := filepath.Join(t.TempDir(), "results")
	seed := uint64(time.Now().UnixNano())
	t.Log("seed", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	plan := append([]string{"cluster", "plan", "--quiet", "--shards", "5", "--out", dir}, small...)
	kills := killings(t, random, func() {
		if _, err := os.Stat(filepath.Join(dir, "plan.json")); err == nil {
			completed(t, dir)
		}
	}, plan...)
	before := 0
	for shard := range 5 {
		kills += killings(t, random, func() {
			now := completed(t, dir)
			if now < before {
				t.Fatalf("of %d configurations %d are left", before, now)
			}
			before = now
		}, "cluster", "run", dir, "--shard", fmt.Sprint(shard))
		if progressOf(t, dir)[shard].Missing() > 0 {
			t.Fatalf("shard %d has ended and is not complete", shard)
		}
	}
	kills += killings(t, random, func() {
		_, err := os.Stat(filepath.Join(dir, "run.json"))
		published(t, dir, want, err == nil)
	}, "cluster", "merge", dir)
	printed(t, "cluster", "merge", dir)
	published(t, dir, want, true)
	t.Log("killed", kills, "times")
}

// tmpfs mounts a small file system, if this process may.
func tmpfs(t *testing.T, options string) string {
	t.Helper()
	disk := t.TempDir()
	err := syscall.Mount("jitterfly-test", disk, "tmpfs", 0, options)
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EACCES) {
		t.Skip("mounting a small file system needs privileges: ", err)
	}
	tests.NoError(t, err)
	t.Cleanup(func() {
		if err := whenIdle(func() error { return syscall.Unmount(disk, 0) }); err != nil {
			t.Error(err)
		}
	})
	return disk
}

// remount changes how a small file system is mounted.
func remount(t *testing.T, disk string, flags uintptr, options string) {
	t.Helper()
	tests.NoError(t, whenIdle(func() error {
		return syscall.Mount("jitterfly-test", disk, "tmpfs", syscall.MS_REMOUNT|flags, options)
	}))
}

// whenIdle repeats a change  of a file system while it is busy: a process that another test starts has the
// files that are open here until it runs its program.
func whenIdle(change func() error) (err error) {
	for wait := time.Millisecond; wait < 10*time.Second; wait *= 2 {
		if err = change(); !errors.Is(err, syscall.EBUSY) {
			break
		}
		time.Sleep(wait)
	}
	return err
}

// A full disk ends a sweep with one line and loses nothing that was complete:
// when there is room again, the same command finishes it.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	want := reference(t)
	disk := tmpfs(t, "size=96k")
	ballast, dir := filepath.Join(disk, "ballast"), filepath.Join(disk, "results")
	tests.NoError(t, os.WriteFile(ballast, make([]byte, 80<<10), 0o666))
	sweep := append([]string{"sweep", "--quiet", "--out", dir}, small...)
	refused(t, "no space left on device", sweep...)
	published(t, dir, nil, false)
	tests.NoError(t, os.Remove(ballast))
	remount(t, disk, 0, "size=4m")
	printed(t, sweep...)
	published(t, dir, want, true)
}

// refused runs a command  and checks that it fails with one line that has a text.
func refused(t *testing.T, text string, args ...string) {
	t.Helper()
	code, _, stderr := ran(t, args...)
	if code != command.Failed || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, text) {
		t.Fatalf("%s: exit %d, %q; want a line with %q", strings.Join(args, " "), code, stderr, text)
	}
}

// In a directory that became read-only nothing is computed in vain, and nothing lost.
func TestReadOnlyDirectory(t *testing.T) {
	t.Parallel()
	want := reference(t)
	disk := tmpfs(t, "size=16m")
	dir := filepath.Join(disk, "results")
	printed(t, append([]string{"cluster", "plan", "--quiet", "--shards", "2", "--out", dir}, small...)...)
	printed(t, "cluster", "run", dir, "--shard", "0", "--quiet")
	remount(t, disk, syscall.MS_RDONLY, "")
	refused(t, "read-only file system", "cluster", "run", dir, "--shard", "1", "--quiet")
	other := []string{"cluster", "plan", "--shards", "2", "--out", filepath.Join(disk, "other")}
	refused(t, "read-only file system", append(other, small...)...)
	printed(t, "cluster", "status", dir)
	remount(t, disk, 0, "")
	printed(t, "cluster", "run", dir, "--shard", "1", "--quiet")
	remount(t, disk, syscall.MS_RDONLY, "")
	refused(t, "read-only file system", "cluster", "merge", dir, "--quiet")
	remount(t, disk, 0, "")
	printed(t, "cluster", "merge", dir, "--quiet")
	published(t, dir, want, true)
}

// Where files can be made and not renamed nothing is computed in vain, and nothing lost.
func TestRenameFails(t *testing.T) {
	t.Parallel()
	want := reference(t)
	dir := filepath.Join(t.TempDir(), "results")
	printed(t, append([]string{"cluster", "plan", "--quiet", "--shards", "2", "--out", dir}, small...)...)
	printed(t, "cluster", "run", dir, "--shard", "0", "--quiet")
	appendOnly(t, filepath.Join(dir, "parts"), true)
	refused(t, "operation not permitted", "cluster", "run", dir, "--shard", "1", "--quiet")
	appendOnly(t, filepath.Join(dir, "parts"), false)
	printed(t, "cluster", "run", dir, "--shard", "1", "--quiet")
	appendOnly(t, dir, true)
	refused(t, "operation not permitted", "cluster", "merge", dir, "--quiet")
	published(t, dir, want, false)
	appendOnly(t, dir, false)
	printed(t, "cluster", "merge", dir, "--quiet")
	published(t, dir, want, true)
	if left, _ := filepath.Glob(filepath.Join(dir, "*.tmp")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// appendFlag is FS_APPEND_FL of linux/fs.h.
const appendFlag = 0x20

// appendOnly sets or clears the attribute of a directory whose files can be made, but
// neither renamed nor removed.
func appendOnly(t *testing.T, dir string, on bool) {
	t.Helper()
	f, err := os.Open(dir)
	if errors.Is(err, os.ErrNotExist) && !on { // it was parts/, which is done with
		return
	}
	tests.NoError(t, err)
	defer func() { _ = f.Close() }()
	flags, err := unix.IoctlGetInt(int(f.Fd()), unix.FS_IOC_GETFLAGS)
	if err == nil {
		flags &^= appendFlag
		if on {
			flags |= appendFlag
		}
		err = unix.IoctlSetPointerInt(int(f.Fd()), unix.FS_IOC_SETFLAGS, flags)
	}
	if err != nil {
		t.Skip("no attribute keeps this file system from renaming: ", err)
	}
	if on {
		t.Cleanup(func() { appendOnly(t, dir, false) })
	}
}

// Signals to stop, also repeated ones as schedulers send them, have a run write what is
// complete; it goes on from there.
func TestStopped(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "results")
	printed(t, "cluster", "plan", "--quiet", "--assume", "paper", "--ranks", "2,2^17", "--latency", "1us",
		"--os-duration", "10us", "--trials", "10000", "--shards", "1", "--out", dir)
	for _, signals := range [][]os.Signal{
		slices.Repeat([]os.Signal{syscall.SIGTERM}, 10),
		slices.Repeat([]os.Signal{syscall.SIGUSR1, syscall.SIGTERM}, 5), {os.Interrupt},
	} {
		for wait := 250 * time.Millisecond; ; wait *= 2 {
			code, err := stopped(t, dir, wait, signals)
			n := completed(t, dir)
			if wait < time.Minute && (code == -1 || code == command.Stopped && n == 0) {
				continue // -1: before the program caught signals
			}
			if code != command.Stopped {
				t.Errorf("%v: %v", signals, err)
			}
			if n != 1 {
				t.Errorf("%v: %d configurations are there, want the small one", signals, n)
			}
			break
		}
	}
}

// stopped runs a study with one worker, sends it signals after a time, and returns its exit code.
// A busy machine needs longer until it begins and has a result.
func stopped(t *testing.T, dir string, wait time.Duration, signals []os.Signal) (int, error) {
	t.Helper()
	cmd := exec.Command("jitterfly", "cluster", "run", dir, "--quiet", "--workers", "1")
	cmd.Env = append(os.Environ(), "SGE_TASK_ID=1")
	tests.NoError(t, cmd.Start())
	time.Sleep(wait)
	for _, s := range signals {
		_ = cmd.Process.Signal(s) // it may have ended
		time.Sleep(500 * time.Microsecond)
	}
	err := cmd.Wait()
	return cmd.ProcessState.ExitCode(), err
}

// No time that a file has, before or after the others, changes what is done.
func TestClockJumps(t *testing.T) {
	t.Parallel()
	want := reference(t)
	dir := filepath.Join(t.TempDir(), "results")
	printed(t, append([]string{"cluster", "plan", "--quiet", "--shards", "4", "--out", dir}, small...)...)
	for shard := range 4 {
		printed(t, "cluster", "run", dir, "--shard", fmt.Sprint(shard), "--quiet")
		at := time.Date([]int{1971, 2100, 1990, 2037}[shard], 1, 1, 0, 0, 0, 0, time.UTC)
		err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
			return errors.Join(err, os.Chtimes(path, at, at))
		})
		tests.NoError(t, err)
		before := completed(t, dir)
		printed(t, "cluster", "run", dir, "--shard", fmt.Sprint(shard), "--quiet")
		if now := completed(t, dir); now != before {
			t.Errorf("%d configurations were %d", now, before)
		}
	}
	printed(t, "cluster", "merge", dir, "--quiet")
	published(t, dir, want, true)
}

// An interrupt ends a measurement, and what was measured until then is written. A
// busy machine needs longer until a measurement begins.
func TestMeasureInterrupted(t *testing.T) {
	t.Parallel()
	for wait := 250 * time.Millisecond; ; wait *= 2 {
		path := filepath.Join(t.TempDir(), "early.parquet")
		var out, errs bytes.Buffer
		cmd := exec.Command("jitterfly", "measure", "--duration", "1000s", "--allow-busy",
			"--out", path)
		cmd.Stdout, cmd.Stderr = &out, &errs
		tests.NoError(t, cmd.Start())
		time.Sleep(wait)
		tests.NoError(t, cmd.Process.Signal(os.Interrupt))
		_ = cmd.Wait()
		code := cmd.ProcessState.ExitCode()
		early := strings.Contains(errs.String(), "stopped before anything was measured")
		begun := out.Len() > 0 || code != command.Stopped
		if wait < time.Minute && (code == -1 || early || !begun) {
			continue // -1: before the program caught signals
		}
		skipIfBusy(t, errs.String())
		if code != command.Stopped || !strings.HasPrefix(out.String(), "Noise of cores") {
			t.Fatalf("exit %d, want %d; it says\n%s%s", code, command.Stopped, out.String(), errs.String())
		}
		want := regexp.MustCompile(
			`(?m)^jitterfly: stopped by a signal; .*early.parquet has the .* until then$`)
		if !want.MatchString(errs.String()) {
			t.Errorf("it says\n%s", errs.String())
		}
		content := tests.Must(os.ReadFile(path))(t)
		if seen, err := datasets.DecodeTrace(content); err != nil || len(seen.Cores) == 0 {
			t.Errorf("%d cores, %v", len(seen.Cores), err)
		}
		return
	}
}
