package tests

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
)

// Types of blocks.
const (
	header = iota + 1
	clock
	site
	communicator
	events
	end
	written
)

var le = binary.LittleEndian

// A CallWriter makes the file of a rank in memory, as the MPI library writes it in the format of
// docs/format.md. It shares no code with the reader.
type CallWriter struct {
	rank  int
	file  bytes.Buffer
	count uint64
}

// A CallEvent is a call, with times of the rank's clock [ns].
type CallEvent struct {
	Entry, Exit, Bytes uint64
	Communicator       uint32
	Site               uint16
	Kind, Operation    uint8
}

// NewCallWriter begins the file of a rank of a program with size ranks, on a host; node has the number of
// ranks there and of processors that they may use, if these are known.
func NewCallWriter(rank, size int, host string, node ...uint32) *CallWriter {
	w := &CallWriter{rank: rank}
	w.file.WriteString("jfcalls2")
	w.block(header, uint32(rank), uint32(size), uint64(0), uint64(0), host, "test", node)
	return w
}

// Clock notes that at a time of the rank's clock the clock of rank 0 was offset ahead, give or take err [ns].
func (w *CallWriter) Clock(at uint64, offset int64, err uint64) { w.block(clock, at, offset, err) }

// Site describes the call site with a number: file name, function and address in the file.
func (w *CallWriter) Site(id uint32, object, symbol string, address uint64) {
	w.block(site, id, uint32(0), address, object, symbol)
}

// WorldMembers returns the members of a communicator of all ranks.
func WorldMembers(size int) []uint32 {
	members := make([]uint32, size)
	for i := range members {
		members[i] = uint32(i)
	}
	return members
}

// Communicator describes the communicator with a number: the rank that this rank has in it, its key,
// and its members in MPI_COMM_WORLD.
func (w *CallWriter) Communicator(id uint32, rank int, key uint64, members []uint32) {
	w.block(communicator, id, uint32(len(members)), uint32(rank), uint32(0), key, members)
}

// Copy describes a communicator of size ranks that are those of an earlier one, with the number like.
func (w *CallWriter) Copy(id uint32, rank int, key uint64, size int, like uint32) {
	w.block(communicator, id, uint32(size), uint32(rank), like, key)
}

// Events adds calls, as a block.
func (w *CallWriter) Events(all ...CallEvent) {
	w.count += uint64(len(all))
	w.block(events, all)
}

// Written notes from when to when the library wrote the file [ns].
func (w *CallWriter) Written(from, to uint64) { w.block(written, from, to) }

// End ends the recording as MPI_Finalize does; lost calls are not in it.
func (w *CallWriter) End(lost uint64) { w.block(end, w.count, lost) }

// Bytes returns the file.
func (w *CallWriter) Bytes() []byte { return w.file.Bytes() }

// Write writes the file to a directory.
func (w *CallWriter) Write(dir string) error {
	return os.WriteFile(filepath.Join(dir, fmt.Sprintf("rank-%06d.calls", w.rank)), w.Bytes(), 0o666)
}

// block adds a block of fields.
func (w *CallWriter) block(kind uint32, fields ...any) {
	var b []byte
	for _, f := range fields {
		if text, ok := f.(string); ok {
			b = append(le.AppendUint32(b, uint32(len(text))), text...)
			continue
		}
		b, _ = binary.Append(b, le, f) // all have a fixed size
	}
	for len(b)%8 != 0 {
		b = append(b, 0)
	}
	w.file.Write(le.AppendUint32(le.AppendUint32(nil, kind), uint32(len(b))))
	w.file.Write(le.AppendUint64(nil, sum(kind, b)))
	w.file.Write(b)
}

// sum returns the checksum of a block.
func sum(kind uint32, payload []byte) uint64 {
	x := uint64(kind)
	for i := range len(payload)/8 + 1 {
		word := uint64(len(payload))
		if at := 8 * i; at < len(payload) {
			word = le.Uint64(payload[at:])
		}
		x = (x ^ word) * 11400714819323198485
		x ^= x >> 32
	}
	return x
}

// SealCalls sets the checksums of all whole blocks of a file, so that a changed file differs in nothing but
// what was changed.
func SealCalls(file []byte) {
	for at := 8; len(file)-at >= 16; {
		n := int(le.Uint32(file[at+4:]))
		if n%8 != 0 || len(file)-at-16 < n {
			return
		}
		le.PutUint64(file[at+8:], sum(le.Uint32(file[at:]), file[at+16:at+16+n]))
		at += 16 + n
	}
}
