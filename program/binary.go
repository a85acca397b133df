package program

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"jitterfly/datasets"
)

// A file of the MPI library begins with magic. Blocks follow, each of a type and a length of 32 bits,
// a checksum of 64 bits and length bytes. Numbers are little-endian, and times in nanoseconds.
const (
	magic     = "jfcalls2"
	blockHead = 16 // bytes before the payload
)

const (
	headerBlock = iota + 1
	clockBlock
	siteBlock
	communicatorBlock
	eventsBlock
	endBlock
	writtenBlock
)

const (
	eventSize = 32
	// mostBlock is the largest length of a block that is read whole [bytes].
	mostBlock = 16 << 20
	ruleBit   = 128
	// mostBytes is the largest vector of a call that can be right.
	mostBytes = 1 << 50
)

var le = binary.LittleEndian

// sumOf returns the checksum of a block with a payload of whole 8 bytes.
func sumOf(kind uint32, payload []byte) uint64 {
	sum, length := uint64(kind), uint64(len(payload))
	add := func(word uint64) {
		sum = (sum ^ word) * 11400714819323198485
		sum ^= sum >> 32
	}
	for ; len(payload) >= 8; payload = payload[8:] {
		add(le.Uint64(payload))
	}
	add(length)
	return sum
}

// scan reads all blocks up to the first that is incomplete or damaged, and checks what they have.
func (s *source) scan(r *Recording) error {
	f, err := datasets.OpenFile(s.path)
	if err != nil {
		return datasets.Unnamed(err)
	}
	defer func() { _ = f.Close() }()
	head := make([]byte, len(magic))
	if _, err := io.ReadFull(f, head); err != nil || string(head[:7]) != magic[:7] {
		return errors.New("not a recording of MPI calls")
	} else if string(head) != magic {
		return errors.New("recorded by another version of the MPI library; record the program again with this one")
	}
	info, err := f.Stat()
	if err != nil {
		return datasets.Unnamed(err)
	}
	blocks := scanner{r: r, s: s, f: f, size: info.Size()}
	s.end = int64(len(magic))
	for s.end < blocks.size {
		next, err := blocks.block(s.end)
		if err != nil {
			s.process.Damage = fmt.Sprintf("it is read up to byte %d of %d: %s", s.end, blocks.size, err)
			break
		}
		s.end = next
	}
	switch {
	case !blocks.header:
		return errors.New("its header is incomplete")
	case !blocks.ended && s.process.Damage == "":
		s.process.Damage = "it ends before MPI_Finalize"
	}
	return nil
}

// A scanner reads blocks.
type scanner struct {
	r             *Recording
	s             *source
	f             *os.File
	size          int64
	header, ended bool
	origin        int64 // of the rank's clock [ns], before all calls
	payload       []byte
}

// block reads a block and returns where the next one begins. It fails if the block is incomplete or
// damaged.
func (b *scanner) block(at int64) (next int64, err error) {
	var head [blockHead]byte
	if b.size-at < int64(len(head)) {
		return 0, errors.New("a block is incomplete")
	}
	if _, err := b.f.ReadAt(head[:], at); err != nil {
		return 0, datasets.Unnamed(err)
	}
	kind, length := le.Uint32(head[:]), int64(le.Uint32(head[4:]))
	at += int64(len(head))
	switch {
	case kind == 0:
		return 0, errors.New("a block has no type")
	case length%8 != 0:
		return 0, fmt.Errorf("a block has %d bytes, which is not a multiple of 8", length)
	case length > mostBlock:
		return 0, fmt.Errorf("a block has %d bytes, and at most %d are read", length, mostBlock)
	case b.size-at < length:
		return 0, errors.New("a block is incomplete")
	}
	b.payload = slices.Grow(b.payload[:0], int(length))[:length]
	if _, err := b.f.ReadAt(b.payload, at); err != nil {
		return 0, datasets.Unnamed(err)
	}
	switch {
	case sumOf(kind, b.payload) != le.Uint64(head[8:]):
		return 0, errors.New("a block is damaged, its checksum is another")
	case kind == eventsBlock:
		return at + length, b.events(b.payload)
	case kind > endBlock:
		return at + length, nil
	}
	p := &fields{rest: b.payload}
	read := [...]func(*fields){
		headerBlock: b.readHeader, clockBlock: b.readClock, siteBlock: b.readSite,
		communicatorBlock: b.readCommunicator, endBlock: b.readEnd,
	}
	read[kind](p)
	return at + length, p.err
}

// events notes when the calls of a block begin and end. It fails if one of them cannot be right.
func (b *scanner) events(all []byte) error {
	if len(all)%eventSize != 0 {
		return fmt.Errorf("a block of calls has %d bytes, which is not a multiple of %d", len(all), eventSize)
	}
	for ; len(all) > 0; all = all[eventSize:] {
		entry, exit, bytes := int64(le.Uint64(all)), int64(le.Uint64(all[8:])), le.Uint64(all[16:])
		switch {
		case entry < b.origin || exit < entry:
			return fmt.Errorf("a call from %d to %d ns is not within the run, which began at %d ns", entry, exit,
				b.origin)
		case bytes > mostBytes:
			return fmt.Errorf("a call has a vector of %d bytes", bytes)
		}
		if !b.s.recorded {
			b.s.begin, b.s.recorded = entry, true
		}
		b.s.last = max(b.s.last, exit)
	}
	return nil
}

func (b *scanner) readHeader(p *fields) {
	rank, size := p.uint32(), p.uint32()
	p.uint64() // the wall clock
	b.origin = int64(p.uint64())
	host, library := p.text(), p.text()
	if len(p.rest) >= 8 { // recordings of earlier versions end here
		b.s.process.NodeRanks, b.s.process.Processors = int(p.uint32()), int(p.uint32())
	}
	switch {
	case p.err != nil:
	case int(rank) != b.s.rank || size <= rank:
		p.err = fmt.Errorf("it belongs to rank %d of %d", rank, size)
	default:
		b.header = true
		b.s.ranks = int(size)
		b.s.process.Host, b.s.process.Library = host, library
	}
}

func (b *scanner) readClock(p *fields) {
	c := clock{int64(p.uint64()), int64(p.uint64()), int64(p.uint64())}
	if p.err == nil {
		b.s.clocks = append(b.s.clocks, c)
	}
}

func (b *scanner) readSite(p *fields) {
	id := p.uint32()
	p.uint32()
	s := Site{Address: p.uint64(), Object: p.text(), Symbol: plainName(p.text())}
	if p.err == nil {
		b.s.sites[id] = s
	}
}

func (b *scanner) readCommunicator(p *fields) {
	id, size, rank, like := p.uint32(), p.uint32(), p.uint32(), p.uint32()
	key := p.uint64()
	var members []int
	if other, ok := b.s.members[uint64(like)]; ok && like > 0 {
		members = other.members
	} else if like == 0 && int64(size)*4 <= int64(len(p.rest)) {
		for range size {
			members = append(members, int(int32(p.uint32())))
		}
	}
	switch {
	case p.err != nil || len(members) != int(size):
		p.err = errors.New("a communicator is incomplete")
	case rank >= size || members[rank] != b.s.rank:
		p.err = fmt.Errorf("a communicator does not have rank %d", b.s.rank)
	default:
		b.s.members[uint64(id)] = own{b.r.communicator(key, members), int(rank)}
	}
}

func (b *scanner) readEnd(p *fields) {
	p.uint64()
	b.s.process.Lost = p.uint64()
	b.ended = p.err == nil
}

// fields reads the fields of a block, zeros after the first error.
type fields struct {
	rest []byte
	err  error
}

func (p *fields) take(n int) []byte {
	if p.err != nil || len(p.rest) < n {
		p.err = errors.New("a block lacks fields")
		return make([]byte, 8)
	}
	taken := p.rest[:n]
	p.rest = p.rest[n:]
	return taken
}

func (p *fields) uint32() uint32 { return le.Uint32(p.take(4)) }
func (p *fields) uint64() uint64 { return le.Uint64(p.take(8)) }
func (p *fields) text() string {
	return string(bytes.ToValidUTF8(p.take(int(p.uint32())), []byte("?")))
}

// records reads the calls of a source.
type records struct {
	*bufio.Reader
	left uint32 // bytes of the block
}

// open returns the calls of the source, read in pieces of the size of a buffer [bytes].
func (s *source) open(buffer int) *records {
	begin := int64(len(magic))
	return &records{Reader: bufio.NewReaderSize(io.NewSectionReader(closed(s.path), begin, s.end-begin), buffer)}
}

// take returns the next n bytes, which are valid until the next read; nil if there are not as many.
func (b *records) take(n int) []byte {
	taken, err := b.Peek(n)
	if err != nil {
		return nil
	}
	_, _ = b.Discard(n) // they are in the buffer
	return taken
}

// next returns the next call. It returns false at the end, or where the file has changed since it was
// scanned.
func (b *records) next() (fileRecord, bool) {
	written := int64(0)
	for b.left == 0 {
		head := b.take(blockHead)
		if head == nil {
			return fileRecord{}, false
		}
		kind, length := le.Uint32(head), le.Uint32(head[4:])
		if kind == eventsBlock {
			b.left = length
			continue
		}
		if span, err := b.Peek(16); err == nil && kind == writtenBlock && length == 16 {
			written += max(0, int64(le.Uint64(span[8:])-le.Uint64(span)))
		}
		_, _ = b.Discard(int(length)) // if that fails there is no block after it
	}
	e := b.take(eventSize)
	if e == nil {
		return fileRecord{}, false
	}
	b.left -= min(b.left, eventSize)
	kind := e[30]
	return fileRecord{
		entry: int64(le.Uint64(e)), exit: int64(le.Uint64(e[8:])), bytes: le.Uint64(e[16:]),
		communicator: uint64(le.Uint32(e[24:])), site: uint32(le.Uint16(e[28:])),
		kind: Kind(kind &^ ruleBit), rule: kind&ruleBit != 0, written: written,
	}, true
}

// A closed file, named by its path, is open during a read only, since there may be more ranks than files
// that a process may have open.
type closed string

func (path closed) ReadAt(b []byte, at int64) (int, error) {
	f, err := datasets.OpenFile(string(path))
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }()
	return f.ReadAt(b, at)
}
