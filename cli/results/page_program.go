package results

import (
	"io"

	"jitterfly/cli/internal/output"
)

// programScripts are the files of the script of a program's page, in their order.
var programScripts = []string{"data.js", "format.js", "scale.js", "svg.js", "program.js"}

// A Program is what the page of a recorded program shows.
type programPage struct {
	Name     string // of the recording
	Version  string // of the program that writes the page
	Headline []string
	Facts    string
	Tables   []pageTable
	Notes    []string
	// Sampled says which collectives the map of arrivals shows.
	Sampled string
	// Worst says which collective the timeline shows.
	Worst string
	// Ranks are the names of the ranks by which Time and Waiting are [s].
	Ranks         []string
	Time, Waiting []float64
	// Rows are the names of the rows of the map of arrivals, and Numbers the numbers of its columns.
	// Late has how late [s] each row is, by column.
	Rows    []string
	Numbers []int
	Late    [][]float64
	// Moments are what some ranks did about the worst collective, and Last when the last of all came.
	Moments []pageMoment
	Last    float64
}

// A pageTable is a table with a title, as on a screen.
type pageTable struct {
	Title string
	output.Table
}

// A pageMoment is when a rank left the collective before, and entered and left this one [s].
type pageMoment struct {
	Rank                string
	Begin, Enter, Leave float64
}

// writeProgramPage writes the page of a recorded program. It fails if w fails.
func writeProgramPage(w io.Writer, p *programPage) error {
	data := payload{header: header{Ranks: p.Ranks, Rows: p.Rows}}
	data.add("time", len(p.Time), func(i int) float64 { return p.Time[i] })
	data.add("waiting", len(p.Waiting), func(i int) float64 { return p.Waiting[i] })
	data.add("number", len(p.Numbers), func(i int) float64 { return float64(p.Numbers[i]) })
	n := len(p.Rows)
	data.add("late", len(p.Late)*n, func(i int) float64 { return p.Late[i/n][i%n] })
	begin := p.Last
	for _, m := range p.Moments {
		data.header.Moments = append(data.header.Moments, m.Rank)
		begin = min(begin, m.Begin)
	}
	add := func(name string, of func(pageMoment) float64) {
		data.add(name, len(p.Moments), func(i int) float64 { return of(p.Moments[i]) - begin })
	}
	add("begin", func(m pageMoment) float64 { return m.Begin })
	add("enter", func(m pageMoment) float64 { return m.Enter })
	add("leave", func(m pageMoment) float64 { return m.Leave })
	data.add("last", 1, func(int) float64 { return p.Last - begin })
	text, err := data.pack()
	if err != nil {
		return err
	}
	return render(w, "program.html", programScripts, text, p)
}
