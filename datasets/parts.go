package datasets

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
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
	state  int8 // a [State]
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
	partHead   = len(partMagic) + partPlan + 8
	entrySize  = 5 * 8
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

// A packed is a record as a part has it.
type packed struct {
	content []byte
	state   State
	trials  int64
}

func packPart(plan string, configs []int, records []packed) []byte {
	b := append([]byte(partMagic), plan...)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(configs)))
	for i, r := range records {
		for _, n := range []uint64{
			uint64(configs[i]), uint64(len(r.content)), uint64(checksum(r.content)),
			uint64(r.state), uint64(r.trials),
		} {
			b = binary.LittleEndian.AppendUint64(b, n)
		}
	}
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
	head := make([]byte, partHead)
	if _, err := f.ReadAt(head, 0); err != nil || string(head[:len(partMagic)]) != partMagic {
		return nil, errors.New("not a part of this format")
	}
	of := string(head[len(partMagic) : len(partMagic)+partPlan])
	if of != plan.Digest && !slices.Contains(plan.Continues, of) {
		return nil, errors.New("of another plan")
	}
	n := binary.LittleEndian.Uint64(head[partHead-8:])
	if n > uint64(most) || n > uint64(size-int64(partHead))/entrySize {
		return nil, fmt.Errorf("says to have %d records", n)
	}
	list := make([]byte, n*entrySize)
	if _, err := f.ReadAt(list, int64(partHead)); err != nil {
		return nil, err
	}
	entries := make([]entry, n)
	at := int64(partHead + len(list))
	for i := range entries {
		word := func(j int) uint64 { return binary.LittleEndian.Uint64(list[i*entrySize+8*j:]) }
		if word(1) > uint64(size-at) {
			return nil, errShort
		}
		entries[i] = entry{config: int32(min(word(0), MaxConfigurations)), size: int64(word(1)),
			sum: uint32(word(2)), state: int8(min(word(3), uint64(Excluded)+1)),
			trials: int32(min(word(4), math.MaxInt32)), part: p, at: at}
		state := State(entries[i].state)
		bounded := state == AtBound || state == Excluded
		entries[i].complete = state == Final || bounded && of == plan.Digest
		at += entries[i].size
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
	if err == nil && checksum(r.room) != e.sum {
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

func checksum(record []byte) uint32 { return crc32.ChecksumIEEE(record) }
