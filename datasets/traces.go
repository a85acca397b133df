package datasets

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"jitterfly/noise/trace"
)

// TraceFormat is the version of the format of traces. It changes when a reader of an
// older one would be misled.
const TraceFormat = 1

// The names of a trace's metadata.
const (
	traceFormatKey     = "jitterfly.trace"
	traceResolutionKey = "jitterfly.resolution_s"
	traceRunsKey       = "jitterfly.runs"
)

// A traceRow is a detour.
type traceRow struct {
	Run    int64   `parquet:"run,plain"`
	Core   int64   `parquet:"core,plain"`
	Start  float64 `parquet:"start_s,plain"`
	Length float64 `parquet:"length_s,plain"`
}

// A traceRun is an entry of a trace, which may have no detour.
type traceRun struct {
	Core int     `json:"core"`
	Span float64 `json:"span_s"`
}

// WriteTrace writes a trace as a Parquet file, whole or not at all. It replaces a
// file of that name. The bytes depend on the trace and the program's version alone.
func WriteTrace(path, version string, t trace.Trace) error {
	file, err := create(filepath.Dir(path), filepath.Base(path))
	if err != nil {
		return brief(err)
	}
	defer file.abandon()
	runs := make([]traceRun, len(t.Cores))
	for i, c := range t.Cores {
		runs[i] = traceRun{c.ID, c.Span}
	}
	text, err := json.Marshal(runs)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	writer := parquet.NewGenericWriter[traceRow](file,
		parquet.CreatedBy(program, version, ""),
		parquet.KeyValueMetadata("jitterfly.version", version),
		parquet.KeyValueMetadata(traceFormatKey, strconv.Itoa(TraceFormat)),
		parquet.KeyValueMetadata(traceResolutionKey,
			strconv.FormatFloat(t.Resolution, 'g', -1, 64)),
		parquet.KeyValueMetadata(traceRunsKey, string(text)),
		// What readTracePages expects. Measured times hardly become shorter by
		// compression.
		parquet.Compression(&parquet.Uncompressed),
		parquet.MaxRowsPerRowGroup(1<<20),
	)
	for i, c := range t.Cores {
		rows := make([]traceRow, len(c.Detours))
		for j, d := range c.Detours {
			rows[j] = traceRow{int64(i), int64(c.ID), d.Start, d.Length}
		}
		if _, err := writer.Write(rows); err != nil {
			return brief(err)
		}
	}
	if err := errors.Join(writer.Close(), file.complete()); err != nil {
		return brief(err)
	}
	return brief(file.publish(filepath.Base(path)))
}

// DecodeTrace returns the trace in the content of a file that [WriteTrace] wrote. It
// fails for all other Parquet files, even of the same rows in another encoding, and
// uses no more memory than a small multiple of the size.
func DecodeTrace(content []byte) (trace.Trace, error) {
	meta, err := readFooter(content)
	if err != nil {
		return trace.Trace{}, err
	}
	runs, resolution, err := traceMetadata(meta.KeyValueMetadata)
	if err != nil {
		return trace.Trace{}, err
	}
	detours := make([][]trace.Detour, len(runs))
	err = readPlainRows(content, meta, []string{"run", "core", "start_s", "length_s"},
		func(values []uint64) error {
			row := newTraceRow(values)
			if row.Run < 0 || row.Run >= int64(len(runs)) || row.Core != int64(runs[row.Run].Core) {
				return fmt.Errorf("damaged: a detour of run %d on core %d", row.Run, row.Core)
			}
			detours[row.Run] = append(detours[row.Run],
				trace.Detour{Start: row.Start, Length: row.Length})
			return nil
		})
	if err != nil {
		return trace.Trace{}, err
	}
	t := trace.Trace{Resolution: resolution}
	for i, run := range runs {
		core, merged, err := trace.NewCore(run.Core, run.Span, detours[i])
		if err == nil && (merged > 0 || core.Span != run.Span) {
			err = errors.New("detours overlap, or end after the span")
		}
		if err != nil {
			return trace.Trace{}, fmt.Errorf("damaged: run %d: %w", i, err)
		}
		t.Cores = append(t.Cores, core)
	}
	return t, nil
}

// traceMetadata returns the cores and the resolution of a trace.
func traceMetadata(metadata []format.KeyValue) (runs []traceRun, resolution float64, err error) {
	values := map[string]string{}
	for _, kv := range metadata {
		values[kv.Key] = kv.Value
	}
	if v := values[traceFormatKey]; v != strconv.Itoa(TraceFormat) {
		if v == "" {
			return nil, 0, errors.New("a Parquet file, but not a trace of jitterfly")
		}
		return nil, 0, fmt.Errorf("a trace of format %q, and this program knows %d", v, TraceFormat)
	}
	resolution, err = strconv.ParseFloat(values[traceResolutionKey], 64)
	if err != nil || !(resolution >= 0 && resolution < 1e9) {
		return nil, 0, fmt.Errorf("damaged: the resolution is %q", values[traceResolutionKey])
	}
	if err := json.Unmarshal([]byte(values[traceRunsKey]), &runs); err != nil {
		return nil, 0, fmt.Errorf("damaged: the list of runs: %w", err)
	}
	return runs, resolution, nil
}
