package datasets

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"jitterfly/internal/vector"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// Parquet files of other programs are read here. parquet-go trusts the sizes in a file's headers
// and allocates by them, so that a damaged file of a hundred bytes could end the program. So every
// size is compared with the bytes of the file, or with a bound, before the library sees the file.

// Bounds of a Parquet file. Each byte of the footer may become some hundreds in memory. The library takes
// memory for the path of each element of the schema, which may be in all others, and for each element in
// each group of rows.
const (
	maxFooter = 1 << 20
	maxSchema = 1 << 11
	maxPage   = 16 << 20
)

var errParquet = errors.New("not a Parquet file, or only a part of one")

// readNumbers calls each with the numbers of some columns of every row of a Parquet file, of
// whatever encoding. find returns the places of these columns in the file. It fails if there are
// more than most rows, if a value is not a number, and with what find and each do.
func readNumbers(content []byte, meta *format.FileMetaData, most int64,
	find func(columns []string) ([]int, error), each func(row []float64) error,
) error {
	if err := checkPages(content, meta, most); err != nil {
		return err
	}
	return guarded(func() error {
		f, err := parquet.OpenFile(bytes.NewReader(content), int64(len(content)),
			parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
		if err != nil {
			return err
		}
		names := vector.Each(f.Schema().Columns(), func(path []string) string { return strings.Join(path, ".") })
		at, err := find(names)
		if err != nil {
			return err
		}
		reader := parquet.NewReader(f)
		defer func() { _ = reader.Close() }()
		batch, numbers := make([]parquet.Row, batchRows), make([]float64, len(at))
		for rows := int64(0); ; {
			n, err := reader.ReadRows(batch)
			if rows += int64(n); rows > most || f.NumRows() > most {
				return fmt.Errorf("there are %d rows, and at most %d are read", max(rows, f.NumRows()), most)
			}
			for i, row := range batch[:n] {
				for j, column := range at {
					var ok bool
					if numbers[j], ok = number(row[column]); !ok {
						return fmt.Errorf("row %d: the %s is not a number", rows-int64(n-i)+1, names[column])
					}
				}
				if err := each(numbers); err != nil {
					return err
				}
			}
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
		}
	})
}

func number(v parquet.Value) (float64, bool) {
	switch v.Kind() {
	case parquet.Int32:
		return float64(v.Int32()), true
	case parquet.Int64:
		return float64(v.Int64()), true
	case parquet.Float:
		return float64(v.Float()), true
	case parquet.Double:
		return v.Double(), true
	}
	return 0, false
}

// A Parquet file begins with magic and ends with the length of its footer and magic, which are tail bytes.
const magic, tail = "PAR1", 8

// footerSize returns the length of the footer of a Parquet file of n bytes [bytes], given its last bytes. It
// fails if the file is none, or has no room for the footer.
func footerSize(last []byte, n int64) (int64, error) {
	if n < int64(len(magic)+tail) || string(last[tail-len(magic):]) != magic {
		return 0, errParquet
	}
	size := int64(binary.LittleEndian.Uint32(last))
	if size > n-tail-int64(len(magic)) {
		return 0, fmt.Errorf("its footer of %d bytes is too large", size)
	}
	return size, nil
}

// readFooter decodes the metadata at the end of a Parquet file. It fails beyond maxFooter bytes.
func readFooter(content []byte) (*format.FileMetaData, error) {
	n := len(content)
	if n < len(magic)+tail || string(content[:len(magic)]) != magic {
		return nil, errParquet
	}
	size, err := footerSize(content[n-tail:], int64(n))
	if err != nil {
		return nil, err
	}
	if size > maxFooter {
		return nil, fmt.Errorf("its footer of %d bytes is too large", size)
	}
	meta := new(format.FileMetaData)
	_, err = decodeThrift(content[n-tail-int(size):n-tail], meta)
	switch {
	case err != nil:
	case len(meta.Schema) > maxSchema:
		err = fmt.Errorf("it has more than %d columns", maxSchema)
	case int64(len(meta.Schema)*len(meta.RowGroups)) > size: // each takes some bytes of the footer
		err = errors.New("damaged: its groups of rows lack columns")
	}
	return meta, err
}

// checkPages fails if a page of a Parquet file, of whatever encoding, is not in the file, or says
// to take more than maxPage bytes of memory or to have more values than most.
func checkPages(content []byte, meta *format.FileMetaData, most int64) error {
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
				if compressed < 0 || compressed > len(rest) || size < 0 || size > maxPage {
					return fmt.Errorf("a page of %d bytes; at most %d are read", size, maxPage)
				}
				values := max(header.DataPageHeader.V.NumValues, header.DataPageHeaderV2.V.NumValues,
					header.DictionaryPageHeader.V.NumValues)
				if int64(values) > most {
					return fmt.Errorf("a page of %d values; at most %d are read", values, most)
				}
				rest = rest[compressed:]
			}
		}
	}
	return nil
}

// errThrift is the error of a structure that is longer than the bytes that there are.
var errThrift = errors.New("damaged: a header that does not fit")

// deepest bounds the nesting of structures. Parquet needs six.
const deepest = 16

// decodeThrift decodes a structure of Thrift's compact protocol at the beginning of some bytes and
// returns the bytes after it.
func decodeThrift(content []byte, to any) (rest []byte, err error) {
	protocol := new(thrift.CompactProtocol)
	r := protocol.NewReaderFromBytes(content)
	if checkThrift(r, len(content), deepest) != nil {
		return nil, errThrift
	}
	n := r.BytesRead()
	if err := thrift.Unmarshal(protocol, content[:n], to); err != nil {
		return nil, fmt.Errorf("damaged: %w", err)
	}
	return content[n:], nil
}

// checkThrift passes over a structure in size bytes. It fails if the structure ends after them or has a
// list that claims to be longer than the bytes that follow, for which the library would make room, or if
// structures are nested deeper than depth.
func checkThrift(r thrift.Reader, size, depth int) error {
	for depth > 0 {
		f, err := r.ReadField()
		if err == nil && f.Type > thrift.FALSE { // booleans have no bytes of their own
			err = checkValue(r, size, f.Type, depth-1)
		}
		if err != nil || f.Type == thrift.STOP {
			return err
		}
	}
	return errThrift
}

// checkValue is checkThrift for a value of a field or a list.
func checkValue(r thrift.Reader, size int, t thrift.Type, depth int) (err error) {
	switch t {
	case thrift.TRUE, thrift.FALSE, thrift.I8:
		_, err = r.ReadInt8()
	case thrift.I16, thrift.I32, thrift.I64:
		_, err = r.ReadInt64()
	case thrift.DOUBLE:
		_, err = r.ReadFloat64()
	case thrift.BINARY:
		_, err = r.ReadBytes()
	case thrift.LIST:
		l, err := r.ReadList()
		if int(l.Size) > size-r.BytesRead() || l.Type == thrift.LIST { // Parquet has none of lists
			return errThrift
		}
		for i := int32(0); i < l.Size && err == nil; i++ {
			err = checkValue(r, size, l.Type, depth)
		}
		return err
	case thrift.STRUCT:
		return checkThrift(r, size, depth)
	default: // Parquet has no sets and no maps
		return errThrift
	}
	return err
}
