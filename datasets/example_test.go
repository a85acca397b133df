package datasets_test

import (
	"fmt"
	"os"

	"jitterfly/datasets"
)

// A study of two configurations in one shard is planned, computed, finished and
// read.
func Example() {
	path, err := os.MkdirTemp("", "results")
	check(err)
	defer func() { _ = os.RemoveAll(path) }()

	d, err := datasets.Begin(path, datasets.Plan{
		Version: "example", StudyHash: "0123456789abcdef", Configurations: 2,
		Shards: []datasets.Shard{{Configurations: "0-1", Cost: 1}},
	}, nil, datasets.Extension{})
	check(err)
	_, err = d.Load(-1)
	check(err)
	check(d.Writable())

	c := d.Collect()
	for config := range 2 {
		c.Add(config, datasets.Record{
			Pick:     datasets.Pick{Star: 1},
			Measures: []datasets.Measures{{Mean: 2e-6}, {Redundancy: 1, Mean: 1e-6}},
		})
	}
	check(c.Flush(true))
	check(d.Finish(func(config int) datasets.Axes {
		return datasets.Axes{ConfigID: fmt.Sprint(config), Ranks: 64 << config}
	}))

	r, err := datasets.OpenResults(path)
	check(err)
	check(r.Each(func(_ int, choice *datasets.ChoiceRow, measures []datasets.Measures) error {
		_, err := fmt.Printf("%d ranks: T* = %d, %g s\n", choice.Ranks, choice.Star, measures[choice.Star].Mean)
		return err
	}))
	// Output:
	// 64 ranks: T* = 1, 1e-06 s
	// 128 ranks: T* = 1, 1e-06 s
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
