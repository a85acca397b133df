package datasets

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// A part is a file with the records of consecutive configurations. Its name says
// which, and the digest of its content:
//
//	part-000000000-000064-0123456789abcdef.parquet
//
// so a part is known to be sound without another file beside it, and two
// processes that compute the same part write the same file.
type part struct {
	first, count int
	name         string
}

func partName(first, count int, content []byte) string {
	return fmt.Sprintf("part-%09d-%06d-%s.parquet", first, count, digest(content)[:16])
}

// findParts lists the parts in a directory and checks each against its name.
func findParts(dir string) ([]part, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, brief(err)
	}
	var parts []part
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), temporarySuffix) {
			continue
		}
		p := part{name: e.Name()}
		if n, err := fmt.Sscanf(e.Name(), "part-%d-%d-", &p.first, &p.count); n != 2 || err != nil {
			return nil, fmt.Errorf("%s: not a part; move it elsewhere", filepath.Join(dir, e.Name()))
		}
		if _, err := p.content(dir); err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	slices.SortFunc(parts, func(a, b part) int { return cmp.Compare(a.first, b.first) })
	return parts, nil
}

// content reads the part's bytes and checks them.
func (p part) content(dir string) ([]byte, error) {
	path := filepath.Join(dir, p.name)
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, brief(err)
	}
	if partName(p.first, p.count, content) != p.name {
		return nil, fmt.Errorf("%s: damaged, its content is not what its name says; remove it to have its %d configurations played again", path, p.count)
	}
	return content, nil
}

// read returns the part's records.
func (p part) read(dir string) ([]Record, error) {
	content, err := p.content(dir)
	if err != nil {
		return nil, err
	}
	records, err := parquet.Read[Record](bytes.NewReader(content), int64(len(content)))
	if err == nil && len(records) != p.count {
		err = fmt.Errorf("has %d records", len(records))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: cannot be read as %d records: %w", filepath.Join(dir, p.name), p.count, err)
	}
	return records, nil
}

// A Collector takes records as they come and writes them as parts.
type Collector struct {
	dir     *Dir
	waiting map[int]Record
	size    int
}

// Collect returns a collector of the directory's records.
func (d *Dir) Collect() *Collector {
	return &Collector{dir: d, waiting: map[int]Record{}}
}

// Add takes the record of a configuration.
func (c *Collector) Add(config int, r Record) {
	c.waiting[config] = r
	c.size += 1024 + 128*len(r.Measures) + 8*len(r.Completion)
}

// Size is about how many bytes wait to be written.
func (c *Collector) Size() int { return c.size }

// Flush writes what waits, each run of consecutive configurations as one part.
func (c *Collector) Flush() error {
	configs := make([]int, 0, len(c.waiting))
	for config := range c.waiting {
		configs = append(configs, config)
	}
	slices.Sort(configs)
	for len(configs) > 0 {
		n := 1
		for n < len(configs) && configs[n] == configs[0]+n {
			n++
		}
		records := make([]Record, n)
		for i := range records {
			records[i] = c.waiting[configs[i]]
		}
		if err := c.dir.append(configs[0], records); err != nil {
			return brief(err)
		}
		for _, config := range configs[:n] {
			delete(c.waiting, config)
		}
		configs = configs[n:]
	}
	c.size = 0
	return nil
}

// append writes the records of consecutive configurations as a part.
func (d *Dir) append(first int, records []Record) error {
	if err := os.MkdirAll(d.partsPath(), 0o777); err != nil {
		return err
	}
	var content bytes.Buffer
	if err := parquet.Write(&content, records, parquet.Compression(&parquet.Zstd)); err != nil {
		return err
	}
	name := partName(first, len(records), content.Bytes())
	err := writeWhole(d.partsPath(), name, func(w io.Writer) error {
		_, err := w.Write(content.Bytes())
		return err
	})
	if err != nil {
		return err
	}
	at, _ := slices.BinarySearchFunc(d.parts, first, func(p part, first int) int { return cmp.Compare(p.first, first) })
	d.parts = slices.Insert(d.parts, at, part{first, len(records), name})
	return nil
}
