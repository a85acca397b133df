package datasets

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"jitterfly/internal/units"
)

// Load reads the entries of the parts of a shard, or of all shards if it is negative.
// It returns an error for each part that is damaged or of another plan; such a part
// is not used, and stays until the study has finished.
func (d *Dir) Load(shard int) (passedOver []error, err error) {
	sizes := make([]int, len(d.plan.Shards))
	for _, owner := range d.plan.owners {
		sizes[owner]++
	}
	replaced := true // whether a part has vanished after it was found
	for try := 0; replaced && try < maxLoads; try++ {
		files, err := d.disk.list(d.partsPath())
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, brief(err)
		}
		passedOver, replaced = nil, false
		for _, file := range files {
			p, ok := parsePartName(file.Name())
			if !ok || p.shard >= len(sizes) || shard >= 0 && p.shard != shard {
				continue
			}
			entries, err := readPart(d.partsPath(), p, d.plan, sizes[p.shard])
			if err == nil {
				err = d.takeAll(entries)
			}
			if errors.Is(err, fs.ErrNotExist) {
				replaced = true
			} else if err != nil {
				passedOver = append(passedOver,
					fmt.Errorf("%s: %w; its configurations are computed again unless other parts have them",
						filepath.Join(d.partsPath(), p.name), Unnamed(err)))
			}
		}
	}
	return passedOver, nil
}

// maxLoads is how many times the parts are read anew because another process has replaced one
// of them meanwhile, which happens at most about once a second.
const maxLoads = 10

// takeAll takes the entries of a part. It fails if one is not of its shard.
func (d *Dir) takeAll(entries []entry) error {
	for _, e := range entries {
		if int(e.config) >= len(d.plan.owners) || int(d.plan.owners[e.config]) != e.part.shard {
			return fmt.Errorf("has configuration %d, which is not of shard %d", e.config,
				e.part.shard)
		}
	}
	for _, e := range entries {
		if e.better(&d.entries[e.config]) {
			d.entries[e.config] = e
		}
	}
	return nil
}

// Has reports whether the directory has the record of a configuration.
func (d *Dir) Has(config int) bool { return d.Finished() || d.entries[config].complete }

// Kept returns the trials of a configuration that are kept to continue from.
func (d *Dir) Kept(config int) (Kept, error) {
	e := d.entries[config]
	if e.part == nil || e.trials == 0 {
		return Kept{}, nil
	}
	parts := newPartReader(d.partsPath())
	defer parts.close()
	r, err := parts.read(e)
	if err != nil {
		return Kept{}, err
	}
	return r.Kept, nil
}

// KeptTrials returns how many trials of a configuration are kept to continue from.
func (d *Dir) KeptTrials(config int) int { return int(d.entries[config].trials) }

// A Progress has the number of computed configurations of a shard, and of all its configurations.
type Progress struct{ Done, Total int }

// Missing returns the number of configurations that are not computed.
func (p Progress) Missing() int { return p.Total - p.Done }

// Progress returns the progress of every shard.
func (d *Dir) Progress() []Progress {
	shards := make([]Progress, len(d.plan.Shards))
	for config, owner := range d.plan.owners {
		shards[owner].Total++
		if d.Has(config) {
			shards[owner].Done++
		}
	}
	return shards
}

// Missing returns the numbers of the shards that are not complete.
func (d *Dir) Missing() units.Indexes {
	var missing units.Indexes
	for shard, p := range d.Progress() {
		if p.Missing() > 0 {
			missing = append(missing, shard)
		}
	}
	return missing
}

// Incomplete is the error of finishing a directory that lacks configurations.
type Incomplete struct {
	Path           string
	Shards         units.Indexes
	Configurations Progress
}

func (i Incomplete) Error() string {
	return fmt.Sprintf(
		"%s: has %d of %d configurations; run the shards that are missing, %s, and merge again",
		i.Path, i.Configurations.Done, i.Configurations.Total, i.Shards)
}

// Finish merges the records into the tables. It fails with [Incomplete] if one is missing. The
// tables appear one by one, each whole; until the last is there the parts remain, and Finish can be
// repeated. It succeeds if another process has finished the same study meanwhile.
func (d *Dir) Finish(axes func(config int) Axes) error {
	if d.Finished() {
		return d.Clean()
	}
	err := d.finish(axes)
	for range maxLoads {
		if !errors.Is(err, fs.ErrNotExist) || d.finishedElsewhere() {
			break
		}
		// Another process that computes the same has replaced a part.
		clear(d.entries)
		if _, err = d.Load(-1); err == nil {
			err = d.finish(axes)
		}
	}
	if err != nil && !d.finishedElsewhere() {
		return err
	}
	return d.clean()
}

// finish writes the tables and run.json.
func (d *Dir) finish(axes func(config int) Axes) error {
	if missing := d.Missing(); len(missing) > 0 {
		incomplete := Incomplete{d.path, missing, Progress{0, len(d.entries)}}
		for _, p := range d.Progress() {
			incomplete.Configurations.Done += p.Done
		}
		return incomplete
	}
	digests, configurations, err := d.publish(axes)
	if err != nil {
		return err
	}
	return d.writeRun(digests, configurations)
}

// publish writes the tables, and returns their digests and how many configurations they have.
func (d *Dir) publish(axes func(config int) Axes) (digests map[string]string, rows int, err error) {
	tables, err := d.newTables()
	defer tables.abandon()
	if err != nil {
		return nil, 0, brief(err)
	}
	parts := newPartReader(d.partsPath())
	defer parts.close()
	for config, e := range d.entries {
		r, err := parts.read(e)
		if err != nil {
			return nil, 0, err
		}
		if r.State == Excluded {
			continue
		}
		rows++
		if err := tables.add(axes(config), r); err != nil {
			return nil, 0, brief(err)
		}
	}
	digests, err = tables.publish()
	return digests, rows, brief(err)
}
