package datasets

import (
	"os"
	"testing"

	"jitterfly/internal/tests"
)

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
