package results

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"jitterfly/cli/internal/output"
	"jitterfly/datasets"
	"jitterfly/program"
)

// Limits of the pictures of a page.
const (
	mostRows      = 512 // of the map of arrivals
	mostColumns   = 1024
	mostTimelines = 48
)

// page returns what the page of a recording shows.
func (a *answer) page() *programPage {
	p := &programPage{
		Name: filepath.Base(a.dir), Version: datasets.Version, Headline: []string{a.verdict(), a.waits()},
		Facts: a.recorded(), Notes: append(a.notes(), a.basis()...),
		Tables: []pageTable{
			{Title: "Collectives, with the mean time of a rank in them", Table: a.callsTable()},
		},
	}
	if t := a.computingTable(); len(t.Rows) > 0 {
		p.Tables = append(p.Tables, pageTable{Title: "Computing before them", Table: t})
	}
	if a.Collectives > 0 {
		p.Tables = append(p.Tables, pageTable{Title: "Last to arrive", Table: a.lastTable()})
	}
	if a.split.Known >= leastKnown {
		p.Notes = append([]string{a.waitsFor()}, p.Notes...)
	}
	for _, r := range a.Ranks {
		p.Ranks = append(p.Ranks, r.Name())
		p.Time, p.Waiting = append(p.Time, r.Time), append(p.Waiting, r.Waiting)
	}
	if len(a.Groups) > 0 && len(a.Groups[0].Samples) > 1 {
		a.arrivals(p, a.Groups[0])
	}
	if a.Worst != nil {
		a.moments(p, a.Worst)
	}
	return p
}

// arrivals sets how late ranks are in the collectives of a group: of several ranks the latest, if there
// are too many.
func (a *answer) arrivals(p *programPage, g *program.Group) {
	samples := g.Samples[:min(mostColumns, len(g.Samples))]
	members := a.members(g)
	together := (len(members) + mostRows - 1) / mostRows
	for lo := 0; lo < len(members); lo += together {
		name := fmt.Sprintf("rank %d", members[lo])
		if hi := min(len(members), lo+together) - 1; hi > lo {
			name += fmt.Sprintf(" to %d", members[hi])
		}
		p.Rows = append(p.Rows, name)
	}
	for _, s := range samples {
		var late []float64
		for few := range slices.Chunk(s.Late, together) {
			late = append(late, slices.Max(few))
		}
		p.Numbers, p.Late = append(p.Numbers, s.Number+1), append(p.Late, late)
	}
	p.Sampled = fmt.Sprintf("The collectives in which ranks wait longest in all: %s of %s, %d of %d calls.",
		g.Kind, output.Bytes(g.Bytes), len(samples), g.Calls)
}

// members returns the recorded ranks of a group's samples.
func (a *answer) members(g *program.Group) []int {
	var members []int
	for _, m := range g.Members(a.Recording) {
		if a.Processes[m] != nil {
			members = append(members, m)
		}
	}
	return members
}

// moments sets what ranks did about the collective that they waited longest for: all of them, or some and
// the last one.
func (a *answer) moments(p *programPage, m *program.Moment) {
	every := (len(m.Calls) + mostTimelines - 1) / mostTimelines
	last := ""
	for i, c := range m.Calls {
		name := fmt.Sprintf("rank %d", c.Rank)
		if c.Entry == m.Last {
			last = name
		}
		if i%every == 0 || c.Entry == m.Last {
			begin := c.Entry - c.Computed
			if math.IsNaN(begin) {
				begin = c.Entry
			}
			p.Moments = append(
				p.Moments,
				pageMoment{Rank: name, Begin: begin, Enter: c.Entry, Leave: c.Exit},
			)
		}
	}
	p.Last = m.Last
	p.Worst = fmt.Sprintf("%s of %s from %s, %s after the program began: all wait for %s.", m.Row.Kind,
		output.Bytes(m.Row.Bytes), a.site(m.Row), output.Seconds(m.Last), last)
}
