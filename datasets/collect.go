package datasets

import (
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
)

// A Collector takes records in any order and writes them as parts. It is not safe for
// concurrent use.
type Collector struct {
	dir     *Dir
	waiting map[int]packed // by configuration
	size    int
}

// Collect returns a collector of the directory's records.
func (d *Dir) Collect() *Collector {
	return &Collector{dir: d, waiting: map[int]packed{}}
}

// Add takes the record of a configuration.
func (c *Collector) Add(config int, r Record) {
	p := packed{content: pack(nil, reflect.ValueOf(r)), state: r.State, trials: r.Kept.Trials}
	c.waiting[config] = p
	c.size += len(p.content)
}

// Size returns the number of bytes that are not written yet.
func (c *Collector) Size() int { return c.size }

// Flush writes the records that are not written yet, a part for each shard. After an
// error those that could not be written remain. If another process has finished the study it
// writes none.
func (c *Collector) Flush() error {
	if len(c.waiting) > 0 && c.dir.finishedElsewhere() {
		return nil
	}
	shards := map[int32][]int{}
	for _, config := range slices.Sorted(maps.Keys(c.waiting)) {
		shard := c.dir.owners[config]
		shards[shard] = append(shards[shard], config)
	}
	for _, shard := range slices.Sorted(maps.Keys(shards)) {
		if err := c.write(int(shard), shards[shard]); err != nil {
			if errors.Is(err, fs.ErrNotExist) && c.dir.finishedElsewhere() {
				return nil
			}
			return brief(err)
		}
	}
	return nil
}

// write writes the records of some configurations of a shard as a part, and adds its
// entries to the directory's.
func (c *Collector) write(shard int, configs []int) error {
	records := make([]packed, len(configs))
	for i, config := range configs {
		records[i] = c.waiting[config]
	}
	content := packPart(c.dir.plan.Digest, configs, records)
	p := &part{shard: shard, name: partName(shard, digest(content))}
	path := filepath.Join(c.dir.partsPath(), p.name)
	if err := writeContent(c.dir.disk, path, content); err != nil {
		return err
	}
	at := int64(partHead + entrySize*len(configs))
	for i, config := range configs {
		r := records[i]
		size := len(r.content)
		c.dir.take(entry{config: config, size: int64(size), sum: checksum(r.content),
			state: r.state, trials: r.trials, part: p, at: at, complete: r.state != Interrupted})
		at += int64(size)
		c.size -= size
		delete(c.waiting, config)
	}
	return nil
}
