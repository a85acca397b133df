package reproduce

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jitterfly/noise/profile"
)

// files005 returns files of a run as the authors' archive has them: a detour of 1 ms every 10 ms, and
// half round trips of 2 µs, one in four of 6 µs; the first begins the run.
func files005() map[string]string {
	detours := "# Benchmark Method: selfish\n# Selfish Benchmark\n"
	for i := range 100 {
		detours += fmt.Sprintf("%d.00\t1000000.00\n", i*10000000)
	}
	return map[string]string{
		detours005:   detours,
		latencies005: "#size\trtt\n" + strings.Repeat("1\t6.0\n1\t2.0\n1\t2.0\n1\t2.0\n", 300),
	}
}

func archive005(t *testing.T, files map[string]string) *Archive {
	t.Helper()
	dir := t.TempDir()
	run := filepath.Join(dir, "daint", "2022_05_19_13_03_39")
	if err := os.MkdirAll(run, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(run, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return NewArchive(dir)
}

// The trace and the latencies of an archive take the place of the preset's noise, none left out.
func TestArchive005(t *testing.T) {
	a := archive005(t, files005())
	preset := preset005("piz-daint")
	os, err := adapt005(preset, Study{Name: "os"}, a)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(os.Trace.Cores); n != 1 || len(os.Trace.Cores[0].Detours) != 100 ||
		len(os.OS) != 1 || os.OS[0].Kind != profile.Replay || *os.Network.Latency != 0.5e-6 {
		t.Errorf("%d cores, L %g, %+v", n, *os.Network.Latency, os.OS)
	}
	net, err := adapt005(preset, Study{Name: "net-large"}, a)
	if err != nil {
		t.Fatal(err)
	}
	// By their mean, 3 µs, they are scaled to L, 0.5 µs.
	n := net.Network
	if math.Abs(*n.Latency-2e-6/6) > 1e-9 ||
		math.Abs(n.Noise.Duration.Mean()-1e-6/6) > 1e-9 ||
		math.Abs(n.Noise.Duration.Most()-4e-6/6) > 1e-9 {
		t.Errorf("L %g, noise %+v", *n.Latency, n.Noise.Duration)
	}
	files := files005()
	files[detours005] += "1000000000.00\t500.00\n"
	if other, err := adapt005(preset, Study{Name: "os"}, archive005(t, files)); err != nil ||
		other.ID == os.ID {
		t.Errorf("another trace has the ID %s: %v", other.ID, err)
	}
	// Most trials of 32 ranks have one in a detour, which is longer than any of the preset.
	c := cell005{"piz-daint", "os", 32}
	if got := replica005(a, c, rule005{}, 50); got < 300e-6 || got > 3000e-6 {
		t.Errorf("the replica takes %g s", got)
	}
	c.noise = "net"
	if got := replica005(a, c, rule005{}, 50); got > 40e-6 {
		t.Errorf("the replica takes %g s without detours", got)
	}
}

func TestArchive005Errors(t *testing.T) {
	for want, change := range map[string]func(map[string]string){
		"ng_osnoise.out is missing; unpack daint/2022_05_19_13_03_39.tar.xz of the data there": func(
			f map[string]string) {
			delete(f, detours005)
		},
		"ng_netnoise_mpi_lat.out is missing":           func(f map[string]string) { delete(f, latencies005) },
		"has no latencies":                             func(f map[string]string) { f[latencies005] = f[detours005] },
		"has no detours":                               func(f map[string]string) { f[detours005] = f[latencies005] },
		"has only equal latencies":                     func(f map[string]string) { f[latencies005] = "#size\trtt\n1\t2\n1\t2\n" },
		"ng_osnoise.out:1: the file is empty; did the": func(f map[string]string) { f[detours005] = "" },
	} {
		files := files005()
		change(files)
		_, err := adapt005(preset005("piz-daint"), Study{Name: "os"}, archive005(t, files))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
