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
//
// The last part of each shard is open: the next flush writes it again with what has come
// since, and then removes it. So records can be written often without parts becoming many. A
// part that is sealed stays.
type Collector struct {
	dir     *Dir
	open    map[int]packed  // records of the open parts, by configuration
	changed map[int32]bool  // shards that have records since the last flush
	parts   map[int32]*part // the open parts that are written, by shard
	size    int
}

// Collect returns a collector of the directory's records.
func (d *Dir) Collect() *Collector {
	return &Collector{
		dir: d, open: map[int]packed{}, changed: map[int32]bool{}, parts: map[int32]*part{},
	}
}

// Add takes the record of a configuration, in place of one that it has already.
func (c *Collector) Add(config int, r Record) {
	p := packed{content: pack(nil, reflect.ValueOf(r)), state: r.State, trials: r.Kept.Trials}
	c.size += len(p.content) - len(c.open[config].content)
	c.open[config] = p
	c.changed[c.dir.owners[config]] = true
}

// Size returns the number of bytes of the records that the next flush writes.
func (c *Collector) Size() int { return c.size }

// Flush writes the records that are not written yet, a part for each shard, and seals the parts if
// asked to. After an error the records that could not be written remain. If another process has
// finished the study it writes none.
func (c *Collector) Flush(seal bool) error {
	if len(c.changed) > 0 && c.dir.finishedElsewhere() {
		return nil
	}
	shards := map[int32][]int{}
	for _, config := range slices.Sorted(maps.Keys(c.open)) {
		shard := c.dir.owners[config]
		shards[shard] = append(shards[shard], config)
	}
	for _, shard := range slices.Sorted(maps.Keys(shards)) {
		if c.changed[shard] {
			if err := c.write(shard, shards[shard]); err != nil {
				if errors.Is(err, fs.ErrNotExist) && c.dir.finishedElsewhere() {
					return nil
				}
				return brief(err)
			}
		}
		if seal {
			c.seal(shard, shards[shard])
		}
	}
	return nil
}

// write writes the open part of a shard, and adds its entries to the directory's.
func (c *Collector) write(shard int32, configs []int) error {
	records := make([]packed, len(configs))
	for i, config := range configs {
		records[i] = c.open[config]
	}
	content := packPart(c.dir.plan.Digest, configs, records)
	p := &part{shard: int(shard), name: partName(int(shard), digest(content))}
	path := filepath.Join(c.dir.partsPath(), p.name)
	if err := writeContent(c.dir.disk, path, content); err != nil {
		return err
	}
	at := int64(partHead + entrySize*len(configs))
	for i, config := range configs {
		r := records[i]
		size := int64(len(r.content))
		c.dir.entries[config] = entry{config: int32(config), size: size, sum: checksum(r.content),
			state: int8(r.state), trials: int32(r.trials), part: p, at: at, complete: r.state != Interrupted}
		at += size
	}
	if old := c.parts[shard]; old != nil && old.name != p.name {
		// If it stays it is only read in vain.
		_ = c.dir.disk.remove(filepath.Join(c.dir.partsPath(), old.name))
	}
	c.parts[shard] = p
	delete(c.changed, shard)
	return nil
}

// seal lets the open part of a shard stay.
func (c *Collector) seal(shard int32, configs []int) {
	for _, config := range configs {
		c.size -= len(c.open[config].content)
		delete(c.open, config)
	}
	delete(c.parts, shard)
}
