package datasets

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"jitterfly/internal/vector"
	"jitterfly/noise"
)

// The names of a trace's metadata.
const (
	traceFormatKey     = "jitterfly.trace"
	traceResolutionKey = "jitterfly.resolution_s"
	traceRunsKey       = "jitterfly.runs"
	traceDigestKey     = "jitterfly.sha256"
)

type traceRow struct {
	Run    int64   `parquet:"run,plain"`
	Core   int64   `parquet:"core,plain"`
	Start  float64 `parquet:"start_s,plain"`
	Length float64 `parquet:"length_s,plain"`
}

const traceRowSize = 4 * 8

// A traceRun is an entry of a trace, which may have no detour.
type traceRun struct {
	Core int     `json:"core"`
	Span float64 `json:"span_s"`
}

// WriteTrace writes a trace as a Parquet file, whole or not at all, and returns the SHA-256 of
// the file. It replaces a file of that name. The bytes depend on the trace and the program's
// version alone.
func WriteTrace(path, version string, t noise.Trace) (sum string, err error) {
	content, err := encodeTrace(version, t)
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return digest(content), WriteFile(path, content)
}

func encodeTrace(version string, t noise.Trace) ([]byte, error) {
	runs := vector.Each(t.Cores, func(c noise.Core) traceRun { return traceRun{c.ID, c.Span} })
	text, err := json.Marshal(runs)
	if err != nil {
		return nil, err
	}
	var file bytes.Buffer
	writer := parquet.NewGenericWriter[traceRow](&file,
		parquet.CreatedBy(program, version, ""),
		parquet.KeyValueMetadata("jitterfly.version", version),
		parquet.KeyValueMetadata(traceFormatKey, strconv.Itoa(Format)),
		parquet.KeyValueMetadata(traceResolutionKey,
			strconv.FormatFloat(t.Resolution, 'g', -1, 64)),
		parquet.KeyValueMetadata(traceRunsKey, string(text)),
		parquet.KeyValueMetadata(columnsKey, describe("trace", Columns[traceRow]())),
		parquet.KeyValueMetadata(traceDigestKey, noDigest),
		// Measured times hardly become shorter by compression.
		parquet.Compression(&parquet.Uncompressed),
		parquet.MaxRowsPerRowGroup(1<<20),
	)
	for i, c := range t.Cores {
		rows := vector.Each(c.Detours, func(d noise.Detour) traceRow {
			return traceRow{int64(i), int64(c.ID), d.Start, d.Length}
		})
		if _, err := writer.Write(rows); err != nil {
			return nil, err
		}
	}
	if err := writer.Close(); err != nil {
		return nil, err
	}
	sealTrace(file.Bytes())
	return file.Bytes(), nil
}

// noDigest stands in the metadata where the digest of a trace's file will.
var noDigest = strings.Repeat("0", 2*sha256.Size)

// sealTrace puts the digest of a file into its metadata: the digest of the file with [noDigest]
// there.
func sealTrace(content []byte) {
	copy(content[bytes.LastIndex(content, []byte(noDigest)):], digest(content))
}

// checkSeal fails if a file is not what [sealTrace] made with the digest.
func checkSeal(content []byte, sum string) error {
	if at := bytes.LastIndex(content, []byte(sum)); at >= 0 {
		open := bytes.Clone(content)
		copy(open[at:], noDigest)
		if digest(open) == sum {
			return nil
		}
	}
	return errors.New("damaged: its digest is another; measure or import it again")
}

// DecodeTrace returns the trace in the content of a file that [WriteTrace] wrote. It fails if the
// file has another digest, columns of other names, or more rows than its size has room for, so that
// it takes no more memory than a small multiple of the size.
func DecodeTrace(content []byte) (noise.Trace, error) {
	meta, err := readFooter(content)
	if err != nil {
		return noise.Trace{}, fmt.Errorf("%w; measure or import it again", err)
	}
	runs, resolution, sum, err := traceMetadata(meta.KeyValueMetadata)
	if err == nil {
		err = checkSeal(content, sum)
	}
	if err != nil {
		return noise.Trace{}, err
	}
	detours := make([][]noise.Detour, len(runs))
	find := func(columns []string) ([]int, error) {
		if !slices.Equal(columns, Columns[traceRow]()) {
			return nil, errors.New("damaged: it does not have the columns of a trace")
		}
		return []int{0, 1, 2, 3}, nil
	}
	most := int64(len(content) / traceRowSize)
	err = readNumbers(content, meta, most, find, func(row []float64) error {
		run := int(max(-1, min(row[0], float64(len(runs)))))
		if run < 0 || run == len(runs) || float64(run) != row[0] || row[1] != float64(runs[run].Core) {
			return fmt.Errorf("damaged: a detour of run %g on core %g", row[0], row[1])
		}
		detours[run] = append(detours[run], noise.Detour{Start: row[2], Length: row[3]})
		return nil
	})
	if err != nil {
		return noise.Trace{}, err
	}
	t := noise.Trace{Resolution: resolution}
	for i, run := range runs {
		core, merged, err := noise.NewCore(run.Core, run.Span, detours[i])
		if err == nil && (merged > 0 || core.Span != run.Span) {
			err = errors.New("detours overlap, or end after the span")
		}
		if err != nil {
			return noise.Trace{}, fmt.Errorf("damaged: run %d: %w", i, err)
		}
		t.Cores = append(t.Cores, core)
	}
	return t, nil
}

func traceMetadata(metadata []format.KeyValue,
) (runs []traceRun, resolution float64, sum string, err error) {
	values := map[string]string{}
	for _, kv := range metadata {
		values[kv.Key] = kv.Value
	}
	switch v := values[traceFormatKey]; v {
	case strconv.Itoa(Format):
		if sum = values[traceDigestKey]; len(sum) != 2*sha256.Size {
			return nil, 0, "", fmt.Errorf("damaged: the digest is %.80q", sum)
		}
	case "":
		return nil, 0, "", errors.New("a Parquet file, but not a trace of jitterfly")
	default:
		return nil, 0, "", fmt.Errorf("a trace of format %q, and this program knows %d", v,
			Format)
	}
	resolution, err = strconv.ParseFloat(values[traceResolutionKey], 64)
	if err != nil || !(resolution >= 0 && resolution < 1e9) {
		return nil, 0, "", fmt.Errorf("damaged: the resolution is %q", values[traceResolutionKey])
	}
	if err := json.Unmarshal([]byte(values[traceRunsKey]), &runs); err != nil {
		return nil, 0, "", fmt.Errorf("damaged: the list of runs: %w", err)
	}
	return runs, resolution, sum, nil
}
