package datasets

import (
	"bytes"
	_ "embed" // of meanings.json
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"sync"
)

// columnsKey is the name in a file's metadata of what its columns are: a JSON list of descriptions.
const columnsKey = "jitterfly.columns"

// A description says what a column has. The unit is empty for numbers without one and for texts.
type description struct {
	Name    string `json:"name,omitempty"`
	Unit    string `json:"unit,omitempty"`
	Meaning string `json:"meaning"`
}

//go:embed meanings.json
var meaningsText []byte

// meanings returns the units and meanings of columns, by the file of their table, the axes and the
// trace. go generate ./cli/study writes them, of the keys and of docs/format.md.
var meanings = sync.OnceValue(func() (all map[string]map[string]description) {
	if err := json.Unmarshal(meaningsText, &all); err != nil {
		panic("datasets: meanings.json: " + err.Error())
	}
	return all
})

// describe returns the descriptions of the columns of a table, as JSON.
func describe(table string, names []string) string {
	all := make([]description, len(names))
	for i, name := range names {
		found, ok := meanings()[table][name]
		if !ok {
			found = meanings()["axes"][name]
		}
		all[i] = description{name, found.Unit, found.Meaning}
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(all) // texts can be encoded
	return string(bytes.TrimSpace(text.Bytes()))
}

// A Quantile is a column of [Measures] that is a quantile of completion times. The smallest has
// share 0, the largest share 1.
type Quantile struct {
	Column string  `json:"column"`
	Share  float64 `json:"share"`
	field  int
}

// Quantiles are the quantiles in summary.parquet, in the order of its columns.
var Quantiles = func() (all []Quantile) {
	of := reflect.TypeFor[Measures]()
	for i := range of.NumField() {
		if share, err := strconv.ParseFloat(of.Field(i).Tag.Get("quantile"), 64); err == nil {
			all = append(all, Quantile{columnName(of.Field(i)), share, i})
		}
	}
	return all
}()

// SetQuantiles sets the columns of [Quantiles] to the quantiles of n times, in their order; what n
// times do not resolve is NaN.
func (m *Measures) SetQuantiles(quantiles []float64, n int64) {
	row := reflect.ValueOf(m).Elem()
	for i, q := range Quantiles {
		value := quantiles[i]
		if extreme := q.Share == 0 || q.Share == 1; !extreme && !resolved(q.Share, n) {
			value = math.NaN()
		}
		row.Field(q.field).SetFloat(value)
	}
}

// evidence is the number of trials that must lie beyond a quantile for it to be an estimate: with
// fewer, two runs of the same study differ by too much for the quantile to mean anything.
const evidence = 10

// resolved reports whether n trials resolve the p-quantile: whether n (1 − p) ≥ 10 of them are
// expected beyond it. The median takes 20 trials, the 99th percentile 1000. Tables, figures and
// reports leave out what is not resolved.
func resolved(p float64, n int64) bool {
	const rounding = 0x1p-52 // 1 − 0.9 is a little less than 0.1
	return float64(n)*(1-p+rounding) >= evidence
}
