package calls

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
)

// A Writer makes the file of a rank as the MPI library does, in memory: for recordings of what is known,
// as in tests.
type Writer struct {
	rank  int
	file  bytes.Buffer
	count uint64
}

// An Event is a call as a file has it, with times of the rank's clock [ns].
type Event struct {
	Entry, Exit, Bytes uint64
	Communicator       uint32
	Site               uint16
	Kind, Operation    uint8
}

// NewWriter begins the file of a rank of so many.
func NewWriter(rank, size int, host string) *Writer {
	w := &Writer{rank: rank}
	w.file.WriteString(magic)
	w.block(headerBlock, uint32(rank), uint32(size), uint64(0), uint64(0), host, "test")
	return w
}

// Clock notes what the rank's clock lacks to rank 0's at a time [ns].
func (w *Writer) Clock(at uint64, offset int64, err uint64) { w.block(clockBlock, at, offset, err) }

// Site names a call site.
func (w *Writer) Site(id uint32, s Site) {
	w.block(siteBlock, id, uint32(0), s.Address, s.Object, s.Symbol)
}

// Communicator names a communicator, in which the rank has a rank of its own.
func (w *Writer) Communicator(id uint32, rank int, key uint64, members []uint32) {
	w.block(communicatorBlock, id, uint32(len(members)), uint32(rank), uint32(0), key, members)
}

// Events adds calls, as a block.
func (w *Writer) Events(events ...Event) {
	w.count += uint64(len(events))
	w.block(eventsBlock, events)
}

// Written notes from when to when the library wrote the file [ns].
func (w *Writer) Written(from, to uint64) { w.block(writtenBlock, from, to) }

// End ends the recording as MPI_Finalize does.
func (w *Writer) End(lost uint64) { w.block(endBlock, w.count, lost) }

// Bytes returns the file.
func (w *Writer) Bytes() []byte { return w.file.Bytes() }

// Write writes the file to a directory.
func (w *Writer) Write(dir string) error {
	return os.WriteFile(filepath.Join(dir, fmt.Sprintf("rank-%06d.calls", w.rank)), w.Bytes(), 0o666)
}

// block adds a block of fields.
func (w *Writer) block(kind uint32, fields ...any) {
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
	w.file.Write(b)
}
