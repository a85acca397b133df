package datasets

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"jitterfly/noise/trace"
)

// sameBytes are the digests of the files that writeForBytes writes. They change
// with the encoding of a column, the version of Parquet's or Zstandard's library,
// and the columns themselves. They must not change with the processor, nor with
// -tags purego.
var sameBytes = map[string]string{
	summaryFile:     "1325852b6202bd8f21200b372d22b3de1f9c6e031ec2c90930cb943aef235ce8",
	choiceFile:      "6182de9b3d9e5309ac2f394304cb5b9a5822c243279679106c4a329d56bb11bd",
	trialsFile:      "c80fc2f2564829ca002db95be9cde7cd800b3177273f1e245f574302ce12a05f",
	"trace.parquet": "6c616a954abbe4c8b38f2ef900ed14cdc59ae6d63734d1ed8eb8411c7aa79851",
}

// The tables and traces have the same bytes whatever instructions the processor
// has: the test runs itself again with fewer of them.
func TestSameBytesOnEveryProcessor(t *testing.T) {
	dir := t.TempDir()
	writeForBytes(t, dir)
	for _, name := range []string{summaryFile, choiceFile, trialsFile, "trace.parquet"} {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if got := digest(content); got != sameBytes[name] {
			t.Errorf("%s with GODEBUG=%q: the digest is %s, want %s", name, os.Getenv("GODEBUG"),
				got, sameBytes[name])
		}
	}
	if runtime.GOARCH != "amd64" || strings.Contains(os.Getenv("GODEBUG"), "cpu.") {
		return
	}
	for _, off := range []string{"cpu.avx512f=off", "cpu.avx512f=off,cpu.avx2=off", "cpu.all=off"} {
		again := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
		again.Env = append(os.Environ(), "GODEBUG="+off)
		if out, err := again.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}
}

// writeForBytes writes the tables of a study and a trace into a directory. Strings
// repeat in runs of many lengths, and numbers are zeros of either sign, not
// numbers, tiny and huge.
func writeForBytes(t *testing.T, dir string) {
	const n = 400
	random := rand.New(rand.NewPCG(1, 2))
	number := func() float64 {
		switch random.IntN(20) {
		case 0:
			return math.Copysign(0, -1)
		case 1:
			return 0
		case 2:
			return math.NaN()
		}
		return math.Ldexp(random.Float64()-0.5, random.IntN(60)-30)
	}
	axes := make([]Axes, n)
	for i := range axes {
		name := fmt.Sprint("name", random.IntN(3))
		axes[i] = Axes{
			ConfigID: fmt.Sprintf("%016x",
				random.Uint64()), Collective: name, Ranks: random.Int64(),
			Latency: number(), Bandwidth: number(), NoiseProfile: strings.Repeat("x",
				i/7), Topology: fmt.Sprint(i / 4),
		}
	}
	d := open(t, dir, n, 1)
	c := d.Collect()
	for i := range n {
		r := Record{Pick: Pick{Star: int64(i), Objective: number(), ByName: axes[i/2].Collective,
			Warning: axes[i].Collective}}
		trials := 1 + random.IntN(16)
		redundancies := 1 + random.IntN(16)
		for range redundancies {
			r.Measures = append(r.Measures, Measures{
				Trials: int64(trials), StopReason: axes[i].Collective, Mean: number(), P99: number(),
			})
		}
		for range redundancies * trials {
			r.Completion = append(r.Completion, number())
		}
		c.Add(i, r)
	}
	if err := c.Flush(true); err != nil {
		t.Fatal(err)
	}
	if err := d.Finish(func(i int) Axes { return axes[i] }); err != nil {
		t.Fatal(err)
	}
	var detours []trace.Detour
	for i := range 3000 {
		detours = append(detours, trace.Detour{Start: float64(i) * 1e-3,
			Length: random.Float64() * 9e-4})
	}
	core, _, err := trace.NewCore(3, 3, detours)
	if err != nil {
		t.Fatal(err)
	}
	seen := trace.Trace{Resolution: 1e-7, Cores: []trace.Core{core}}
	if _, err := WriteTrace(filepath.Join(dir, "trace.parquet"), "test", seen); err != nil {
		t.Fatal(err)
	}
}
