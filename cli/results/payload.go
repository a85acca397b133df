package results

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"slices"

	"jitterfly/cli/figures"
	"jitterfly/cli/study"
	"jitterfly/datasets"
	"jitterfly/internal/vector"
)

// A payload is the data that the page's script reads: base64 of gzip of
//
//	length of the header, 32 bits
//	header, JSON, with spaces up to a multiple of four bytes
//	columns, one after the other, little-endian float32
//
// Single precision has more digits than the page shows, and is a third of the
// size of the same numbers in JSON.
type payload struct {
	header  header
	columns bytes.Buffer
}

// A header names the columns, and contains everything that is not a number.
type header struct {
	Axes      []pageAxis `json:"axes"`
	Configs   []string   `json:"configs"`  // their IDs
	Warnings  []string   `json:"warnings"` // to which the column warning is an index
	Stops     []string   `json:"stops"`    // to which the column stop is an index
	Objective string     `json:"objective"`
	// Applications says that the times are times of iterations.
	Applications bool         `json:"applications"`
	Columns      []pageColumn `json:"columns"`
	// Summarised are the columns of the summary that are quantiles.
	Summarised []datasets.Quantile `json:"summarised,omitempty"`
	// Shares are the shares of the quantiles in the column quantiles, which has one value
	// of each for every row of the summary. They are empty if trials were not kept.
	Shares []float64 `json:"shares"`
	// Ranks, Rows and Moments are only in the page of a recorded program: the names of the ranks, of
	// the rows of the map of arrivals, and of the ranks in the timeline.
	Ranks   []string `json:"ranks,omitempty"`
	Rows    []string `json:"rows,omitempty"`
	Moments []string `json:"moments,omitempty"`
}

type pageColumn struct {
	Name   string `json:"name"`
	Length int    `json:"length"`
}

func applications(r *datasets.Results) bool {
	return slices.ContainsFunc(r.Choices, func(c datasets.ChoiceRow) bool { return c.Iterations > 0 })
}

// encode returns the results as a payload. It fails if the trials cannot be read.
func encode(r *datasets.Results) (string, error) {
	p := payload{header: header{
		Axes: pageAxes(r), Warnings: []string{}, Stops: []string{}, Shares: []float64{},
		Objective: r.Choices[0].ByName, Applications: applications(r), Summarised: datasets.Quantiles,
	}}
	p.configurations(r)
	p.summary(r)
	if r.KeepTrials && !p.header.Applications { // else what is kept is means of iterations
		if err := p.distributions(r); err != nil {
			return "", err
		}
	}
	return p.pack(), nil
}

func (p *payload) add(name string, length int, value func(i int) float64) {
	p.header.Columns = append(p.header.Columns, pageColumn{name, length})
	for i := range length {
		bits := math.Float32bits(float32(value(i)))
		p.columns.Write(binary.LittleEndian.AppendUint32(nil, bits))
	}
}

func (p *payload) configurations(r *datasets.Results) {
	n := len(r.Choices)
	p.header.Configs = vector.Each(r.Choices, func(c datasets.ChoiceRow) string { return c.ConfigID })
	for _, a := range p.header.Axes {
		p.add("axis "+a.Column, n, func(i int) float64 { return float64(a.index[i]) })
	}
	for _, name := range datasets.ColumnsOnPage[datasets.Pick](p.header.Applications) {
		of := datasets.ColumnOf[datasets.ChoiceRow](name)
		p.add(name, n, func(i int) float64 { return datasets.Number(of(&r.Choices[i])) })
	}
	p.add("warning", n, func(i int) float64 {
		return position(&p.header.Warnings, r.Choices[i].Warning)
	})
	p.add("results", n, func(i int) float64 { return float64(len(r.Measures[i])) })
}

func (p *payload) summary(r *datasets.Results) {
	rows := make([]*datasets.Measures, 0, len(r.Choices))
	for _, measures := range r.Measures {
		for t := range measures {
			rows = append(rows, &measures[t])
		}
	}
	for _, name := range datasets.ColumnsOnPage[datasets.Measures](p.header.Applications) {
		of := datasets.ColumnOf[datasets.Measures](name)
		p.add(name, len(rows), func(i int) float64 { return datasets.Number(of(rows[i])) })
	}
	p.add("stop", len(rows), func(i int) float64 {
		return position(&p.header.Stops, rows[i].StopReason)
	})
}

// position returns the index of a text in a list, and appends it if it is missing.
func position(list *[]string, text string) float64 {
	i := slices.Index(*list, text)
	if i < 0 {
		i = len(*list)
		*list = append(*list, text)
	}
	return float64(i)
}

const (
	maxQuantiles = 1 << 20 // of all rows together, which bounds the size of the page
	maxShares    = 201     // of one row
	minShares    = 9       // fewer show no more than the quantiles of the summary
)

// distributions adds evenly spaced quantiles of the kept trials, as many as the limits allow.
// It fails if the trials cannot be read.
func (p *payload) distributions(r *datasets.Results) error {
	rows, trials := 0, int64(0)
	for _, measures := range r.Measures {
		rows += len(measures)
		trials = max(trials, measures[0].Trials)
	}
	n := int(min(maxShares, trials, int64(maxQuantiles/rows)))
	if n < minShares {
		return nil
	}
	share := func(i int) float64 { return float64(i) / float64(n-1) }
	p.header.Shares = slices.Collect(vector.Sequence(n, share))
	var values []float64
	err := r.Trials(func(_, _ int, completions []float64) {
		slices.Sort(completions)
		for _, share := range p.header.Shares {
			values = append(values, vector.Quantile(completions, share))
		}
	})
	p.add("quantiles", len(values), func(i int) float64 { return values[i] })
	return err
}

// pack returns the payload.
func (p *payload) pack() string {
	text, _ := json.Marshal(p.header) // strings and numbers have a form in JSON
	for len(text)%4 != 0 {
		text = append(text, ' ')
	}
	var packed bytes.Buffer
	w, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression) // which is a level
	length := binary.LittleEndian.AppendUint32(nil, uint32(len(text)))
	for _, part := range [][]byte{length, text, p.columns.Bytes()} {
		_, _ = w.Write(part) // a buffer takes all
	}
	_ = w.Close()
	return base64.StdEncoding.EncodeToString(packed.Bytes())
}

// A pageAxis is a column whose value differs between configurations.
type pageAxis struct {
	Column string   `json:"column"`
	Title  string   `json:"title"`
	Help   string   `json:"help"`
	Labels []string `json:"labels"` // of its values, in order
	Ticks  []string `json:"ticks"`  // short labels

	index []int // of each configuration, the place of its value
}

// pageAxes returns the axes on which the configurations differ, without axes that others determine.
func pageAxes(r *datasets.Results) []pageAxis {
	value := func(row, axis int) any { return study.Axes[axis].In(&r.Choices[row].Axes) }
	found := []pageAxis{}
	varying := datasets.Varying(len(r.Choices), study.Preferred(r.Values), value)
	for _, i := range slices.Sorted(slices.Values(varying)) {
		key := study.Axes[i]
		a := pageAxis{Column: key.Column, Title: key.Label(), Help: key.Help}
		values, places := datasets.Distinct(len(r.Choices), func(row int) any { return value(row, i) })
		a.Labels = vector.Each(values, key.Format)
		for row := range r.Choices {
			a.index = append(a.index, places[value(row, i)])
		}
		a.Ticks = figures.Labels(key, values)
		found = append(found, a)
	}
	return found
}
