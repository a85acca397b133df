package datasets

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"jitterfly/internal/tests"
)

// Any truncation and any turned bit of a part is found, and what it had is missing.
func TestDamagedParts(t *testing.T) {
	dir := t.TempDir()
	d := open(t, dir, 4, 1)
	collect(t, d, count(4), never)
	path := filepath.Join(dir, partsDir, d.entries[0].part.name)
	sound := tests.Must(os.ReadFile(path))(t)
	for at := 0; at < len(sound); at += 97 {
		for _, damaged := range [][]byte{tests.Flipped(sound, 8*at+at%8), sound[:at]} {
			tests.NoError(t, os.WriteFile(path, damaged, 0o666))
			d := tests.Must(Open(dir))(t)
			passedOver, err := d.Load(-1)
			if err != nil || len(passedOver) != 1 || !strings.Contains(passedOver[0].Error(),
				path+": damaged") || d.Has(0) {
				t.Fatalf("damage at %d of %d bytes: %v, %v", at, len(sound), passedOver, err)
			}
		}
	}
	tests.NoError(t, os.WriteFile(path, sound, 0o666))
	d = open(t, dir, 4, 1)

	// nor does what happens between two readings go unseen
	tests.NoError(t, os.WriteFile(path, tests.Flipped(sound, 8*(len(sound)-20)+2), 0o666))
	tests.Fails(t, path+": configuration 3: damaged")(d.Finish(axesOf))
}

// Sound parts that are not for this place are passed over: of another plan, of
// another shard.
func TestPartsOfOthers(t *testing.T) {
	dir := t.TempDir()
	d := open(t, dir, 4, 2)
	for want, content := range map[string][]byte{
		"of another plan": packPart(strings.Repeat("0", 64), []packed{{}}),
		"has configuration 1, which is not of shard 0": packPart(d.plan.Digest,
			[]packed{{slot: slot{Config: 1}}}),
		"has configuration 16777216, which is not of shard 0": packPart(d.plan.Digest,
			[]packed{{slot: slot{Config: -1}}}),
		"says to have 3 records":    packPart(d.plan.Digest, make([]packed, 3)),
		"not a part of this format": []byte("PAR1"),
	} {
		name := filepath.Join(dir, partsDir, partName(0, digest(content)))
		tests.NoError(t, os.WriteFile(name, content, 0o666))
		passedOver, err := d.Load(0)
		if err != nil || len(passedOver) != 1 || !strings.Contains(passedOver[0].Error(), want) {
			t.Errorf("%s: %v, %v", want, passedOver, err)
		}
		tests.NoError(t, os.Remove(name))
	}
}

// A record survives a part, with every bit of its numbers.
func TestPack(t *testing.T) {
	r := example(7)
	r.Pick.Warning, r.Pick.Objective, r.Measures[1].Max = "unsure", math.Inf(1), math.Copysign(0,
		-1)
	r.Measures[2].Messages = math.Float64frombits(0x7ff8000000000001)
	var back Record
	tests.NoError(t, back.unpack(pack(nil, reflect.ValueOf(r))))
	if a, b := math.Float64bits(back.Measures[2].Messages), math.Float64bits(r.Measures[2].Messages); a != b {
		t.Errorf("a NaN became %x", a)
	}
	r.Measures[2].Messages, back.Measures[2].Messages = 0, 0
	if diff := tests.Diff(r, back, cmpopts.EquateEmpty()); diff != "" || !math.Signbit(back.Measures[1].Max) {
		t.Error(diff)
	}
}

// No bytes make a record's reader panic, or use more memory than some times theirs;
// what is read is written as the same bytes.
func FuzzRecord(f *testing.F) {
	f.Add([]byte{})
	f.Add(pack(nil, reflect.ValueOf(example(1))))
	f.Add(bytes.Repeat([]byte{255}, 100))
	f.Fuzz(func(t *testing.T, content []byte) {
		var r Record
		if err := r.unpack(content); err != nil {
			return
		}
		if n := len(r.Measures)*int(reflect.TypeFor[Measures]().Size()) + 8*len(r.Completion); n > 2*len(content) {
			t.Errorf("%d bytes became %d", len(content), n)
		}
		if !bytes.Equal(pack(nil, reflect.ValueOf(r)), content) {
			t.Error("written again it is another")
		}
		_, _ = r.Summaries(Axes{}), r.Trials("")
	})
}

// No part makes the reader of its entries panic, and all of them are inside it.
func FuzzPart(f *testing.F) {
	plan := strings.Repeat("0", 64)
	f.Add(packPart(plan, []packed{{slot{Config: 3, Size: 3}, []byte{1, 2, 3}},
		{slot: slot{Config: 4, State: AtBound, Trials: 7}}}))
	f.Add([]byte(partMagic + plan))
	f.Fuzz(func(t *testing.T, content []byte) {
		entries, err := readEntries(bytes.NewReader(content), &part{}, int64(len(content)),
			&Plan{Digest: plan}, 1000)
		if err != nil {
			return
		}
		for _, e := range entries {
			if e.config < 0 || e.size < 0 || e.at+e.size > int64(len(content)) {
				t.Errorf("an entry outside the part: %+v", e)
			}
		}
	})
}

// A part that is not sealed is replaced by the next one, which has its records too.
func TestOpenPartsAreReplaced(t *testing.T) {
	dir := t.TempDir()
	d := open(t, dir, 12, 2)
	c := d.Collect()
	partsAfter := func(want int, seal bool) {
		t.Helper()
		tests.NoError(t, c.Flush(seal))
		files, err := os.ReadDir(d.partsPath())
		if err != nil || len(files) != want {
			t.Errorf("%d parts, want %d (%v)", len(files), want, err)
		}
		if damaged, err := Verify(dir, true); err != nil || len(damaged) > 0 {
			t.Error(damaged, err)
		}
	}
	c.Add(0, example(0)) // of shard 0
	partsAfter(1, false)
	c.Add(1, example(1)) // of shard 1
	partsAfter(2, false)
	c.Add(2, Record{State: Interrupted, Kept: NewKept([]float64{1, 2, 3}, []float64{0, 0, 0})})
	partsAfter(2, false)
	if d.Has(2) || d.KeptTrials(2) != 3 {
		t.Errorf("of configuration 2 there are %d trials", d.KeptTrials(2))
	}
	c.Add(2, example(2))
	partsAfter(2, true)
	partsAfter(2, true)
	for config := 3; config < 12; config++ {
		c.Add(config, example(config))
		if config == 11 {
			partsAfter(4, true)
		} else if err := c.Flush(false); err != nil {
			t.Fatal(err)
		}
	}
	if c.Size() != 0 {
		t.Errorf("%d bytes are left", c.Size())
	}
	for _, d := range []*Dir{d, open(t, dir, 12, 2)} {
		if missing := d.Missing(); len(missing) > 0 {
			t.Fatalf("shards %s lack configurations", missing)
		}
	}
	tests.NoError(t, d.Finish(axesOf))
}

// Whoever reads the parts finds those that replace the ones that it has seen.
func TestPartsReplacedWhileRead(t *testing.T) {
	dir := t.TempDir()
	d := open(t, dir, 4, 1)
	c := d.Collect()
	add := func(configs ...int) {
		t.Helper()
		for _, config := range configs {
			c.Add(config, example(config))
			tests.NoError(t, c.Flush(false))
		}
	}
	add(0, 1, 2)
	other := open(t, dir, 4, 1) // has seen the third part
	collect(t, other, []int{3}, never)
	add(3)
	tests.NoError(t, other.Finish(axesOf))
	if _, err := readResults(dir); err != nil {
		t.Error(err)
	}
}
