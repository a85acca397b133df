package datasets

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"jitterfly/internal/vector"
)

// A part is a file with records of some configurations of one shard. Its name says
// which shard, and the digest of its content:
//
//	shard-000003-0123456789abcdef.part
//
// so that no other file is needed to check a part, and two processes that compute
// the same part write the same file. It begins with
//
//	jitterfly part 1
//	(the digest of the plan, 64 hexadecimal digits)
//
// the number of records, and an entry for each; the records themselves follow. All
// numbers are eight bytes, little-endian.
type part struct {
	shard int
	name  string
}

// An entry locates a record in a part. A directory has one for each of millions of configurations.
type entry struct {
	part   *part // nil if absent
	at     int64
	size   int64
	config int32
	sum    uint32 // CRC-32 of its bytes, checked when it is read again
	trials int32
	// complete says that the record is what the plan asks for.
	complete bool
}

// better reports whether the entry says more than another one of the same configuration.
func (e *entry) better(other *entry) bool {
	switch {
	case other.part == nil:
		return true
	case e.complete != other.complete:
		return e.complete
	}
	return e.trials > other.trials
}

const (
	partMagic  = "jitterfly part 1\n"
	partPlan   = 2 * sha256.Size
	partHead   = len(partMagic) + partPlan
	slotSize   = 5 * 8 // of a packed [slot]
	partSuffix = ".part"
)

func partName(shard int, content string) string {
	return fmt.Sprintf("shard-%06d-%.16s%s", shard, content, partSuffix)
}

func parsePartName(name string) (*part, bool) {
	p, content := &part{name: name}, ""
	n, err := fmt.Sscanf(strings.TrimSuffix(name, partSuffix), "shard-%06d-%s", &p.shard, &content)
	return p, err == nil && n == 2 && len(content) == 16 && name == partName(p.shard, content)
}

// A slot is what the list at the beginning of a part has of a record.
type slot struct {
	Config, Size, Sum int64
	State             State
	Trials            int64
}

// A packed is a record as a part has it.
type packed struct {
	slot
	content []byte
}

func packPart(plan string, records []packed) []byte {
	slots := vector.Each(records, func(r packed) slot { return r.slot })
	b := pack(append([]byte(partMagic), plan...), reflect.ValueOf(slots))
	for _, r := range records {
		b = append(b, r.content...)
	}
	return b
}

// errDamaged is the error of a part whose content has changed.
var errDamaged = errors.New("damaged, its content is not what its name says")

// readPart returns the entries of a part in a directory, at most the given number. It fails
// if the content does not have the digest in its name, or belongs to another plan, unless the plan
// continues that one.
func readPart(dir string, p *part, plan *Plan, most int) ([]entry, error) {
	f, err := OpenFile(filepath.Join(dir, p.name))
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	sum, size, err := sumOf(f)
	if err != nil {
		return nil, err
	}
	if partName(p.shard, sum) != p.name {
		return nil, errDamaged
	}
	return readEntries(f, p, size, plan, most)
}

func readEntries(f io.ReaderAt, p *part, size int64, plan *Plan, most int) ([]entry, error) {
	head := make([]byte, partHead+8)
	if _, err := f.ReadAt(head, 0); err != nil || string(head[:len(partMagic)]) != partMagic {
		return nil, errors.New("not a part of this format")
	}
	of := string(head[len(partMagic):partHead])
	if of != plan.Digest && !slices.Contains(plan.Continues, of) {
		return nil, errors.New("of another plan")
	}
	n := binary.LittleEndian.Uint64(head[partHead:])
	if n > uint64(most) || n > uint64(size-int64(len(head)))/slotSize {
		return nil, fmt.Errorf("says to have %d records", n)
	}
	list := make([]byte, 8+n*slotSize)
	if _, err := f.ReadAt(list, int64(partHead)); err != nil {
		return nil, err
	}
	var slots []slot
	_, _ = unpack(list, reflect.ValueOf(&slots).Elem()) // it has the bytes of n
	entries := make([]entry, n)
	at := int64(partHead + len(list))
	for i, x := range slots {
		if uint64(x.Size) > uint64(size-at) {
			return nil, errShort
		}
		bounded := x.State == AtBound || x.State == Excluded
		entries[i] = entry{part: p, at: at, size: x.Size, config: int32(min(uint64(x.Config), MaxConfigurations)),
			sum: uint32(x.Sum), trials: int32(min(uint64(x.Trials), math.MaxInt32)),
			complete: x.State == Final || bounded && of == plan.Digest}
		at += x.Size
	}
	return entries, nil
}

// A partReader reads records from parts. It keeps some of them open.
type partReader struct {
	dir  string
	open map[*part]*os.File
	room []byte
}

const maxOpen = 500

func newPartReader(dir string) *partReader {
	return &partReader{dir: dir, open: map[*part]*os.File{}}
}

func (r *partReader) read(e entry) (*Record, error) {
	f, err := r.file(e.part)
	if err != nil {
		return nil, brief(err)
	}
	r.room = slices.Grow(r.room[:0], int(e.size))[:e.size]
	_, err = f.ReadAt(r.room, e.at)
	if err == nil && crc32.ChecksumIEEE(r.room) != e.sum {
		err = errDamaged
	}
	record := new(Record)
	if err == nil {
		err = record.unpack(r.room)
	}
	if err == nil && e.complete && record.State == Interrupted {
		err = errDamaged
	}
	if err != nil {
		return nil, fmt.Errorf(
			"%s: configuration %d: %w; remove the file to have its configurations computed again",
			filepath.Join(r.dir, e.part.name), e.config, Unnamed(err))
	}
	return record, nil
}

// unpack sets the record to what [pack] wrote.
func (r *Record) unpack(content []byte) error {
	rest, err := unpack(content, reflect.ValueOf(r).Elem())
	if err == nil && (len(rest) > 0 ||
		(len(r.Measures) == 0) != (r.State == Interrupted || r.State == Excluded) ||
		len(r.Completion)%max(1, len(r.Measures)) != 0) {
		err = errors.New("not a record")
	}
	return errors.Join(err, r.Kept.check())
}

func (r *partReader) file(p *part) (*os.File, error) {
	if f, ok := r.open[p]; ok {
		return f, nil
	}
	if len(r.open) == maxOpen {
		r.close()
	}
	f, err := OpenFile(filepath.Join(r.dir, p.name))
	if err == nil {
		r.open[p] = f
	}
	return f, err
}

func (r *partReader) close() {
	for p, f := range r.open {
		_ = f.Close()
		delete(r.open, p)
	}
}

// Parts have records in a plain encoding: a number is eight bytes, and a text or a list is its
// length and its elements. So a reader can check every length against the bytes that there are
// before it allocates, and no file makes it use more memory than a small multiple of the file's
// size. Readers of Parquet trust the lengths in a file.

var errShort = errors.New("says to be longer than it is")

// pack appends a value, of int64, float64 or string, or a struct or list of these, to
// b, and returns the result.
func pack(b []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.Int64:
		return binary.LittleEndian.AppendUint64(b, uint64(v.Int()))
	case reflect.Float64:
		return binary.LittleEndian.AppendUint64(b, math.Float64bits(v.Float()))
	case reflect.String:
		b = binary.LittleEndian.AppendUint64(b, uint64(v.Len()))
		return append(b, v.String()...)
	case reflect.Slice:
		b = binary.LittleEndian.AppendUint64(b, uint64(v.Len()))
		for i := range v.Len() {
			b = pack(b, v.Index(i))
		}
		return b
	}
	for i := range v.NumField() {
		b = pack(b, v.Field(i))
	}
	return b
}

// unpack sets v to what pack appended, and returns the bytes after it. It fails if
// there are too few.
func unpack(b []byte, v reflect.Value) (rest []byte, err error) {
	if v.Kind() == reflect.Struct {
		for i := 0; i < v.NumField() && err == nil; i++ {
			b, err = unpack(b, v.Field(i))
		}
		return b, err
	}
	if len(b) < 8 {
		return nil, errShort
	}
	word := binary.LittleEndian.Uint64(b)
	b = b[8:]
	switch v.Kind() {
	case reflect.Int64:
		v.SetInt(int64(word))
		return b, nil
	case reflect.Float64:
		v.SetFloat(math.Float64frombits(word))
		return b, nil
	case reflect.String:
		if word > uint64(len(b)) {
			return nil, errShort
		}
		v.SetString(string(b[:word]))
		return b[word:], nil
	}
	v.Grow(int(min(word, uint64(len(b))/uint64(v.Type().Elem().Size()))))
	for i := 0; uint64(i) < word && err == nil; i++ {
		v.Grow(1)
		v.SetLen(i + 1)
		b, err = unpack(b, v.Index(i))
	}
	return b, err
}

// A Collector takes records in any order and writes them as parts. It is not safe for
// concurrent use.
//
// The last part of each shard is open: the next flush writes it again with what has come
// since, and then removes it. So records can be written often without parts becoming many. A
// part that is sealed stays.
type Collector struct {
	dir  *Dir
	open map[int32]*openPart // by shard
	size int
}

// An openPart is a part that the next flush writes again if it has changed.
type openPart struct {
	records map[int]packed // by configuration
	changed bool           // since the last flush
	written *part          // nil before the first
}

// Collect returns a collector of the directory's records.
func (d *Dir) Collect() *Collector { return &Collector{dir: d, open: map[int32]*openPart{}} }

// Add takes the record of a configuration, in place of one that it has already.
func (c *Collector) Add(config int, r Record) {
	shard := c.dir.plan.owners[config]
	if c.open[shard] == nil {
		c.open[shard] = &openPart{records: map[int]packed{}}
	}
	o, b := c.open[shard], pack(nil, reflect.ValueOf(r))
	c.size += len(b) - len(o.records[config].content)
	o.records[config] = packed{
		slot{int64(config), int64(len(b)), int64(crc32.ChecksumIEEE(b)), r.State, r.Kept.Trials}, b,
	}
	o.changed = true
}

// Size returns the number of bytes of the records that the next flush writes.
func (c *Collector) Size() int { return c.size }

// Flush writes the records that are not written yet, a part for each shard, and seals the parts if
// asked to. After an error the records that could not be written remain. If another process has
// finished the study it writes none.
func (c *Collector) Flush(seal bool) error {
	for _, shard := range slices.Sorted(maps.Keys(c.open)) {
		o := c.open[shard]
		if o.changed {
			if c.dir.finishedElsewhere() {
				return nil
			}
			if err := c.write(shard, o); err != nil {
				if errors.Is(err, fs.ErrNotExist) && c.dir.finishedElsewhere() {
					return nil
				}
				return brief(err)
			}
		}
		if seal {
			for _, r := range o.records {
				c.size -= len(r.content)
			}
			delete(c.open, shard)
		}
	}
	return nil
}

// write writes the open part of a shard, and adds its entries to the directory's.
func (c *Collector) write(shard int32, o *openPart) error {
	configs := slices.Sorted(maps.Keys(o.records))
	records := vector.Each(configs, func(config int) packed { return o.records[config] })
	content := packPart(c.dir.plan.Digest, records)
	p := &part{shard: int(shard), name: partName(int(shard), digest(content))}
	path := filepath.Join(c.dir.partsPath(), p.name)
	if err := writeContent(c.dir.disk, path, content); err != nil {
		return err
	}
	entries, err := readEntries(bytes.NewReader(content), p, int64(len(content)), c.dir.plan, len(records))
	for _, e := range entries {
		c.dir.entries[e.config] = e
	}
	if old := o.written; old != nil && old.name != p.name {
		// If it stays it is only read in vain.
		_ = c.dir.disk.remove(filepath.Join(c.dir.partsPath(), old.name))
	}
	o.written, o.changed = p, false
	return err
}
