package datasets

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// This is a reader for one kind of Parquet file: columns of eight-byte values,
// all there, plain, uncompressed. parquet-go takes the sizes in a file's headers
// for true and allocates by them, so that a damaged file of a hundred bytes can end
// the program. Here everything is checked against the bytes that there are.

// maxFooter bounds the footer of a trace, of which each byte may become some hundreds in memory.
const maxFooter = 1 << 18

var errParquet = errors.New("not a Parquet file, or only a part of one")

// newTraceRow returns the row with these bits in its columns.
func newTraceRow(values []uint64) traceRow {
	return traceRow{
		Run: int64(values[0]), Core: int64(values[1]),
		Start: math.Float64frombits(values[2]), Length: math.Float64frombits(values[3]),
	}
}

// readFooter decodes the metadata at the end of a Parquet file. It fails beyond most bytes.
func readFooter(content []byte, most int64) (*format.FileMetaData, error) {
	const magic, tail = "PAR1", 8
	n := len(content)
	if n < len(magic)+tail || string(content[:len(magic)]) != magic ||
		string(content[n-len(magic):]) != magic {
		return nil, errParquet
	}
	size := int64(binary.LittleEndian.Uint32(content[n-tail:]))
	if size > most || size > int64(n-tail-len(magic)) {
		return nil, fmt.Errorf("its footer of %d bytes is too large", size)
	}
	meta := new(format.FileMetaData)
	_, err := decodeThrift(content[n-tail-int(size):n-tail], meta)
	return meta, err
}

// decodeThrift decodes a structure at the beginning of some bytes and returns the
// bytes after it.
func decodeThrift(content []byte, to any) (rest []byte, err error) {
	rest, err = skipStruct(content, 0)
	if err != nil {
		return nil, err
	}
	if err := thrift.Unmarshal(new(thrift.CompactProtocol), content[:len(content)-len(rest)],
		to); err != nil {
		return nil, fmt.Errorf("damaged: %w", err)
	}
	return rest, nil
}

// readPlainRows calls each with the bits of the columns of every row. It fails if the
// columns have other names.
func readPlainRows(
	content []byte, meta *format.FileMetaData, names []string, each func([]uint64) error,
) error {
	total := int64(0)
	for _, group := range meta.RowGroups {
		if group.NumRows < 0 || group.NumRows > int64(len(content))/8 {
			return fmt.Errorf("damaged: a group of %d rows", group.NumRows)
		}
		// Groups must not overlap: each would take memory for the same bytes.
		if total += group.NumRows; total > int64(len(content)/8/len(names)) {
			return fmt.Errorf("damaged: %d rows are more than fit into it", total)
		}
		columns := make([][]uint64, len(names))
		if len(group.Columns) != len(names) {
			return errors.New("damaged: its columns are not those of a trace")
		}
		for i, chunk := range group.Columns {
			m := chunk.MetaData
			if !slices.Equal(m.PathInSchema, names[i:i+1]) {
				return errors.New("damaged: its columns are not those of a trace")
			}
			var err error
			if columns[i], err = readPlainPages(content, m.DataPageOffset,
				group.NumRows); err != nil {
				return fmt.Errorf("damaged: column %s: %w", names[i], err)
			}
		}
		row := make([]uint64, len(names))
		for i := range columns[0] {
			for j := range row {
				row[j] = columns[j][i]
			}
			if err := each(row); err != nil {
				return err
			}
		}
	}
	return nil
}

// readPlainPages returns n values, which are in consecutive pages from an offset.
func readPlainPages(content []byte, offset, n int64) ([]uint64, error) {
	if offset < 0 || offset > int64(len(content)) || n > (int64(len(content))-offset)/8 {
		return nil, fmt.Errorf("%d values at %d are not in the file", n, offset)
	}
	values := make([]uint64, 0, n)
	for rest := content[offset:]; int64(len(values)) < n; {
		var header format.PageHeader
		var err error
		if rest, err = decodeThrift(rest, &header); err != nil {
			return nil, err
		}
		size := int(header.CompressedPageSize)
		if !isPlain(&header) || size > len(rest) || int64(size/8) > n-int64(len(values)) {
			return nil, errors.New("a page that is not plain")
		}
		for i := 0; i < size; i += 8 {
			values = append(values, binary.LittleEndian.Uint64(rest[i:]))
		}
		rest = rest[size:]
	}
	return values, nil
}

// isPlain reports whether a page consists of values of eight bytes, and nothing else.
func isPlain(header *format.PageHeader) bool {
	page, size := header.DataPageHeaderV2, int(header.CompressedPageSize)
	return page.Valid && page.V.Encoding == format.Plain &&
		page.V.DefinitionLevelsByteLength == 0 && page.V.RepetitionLevelsByteLength == 0 &&
		size > 0 && size%8 == 0 && size/8 == int(page.V.NumValues)
}

// checkPages fails if a page of a Parquet file, of whatever encoding, is not in the file or says to
// take more than most bytes of memory.
func checkPages(content []byte, meta *format.FileMetaData, most int) error {
	for _, group := range meta.RowGroups {
		for _, chunk := range group.Columns {
			m := chunk.MetaData
			at := m.DataPageOffset
			if dictionary := m.DictionaryPageOffset; dictionary > 0 {
				at = min(at, dictionary)
			}
			if at < 0 || m.TotalCompressedSize < 0 || at > int64(len(content))-m.TotalCompressedSize {
				return errParquet
			}
			for rest := content[at : at+m.TotalCompressedSize]; len(rest) > 0; {
				var header format.PageHeader
				var err error
				if rest, err = decodeThrift(rest, &header); err != nil {
					return err
				}
				compressed, size := int(header.CompressedPageSize), int(header.UncompressedPageSize)
				if compressed < 0 || compressed > len(rest) || size < 0 || size > most {
					return fmt.Errorf("a page of %d bytes, and the most is %d", size, most)
				}
				rest = rest[compressed:]
			}
		}
	}
	return nil
}
