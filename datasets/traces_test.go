package datasets

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"pgregory.net/rapid"

	"jitterfly/internal/tests"
	"jitterfly/noise"
)

// written is the bytes of a trace's file.
func written(t interface {
	Helper()
	Fatal(...any)
}, dir string, seen noise.Trace) []byte {
	t.Helper()
	path := filepath.Join(dir, "trace.parquet")
	tests.Must(WriteTrace(path, "1.2.3", seen))(t)
	return tests.Must(os.ReadFile(path))(t)
}

// oneDetour is a small trace.
var oneDetour = noise.Trace{Cores: []noise.Core{{
	ID: 2, Span: 2, Detours: []noise.Detour{{Start: 0.5, Length: 0.25}},
}}}

// drawTrace draws runs, also several on one core, without detours, or many.
func drawTrace(t *rapid.T) noise.Trace {
	seen := noise.Trace{Resolution: rapid.Float64Range(0, 1e-3).Draw(t, "resolution")}
	for range rapid.IntRange(1, 4).Draw(t, "runs") {
		var ds []noise.Detour
		now := 0.0
		for range rapid.IntRange(0, 10).Draw(t, "detours") {
			now += 1e-6 + float64(len(ds)%7)*1e-5
			ds = append(ds, noise.Detour{Start: now, Length: 1e-7})
			now += 1e-6
		}
		c, _, err := noise.NewCore(rapid.IntRange(0, 1000).Draw(t, "core"), now+1, ds)
		tests.NoError(t, err)
		seen.Cores = append(seen.Cores, c)
	}
	return seen
}

func equalTraces(a, b noise.Trace) bool {
	return cmp.Equal(a, b, cmp.Comparer(slices.Equal[[]noise.Detour]))
}

func TestTraceIsReadAsWritten(t *testing.T) {
	dir := t.TempDir()
	large := noise.Core{ID: 1, Span: 1e3}
	for i := range 100000 {
		large.Detours = append(large.Detours, noise.Detour{Start: float64(i) / 200, Length: 1e-6})
	}
	pages := noise.Trace{Cores: []noise.Core{large, {ID: 2, Span: 3}, large}}
	if got, err := DecodeTrace(written(t, dir, pages)); err != nil || !equalTraces(got, pages) {
		t.Fatalf("of many pages: read is not as written, %v", err)
	}
	rapid.Check(t, func(t *rapid.T) {
		want := drawTrace(t)
		content := written(t, dir, want)
		got := tests.Must(DecodeTrace(content))(t)
		if !equalTraces(got, want) {
			t.Fatal("read is not as written")
		}
		if !bytes.Equal(written(t, dir, got), content) {
			t.Fatal("other bytes of the same trace")
		}
	})
}

// Other readers see the columns that docs/format.md names.
func TestTraceIsParquet(t *testing.T) {
	content := written(t, t.TempDir(), noise.Trace{Resolution: 1e-7, Cores: []noise.Core{
		{ID: 4, Span: 1}, {ID: 2, Span: 2, Detours: []noise.Detour{{Start: 0.5, Length: 0.25}}}}})
	rows := tests.Must(parquet.Read[traceRow](bytes.NewReader(content), int64(len(content))))(t)
	if want := []traceRow{{Run: 1, Core: 2, Start: 0.5, Length: 0.25}}; !cmp.Equal(rows, want) {
		t.Error(tests.Diff(rows, want))
	}
	f := tests.Must(parquet.OpenFile(bytes.NewReader(content), int64(len(content))))(t)
	for key, want := range map[string]string{
		"jitterfly.version": "1.2.3", traceFormatKey: "1", traceResolutionKey: "1e-07",
		traceRunsKey: `[{"core":4,"span_s":1},{"core":2,"span_s":2}]`,
	} {
		if got, _ := f.Lookup(key); got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
}

// reseal gives the file of a trace the digest of its content, if it says to have one.
func reseal(content []byte) []byte {
	content = bytes.Clone(content)
	meta, err := readFooter(content)
	if err != nil {
		return content
	}
	_, _, sum, err := traceMetadata(meta.KeyValueMetadata)
	if at := bytes.LastIndex(content, []byte(sum)); err == nil && sum != "" && at >= 0 {
		copy(content[at:], noDigest)
		sealTrace(content)
	}
	return content
}

// Whichever bit is flipped, it is not the trace that was written.
func TestEveryBitOfATrace(t *testing.T) {
	good := written(t, t.TempDir(), oneDetour)
	for i := range 8 * len(good) {
		if _, err := DecodeTrace(tests.Flipped(good, i)); err == nil {
			t.Errorf("bit %d of byte %d makes no difference", i%8, i/8)
		}
	}
}

func TestTraceErrors(t *testing.T) {
	dir := t.TempDir()
	detourAt := func(start float64) []byte {
		detours := []noise.Detour{{Start: start, Length: 0.25}}
		return written(t, dir, noise.Trace{Cores: []noise.Core{{ID: 2, Span: 2, Detours: detours}}})
	}
	good := detourAt(0.5)
	replaced := func(old, with string) []byte {
		if !bytes.Contains(good, []byte(old)) {
			t.Fatalf("%q is not in the file", old)
		}
		return bytes.ReplaceAll(good, []byte(old), []byte(with))
	}
	// forged has the digest of what it is.
	forged := func(old, with string) []byte { return reseal(replaced(old, with)) }
	number := func(x float64) string {
		return string(binary.LittleEndian.AppendUint64(nil, math.Float64bits(x)))
	}
	for _, test := range []struct {
		name    string
		content []byte
		want    string
	}{
		{"empty", nil, "not a Parquet file"},
		{"cut", good[:len(good)-10], "not a Parquet file"},
		{"format", replaced("jitterfly.trace\x18\x011", "jitterfly.trace\x18\x012"),
			`a trace of format "2", and this program knows 1`},
		{"flipped bit", replaced(number(0.25), number(0.5)), "its digest is another"},
		{"no digest", replaced("jitterfly.sha256", "jitterfly.sha257"), "the digest is"},
		{"another table", replaced("jitterfly.trace", "jitterfly.chaos"),
			"not a trace of jitterfly"},
		{"column", forged("start_s", "stARt_s"), "does not have the columns of a trace"},
		{"beyond", detourAt(5), "end after the span"},
		{"before", detourAt(-5), "starts at -5 s"},
		{"page", forged(number(0.5), number(0.75)), "corrupted parquet page"},
		{"core", forged(`"core":2`, `"core":3`), "a detour of run 0 on core 2"},
		{"footer", append(append([]byte{}, good[:len(good)-8]...), "\xff\xff\xff\x7fPAR1"...),
			"footer of 2147483647 bytes"},
	} {
		tests.Fails(t, test.want, test.name)(DecodeTrace(test.content))
	}
	if _, err := WriteTrace(filepath.Join(dir, "none", "t.parquet"), "", noise.Trace{}); err == nil {
		t.Error("a trace was written where there is no directory")
	}
}

// A list that says to be longer than the file is refused before it is made.
func TestHostileLists(t *testing.T) {
	for _, header := range []string{
		"\x19\xfc\xff\xff\xff\xff\x07",         // a field: a list of 2³¹−1 structures
		"\x18\xff\xff\xff\xff\x07",             // a text
		"\x1c\x1c\x1c\x1c\x1c\x1c\x1c\x1c\x1c", // structures in each other, unfinished
		strings.Repeat("\x1c", 1000) + strings.Repeat("\x00", 1000),
		strings.Repeat("\x19\x1c", 1000) + strings.Repeat("\x00", 1000),
		"\x19\xfc\x80\x80\x08" + strings.Repeat("\x00", 1<<16), // fewer than it says
		strings.Repeat("\x19\x19", 1000) + "\x00",
		"\x1a\x00", "\x1b\x00", // a set, a map
		"\x29\x1c", // a list of one structure, unfinished
	} {
		for _, to := range []any{new(struct{}), new(format.FileMetaData), new(format.PageHeader)} {
			if rest, err := decodeThrift([]byte(header+"\x00"), to); err == nil {
				t.Errorf("%x is taken as %T, up to %x", header[:min(len(header), 9)], to, rest)
			}
		}
	}
	// What other versions of the format have is passed over.
	for _, header := range []string{
		"\x18\x02ab\x11\x12\x13\x01\x19\x31\x01\x02\x01", // a text, booleans, a number, a list of booleans
		"\x29\x3c\x00\x11\x00\x1c\x00\x00\x1c\x00",       // a list of structures, a structure
		strings.Repeat("\x1c", deepest-1) + strings.Repeat("\x00", deepest-1),
		strings.Repeat("\x19\x2c\x00", deepest-1) + strings.Repeat("\x00", deepest-1),
	} {
		rest, err := decodeThrift([]byte(header+"\x00rest"), new(struct{}))
		if err != nil || string(rest) != "rest" {
			t.Errorf("%x: %v, up to %q", header, err, rest)
		}
	}
}

// Many groups of rows that are the same bytes would make a small file a large trace.
func TestHostileGroups(t *testing.T) {
	core := noise.Core{ID: 2, Span: 200}
	for i := range 100 {
		core.Detours = append(core.Detours, noise.Detour{Start: float64(i), Length: 0.25})
	}
	good := written(t, t.TempDir(), noise.Trace{Cores: []noise.Core{core}})
	meta := tests.Must(readFooter(good))(t)
	group := meta.RowGroups[0]
	meta.RowGroups = nil
	for range 1000 {
		meta.RowGroups = append(meta.RowGroups, group)
	}
	hostile := withFooter(t, good, meta)
	most := int64(len(hostile) / traceRowSize)
	tests.Fails(t, fmt.Sprintf("at most %d are read", most))(DecodeTrace(reseal(hostile)))
}

// The library keeps the path of each element of a schema, and a list of groups of rows of each. So a footer
// of 1 MiB could take more memory than any machine has.
func TestHostileSchema(t *testing.T) {
	good := written(t, t.TempDir(), noise.Trace{Cores: []noise.Core{{ID: 1, Span: 1}}})
	deep, wide := tests.Must(readFooter(good))(t), tests.Must(readFooter(good))(t)
	deep.Schema[0].NumChildren.V = 1
	deep.Schema = append(slices.Repeat(deep.Schema[:1], 4000), deep.Schema[1])
	tests.Fails(t, "more than 2048 columns")(DecodeTimes(withFooter(t, good, deep)))
	wide.Schema[0].NumChildren.V = 2000
	wide.Schema = append(wide.Schema[:1], slices.Repeat(wide.Schema[1:2], 2000)...)
	wide.RowGroups = make([]format.RowGroup, 1<<14)
	tests.Fails(t, "its groups of rows lack columns")(DecodeTimes(withFooter(t, good, wide)))
}

// withFooter returns a Parquet file with another footer.
func withFooter(t *testing.T, file []byte, meta *format.FileMetaData) []byte {
	footer := tests.Must(thrift.Marshal(new(thrift.CompactProtocol), meta))(t)
	pages := len(file) - 8 - int(binary.LittleEndian.Uint32(file[len(file)-8:]))
	file = slices.Concat(file[:pages], footer)
	return append(binary.LittleEndian.AppendUint32(file, uint32(len(footer))), "PAR1"...)
}

func FuzzDecodeTrace(f *testing.F) {
	dir := f.TempDir()
	f.Add(written(f, dir, noise.Trace{Cores: []noise.Core{{ID: 1, Span: 1}}}))
	f.Add(written(f, dir, noise.Trace{Resolution: 1e-7, Cores: []noise.Core{
		{ID: 4, Span: 1}, {ID: 2, Span: 2,
			Detours: []noise.Detour{{Start: 0.5, Length: 0.25}, {Start: 1, Length: 0.5}}}}}))
	f.Fuzz(func(t *testing.T, content []byte) {
		seen, err := DecodeTrace(reseal(content))
		if err != nil {
			return
		}
		detours := 0
		for _, c := range seen.Cores {
			detours += len(c.Detours)
		}
		if detours*32 > len(content) {
			t.Errorf("%d detours from %d bytes", detours, len(content))
		}
		again, err := DecodeTrace(written(t, t.TempDir(), seen))
		if err != nil || !equalTraces(again, seen) {
			t.Errorf("is not read as it is written: %v", err)
		}
	})
}
