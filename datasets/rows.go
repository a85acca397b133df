// Package datasets keeps the results of studies, and what the program knows of systems
// that others have measured.
//
// A [Dir] is a directory of results. While the study runs, a [Collector] writes parts,
// each whole or not at all; [Dir.Finish] merges them into Parquet files, one a table.
// [OpenResults] reads the tables. The same records give the same bytes, on any
// processor. docs/format.md describes the columns.
//
// Parts are not Parquet files: a Parquet file is unreadable without the footer at its end, its
// readers trust the lengths that a file claims, and one record cannot be read without its column
// chunks. A part is checked by its name, its records are found by an index and read one by one, each
// with a checksum, and no file makes a reader use more than a small multiple of its size.
//
// [WriteTrace] and [DecodeTrace] are for the detours of a measured trace. [Presets] has
// noise profiles, [DefaultStudy] a study. No other package knows Parquet.
package datasets

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"

	"jitterfly/internal/vector"

	"github.com/parquet-go/parquet-go"
)

// NewAxes returns the axes of a configuration, whose values are in the order of the columns.
// It panics if there are more, or if one is not of its column's type.
func NewAxes(configID string, values []any) Axes {
	a := Axes{ConfigID: configID}
	fields := reflect.ValueOf(&a).Elem()
	for i, v := range values {
		fields.Field(i + 1).Set(reflect.ValueOf(v))
	}
	return a
}

// Value returns the value of an axis, of which 0 is the first: a string, an int64 or a float64.
func (a *Axes) Value(axis int) any { return reflect.ValueOf(a).Elem().Field(axis + 1).Interface() }

// Measures describe the completion times of a configuration at one T. NoiseFree is the
// completion time without noise, LowerBound a lower bound of the mean at any T. Quantiles that
// the trials do not resolve are NaN: the tag quantile has the share, from which all else follows. The
// tag page has columns in the page of results, for all studies or only for iterations of applications.
type Measures struct {
	Redundancy int64   `parquet:"redundancy"`
	Trials     int64   `parquet:"trials" page:"all"`
	StopReason string  `parquet:"stop_reason,plain"`
	NoiseFree  float64 `parquet:"quiet_s" page:"all"`
	Mean       float64 `parquet:"mean_s" page:"all"`
	StdDev     float64 `parquet:"stddev_s"`
	LowerBound float64 `parquet:"floor_s" page:"all"`
	Low        float64 `parquet:"ci_low_s" page:"all"`
	High       float64 `parquet:"ci_high_s" page:"all"`
	Min        float64 `parquet:"min_s" page:"all" quantile:"0"`
	P50        float64 `parquet:"p50_s" page:"all" quantile:"0.5"`
	P90        float64 `parquet:"p90_s" page:"all" quantile:"0.9"`
	P95        float64 `parquet:"p95_s" page:"all" quantile:"0.95"`
	P99        float64 `parquet:"p99_s" page:"all" quantile:"0.99"`
	P999       float64 `parquet:"p999_s" page:"all" quantile:"0.999"`
	Max        float64 `parquet:"max_s" page:"all" quantile:"1"`
	Slowdown   float64 `parquet:"slowdown"`
	Speedup    float64 `parquet:"speedup"`
	Messages   float64 `parquet:"messages" page:"all"`
	Bandwidth  float64 `parquet:"alltoall_bandwidth_Bps"`
	Buffer     float64 `parquet:"buffer_bytes"`
	// InCalls is the mean time that ranks spend in the calls of an iteration, waiting included, and
	// Share its share of the iteration; Shown is how much slower noise makes an iteration, relative
	// to the share of time that it takes from a processor. Of one launch they are Mean, 1 and NaN.
	InCalls float64 `parquet:"collective_s"`
	Share   float64 `parquet:"collective_share"`
	Shown   float64 `parquet:"noise_amplification"`
}

// A Pick is the redundancy chosen for a configuration. Confidence is a lower bound of the
// probability that its objective is within the tolerance of the best; RegretHigh an upper
// bound of how far above the best it is, relative; Low the smallest redundancy that may be
// as good; GainLow a lower bound of Speedup.
type Pick struct {
	Star       int64   `parquet:"t_star" page:"all"`
	Argmin     int64   `parquet:"t_argmin"`
	ByName     string  `parquet:"objective,plain"`
	Objective  float64 `parquet:"objective_s"`
	Baseline   float64 `parquet:"baseline_s" page:"all"`
	Speedup    float64 `parquet:"speedup"`
	Confidence float64 `parquet:"confidence" page:"all"`
	RegretHigh float64 `parquet:"regret_high" page:"all"`
	Estimate   int64   `parquet:"t_estimate" page:"all"`
	Estimated  float64 `parquet:"estimate_s" page:"all"`
	Low        int64   `parquet:"t_low" page:"all"`
	High       int64   `parquet:"t_high" page:"all"`
	GainLow    float64 `parquet:"gain_low" page:"all"`
	Needed     int64   `parquet:"trials_needed" page:"all"`
	Warning    string  `parquet:"warning,plain"`
	// CallsSpeedup is the mean time that ranks spend in calls at T = 0 over the time at Estimate; of one
	// launch the ratio of the means. Share and Shown are the values of [Measures] at Estimate.
	CallsSpeedup float64 `parquet:"collective_speedup" page:"iterations"`
	Share        float64 `parquet:"collective_share" page:"iterations"`
	Shown        float64 `parquet:"noise_amplification" page:"iterations"`
}

// A SummaryRow is a row of summary.parquet: a configuration and a T.
type SummaryRow struct {
	Axes
	Measures
}

// A ChoiceRow is a row of choice.parquet: a configuration.
type ChoiceRow struct {
	Axes
	Pick
}

// A TrialRow is a row of trials.parquet: a trial at one T.
type TrialRow struct {
	ConfigID   string  `parquet:"config_id,plain"`
	Redundancy int64   `parquet:"redundancy"`
	Trial      int64   `parquet:"trial"`
	Completion float64 `parquet:"completion_s"`
}

// An AttributionRow is a row of attribution.parquet: the cost of a source of noise in a design, or
// the time that a remedy leads to. The axes are the values of the design's configuration. Half is half
// of a 95% interval.
type AttributionRow struct {
	Axes
	Kind       string  `parquet:"row,plain"` // source or remedy
	Name       string  `parquet:"name,plain"`
	Design     string  `parquet:"design,plain"` // of a source: plain or chosen
	Redundancy int64   `parquet:"redundancy"`
	Step       int64   `parquet:"step"` // of a remedy, from 1
	Taken      int64   `parquet:"taken"`
	Trials     int64   `parquet:"trials"`
	ByName     string  `parquet:"objective,plain"`
	Time       float64 `parquet:"time_s"`
	TimeHalf   float64 `parquet:"time_half_s"`
	NoiseFree  float64 `parquet:"noise_free_s"`
	// Of runs of a recorded program; else NaN.
	RunP10 float64 `parquet:"run_p10_s"`
	RunP90 float64 `parquet:"run_p90_s"`
	// Of sources; of remedies NaN.
	Share       float64 `parquet:"share_s"`
	ShareHalf   float64 `parquet:"share_half_s"`
	Alone       float64 `parquet:"alone_s"`
	AloneHalf   float64 `parquet:"alone_half_s"`
	Removed     float64 `parquet:"removed_s"`
	RemovedHalf float64 `parquet:"removed_half_s"`
	// Of remedies; of sources NaN.
	Change     float64 `parquet:"change_s"`
	ChangeHalf float64 `parquet:"change_half_s"`
	Verdict    string  `parquet:"verdict,plain"`
	Open       string  `parquet:"open,plain"`
}

// A ProgramRow is a row of program.parquet: the choice for the allreduces of a recorded program with
// the given bytes and ranks, and the time that it saves. Half is half of an interval at the study's
// confidence.
type ProgramRow struct {
	Directory  string  `parquet:"directory,plain"`
	Study      string  `parquet:"study,plain"`
	Bytes      int64   `parquet:"bytes"`
	Recorded   int64   `parquet:"recorded_ranks"`
	Ranks      int64   `parquet:"ranks"`
	Calls      int64   `parquet:"calls"`
	Collective string  `parquet:"collective,plain"`
	Sources    int64   `parquet:"sources"`
	Leaders    int64   `parquet:"leaders"`
	Redundancy int64   `parquet:"redundancy"`
	Iteration  float64 `parquet:"recorded_s"`
	Plain      float64 `parquet:"plain_s"`
	Saved      float64 `parquet:"saved_s"`
	SavedHalf  float64 `parquet:"saved_half_s"`
	SavedP10   float64 `parquet:"saved_p10_s"`
	SavedP90   float64 `parquet:"saved_p90_s"`
	Iterations int64   `parquet:"run_iterations"`
	Run        float64 `parquet:"run_s"`
	Warning    string  `parquet:"warning,plain"`
}

// A Record is the result of one configuration, without its axes, which follow from the study.
type Record struct {
	Pick     Pick
	Measures []Measures
	// Completion has the completion times of every T, trial by trial; it is empty
	// unless trials are kept.
	Completion []float64
	// State reports whether more trials would change the record. Kept has the trials to continue from.
	State State
	Kept  Kept
}

// Summaries returns the record's rows of summary.parquet.
func (r *Record) Summaries(a Axes) []SummaryRow {
	return vector.Each(r.Measures, func(m Measures) SummaryRow { return SummaryRow{a, m} })
}

// Trials returns the record's rows of trials.parquet, by T and then by trial.
func (r *Record) Trials(configID string) []TrialRow {
	rows := make([]TrialRow, 0, len(r.Completion))
	for t := range r.Measures {
		for i := t; i < len(r.Completion); i += len(r.Measures) {
			rows = append(rows, TrialRow{configID, int64(t), int64(i / len(r.Measures)),
				r.Completion[i]})
		}
	}
	return rows
}

// A State says whether more trials would change a configuration's record.
type State int64

const (
	// Final records stay as they are, however many trials the study allows.
	Final State = iota
	// AtBound records have as many trials as the study allows.
	AtBound
	// Interrupted records have only the trials so far.
	Interrupted
	// Excluded records belong to candidates that cannot be chosen, or that are recorded already, and
	// have no rows in the tables.
	Excluded
)

// Kept are trials of a configuration, packed: most are the same where noise is rare.
type Kept struct {
	Trials int64
	// Common has the values of a trial that most others are equal to.
	Common []float64
	// Others are the trials that are not, and Values theirs, one trial after the other.
	Others []int64
	Values []float64
}

// NewKept packs trials: their completion times, one trial after the other, and the lower bound
// of each.
func NewKept(completion, lowerBound []float64) Kept {
	k := Kept{Trials: int64(len(lowerBound))}
	if k.Trials == 0 {
		return k
	}
	n := len(completion) / len(lowerBound)
	trial := func(i int) []float64 {
		return append(completion[i*n:(i+1)*n:(i+1)*n], lowerBound[i])
	}
	least := 0
	for i := range lowerBound {
		if completion[i*n] < completion[least*n] {
			least = i
		}
	}
	k.Common = trial(least)
	for i := range lowerBound {
		if values := trial(i); !slices.Equal(values, k.Common) {
			k.Others, k.Values = append(k.Others, int64(i)), append(k.Values, values...)
		}
	}
	return k
}

// Unpack returns what [NewKept] packed.
func (k *Kept) Unpack() (completion, lowerBound []float64) {
	n := len(k.Common) - 1
	next := 0
	for i := range k.Trials {
		values := k.Common
		if next < len(k.Others) && k.Others[next] == i {
			values = k.Values[next*(n+1) : (next+1)*(n+1)]
			next++
		}
		completion = append(completion, values[:n]...)
		lowerBound = append(lowerBound, values[n])
	}
	return completion, lowerBound
}

// check fails if there is nothing that Unpack could return.
func (k *Kept) check() error {
	const most = 1 << 31 // trials of a study
	sound := k.Trials >= 0 && k.Trials < most && int64(len(k.Others)) <= k.Trials &&
		len(k.Values) == len(k.Others)*len(k.Common) &&
		(k.Trials == 0 || len(k.Common) > 1) && slices.IsSorted(k.Others)
	for _, i := range k.Others {
		sound = sound && i >= 0 && i < k.Trials
	}
	if !sound {
		return errors.New("not trials")
	}
	return nil
}

// Columns returns the names of a row type's columns.
func Columns[T any]() []string {
	return vector.Each(parquet.SchemaOf(*new(T)).Columns(), func(path []string) string { return path[0] })
}

// ColumnsOnPage returns the names of the columns of a row type that pages show, of studies of iterations
// of applications or of others.
func ColumnsOnPage[T any](iterations bool) []string {
	var names []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		if of := f.Tag.Get("page"); of == "all" || of == "iterations" && iterations {
			names = append(names, columnName(f))
		}
	}
	return names
}

// columnName returns the name of a field's column.
func columnName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("parquet"), ",")
	return name
}

// ColumnOf returns the function that returns a row's value of the column with a name: a string, an int64 or a
// float64. It is nil if the row type has no such column.
func ColumnOf[T any](name string) func(row *T) any {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		if f.Anonymous || columnName(f) != name {
			continue
		}
		return func(row *T) any { return reflect.ValueOf(row).Elem().FieldByIndex(f.Index).Interface() }
	}
	return nil
}

// Number returns a value of a column as a number, NaN for a string.
func Number(value any) float64 {
	switch v := value.(type) {
	case int64:
		return float64(v)
	case float64:
		return v
	}
	return math.NaN()
}

// Fields returns a row's values, in the order of its columns.
func Fields[T any](row T) []any {
	var fields []any
	for _, v := range parquet.SchemaOf(row).Deconstruct(nil, row) {
		switch v.Kind() {
		case parquet.Int64:
			fields = append(fields, v.Int64())
		case parquet.Double:
			fields = append(fields, v.Double())
		default:
			fields = append(fields, v.String())
		}
	}
	return fields
}
