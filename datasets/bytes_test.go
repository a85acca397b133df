package datasets

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"jitterfly/internal/tests"
	"jitterfly/noise"
)

// sameBytesFile has the digests of the columns of the files that writeForBytes writes, and of what is
// in them besides columns. They change with the encoding of a column, the version of Parquet's or
// Zstandard's library, and the columns themselves. They must not change with the processor, nor with
// -tags purego. -update writes them.
const sameBytesFile = "testdata/same-bytes.txt"

// The tables and traces have the same bytes whatever instructions the processor has: the test runs
// itself again with fewer of them.
func TestSameBytesOnEveryProcessor(t *testing.T) {
	dir := t.TempDir()
	writeForBytes(t, dir)
	var lines []string
	for _, name := range []string{summaryFile, choiceFile, trialsFile, "trace.parquet"} {
		lines = append(lines, columnDigests(t, dir, name)...)
	}
	tests.Golden(t, sameBytesFile, []byte(strings.Join(lines, "\n")+"\n"))
	if *tests.Update || runtime.GOARCH != "amd64" || strings.Contains(os.Getenv("GODEBUG"), "cpu.") {
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

// columnDigests returns a line with the digest of each column of a Parquet file, and one of all that
// is not in a column, without the meanings of the columns, which are prose.
func columnDigests(t *testing.T, dir, name string) (lines []string) {
	t.Helper()
	content := tests.Must(os.ReadFile(filepath.Join(dir, name)))(t)
	f := tests.Must(parquet.OpenFile(bytes.NewReader(content), int64(len(content))))(t)
	columns := f.Schema().Columns()
	parts := make([][]byte, len(columns))
	rest := slices.Clone(content)
	for _, group := range f.Metadata().RowGroups {
		for i := range group.Columns {
			m := &group.Columns[i].MetaData
			begin := m.DataPageOffset
			if m.DictionaryPageOffset > 0 {
				begin = min(begin, m.DictionaryPageOffset)
			}
			end := begin + m.TotalCompressedSize
			parts[i] = append(parts[i], content[begin:end]...)
			clear(rest[begin:end])
		}
	}
	line := func(what string, of []byte) {
		lines = append(lines, fmt.Sprintf("%s %s %.16s", name, what, digest(of)))
	}
	for i, path := range columns {
		line(strings.Join(path, "."), parts[i])
	}
	metadata := *f.Metadata()
	metadata.KeyValueMetadata = slices.DeleteFunc(slices.Clone(metadata.KeyValueMetadata),
		func(kv format.KeyValue) bool { return kv.Key == columnsKey })
	footer := tests.Must(json.Marshal(metadata))(t)
	end := len(rest) - 8 // the length of the footer, and PAR1
	end -= int(binary.LittleEndian.Uint32(rest[end:]))
	line("(the rest)", append(rest[:end], footer...))
	return lines
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
	tests.NoError(t, c.Flush(true))
	tests.NoError(t, d.Finish(func(i int) Axes { return axes[i] }))
	var detours []noise.Detour
	for i := range 3000 {
		detours = append(detours, noise.Detour{Start: float64(i) * 1e-3,
			Length: random.Float64() * 9e-4})
	}
	core, _, err := noise.NewCore(3, 3, detours)
	tests.NoError(t, err)
	seen := noise.Trace{Resolution: 1e-7, Cores: []noise.Core{core}}
	tests.Must(WriteTrace(filepath.Join(dir, "trace.parquet"), "test", seen))(t)
}
