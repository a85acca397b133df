package results

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"jitterfly/datasets"
	"jitterfly/internal/tests"
)

// Of more configurations than can be shown the part is read that is asked for, and all are refused
// with what to do.
func TestReadSome(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "results")
	const n = 6
	d := tests.Must(datasets.Begin(dir, datasets.Plan{
		StudyHash: "0123456789abcdef", Configurations: n,
		Shards: []datasets.Shard{{Configurations: fmt.Sprintf("0-%d", n-1), Cost: 1}},
	}, nil, datasets.Extension{}))(t)
	c := d.Collect()
	for i := range n {
		c.Add(i, datasets.Record{Measures: []datasets.Measures{{Mean: float64(i)}}})
	}
	tests.NoError(t, d.Writable())
	tests.NoError(t, c.Flush(true))
	err := d.Finish(func(i int) datasets.Axes {
		a := datasets.Axes{ConfigID: fmt.Sprint(i), Ranks: int64(2 << (i % 3))}
		a.Latency = float64(i/3) * 1e-6
		return a
	})
	tests.NoError(t, err)
	for _, c := range []struct {
		where []string
		most  int
		want  string
	}{
		{nil, 6, "0 1 2 3 4 5"},
		{[]string{"ranks=4"}, 2, "1 4"},
		{[]string{"ranks=4,latency=1us"}, 1, "4"},
		{[]string{"ranks=4", "latency=1us"}, 1, "4"},
		{nil, 5, dir + ": 6 configurations are too many, a page shows 5 at most; keep some with --where"},
		{[]string{"ranks=4"}, 1, ": 2 configurations are too many"},
		{[]string{"ranks=4,latency=2us"}, 9, "--where: no configuration has latency=2us"},
	} {
		r, err := readSome(dir, c.where, "a page shows", c.most)
		got := fmt.Sprint(err)
		if err == nil {
			var ids []string
			for i, choice := range r.Choices {
				ids = append(ids, choice.ConfigID)
				if id := fmt.Sprint(r.Measures[i][0].Mean); id != choice.ConfigID {
					t.Errorf("configuration %s has the measures of %s", choice.ConfigID, id)
				}
			}
			got = strings.Join(ids, " ")
		}
		if !strings.Contains(got, c.want) || err == nil && got != c.want {
			t.Errorf("%q of at most %d: %s, want %s", c.where, c.most, got, c.want)
		}
	}
}
