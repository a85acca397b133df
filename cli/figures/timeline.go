package figures

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"jitterfly/collectives/recording"
	"jitterfly/internal/units"
)

// Largest numbers of ranks and tracks in a timeline.
const (
	MaxRanks  = 256
	MaxTracks = 1024 // of all ranks together
)

// A look is the fill and the name of a kind of activity.
type look struct {
	area
	name string
}

// looks are the looks of all activities: warm colours for delays, green for messages, and
// blue or purple for work of a processor.
var looks = [recording.Kinds]look{
	recording.Computing: {area{color: blue}, "computing"},
	recording.Sending:   {area{color: purple}, "posting messages"},
	recording.Receiving: {area{color: skyBlue}, "receiving"},
	recording.Polling:   {area{color: yellow}, "polling all connections"},
	recording.Detour:    {area{color: vermillion}, "detour"},
	recording.Latency:   {area{color: middleGrey}, "first byte in transit"},
	recording.Flowing:   {area{color: green}, "message at the full rate of its links"},
	recording.Sharing:   {area{color: paleGreen}, "message slowed down by others"},
	recording.Waiting:   {area{color: paleGrey}, "waiting"},
	recording.Blocked:   {area{color: paleBlue}, "waiting for the processor, or the gap"},
	recording.Stalled:   {area{color: paleRed}, "waiting for room in a buffer"},
	recording.Delayed:   {area{color: orange}, "waiting for a message delayed by noise"},
	recording.Saved:     {area{hatched: true}, "avoided by a redundant copy"},
}

// Lines of messages and of the critical path.
var (
	copyLine = draw.LineStyle{Color: green, Width: 0.6}
	critical = draw.LineStyle{Color: black, Width: 1.5}
	halo     = draw.LineStyle{Color: white, Width: 3}
)

// Timeline returns a figure of one trial: what each rank, or node, does at each time, the
// redundant copies from which ranks continued, and the critical path.
func Timeline(title string, rec *recording.Recording) Figure {
	tracks := len(rec.Tracks) / max(1, rec.Ranks) // of a rank
	end := rec.End.Time
	present := [recording.Kinds]bool{}
	for i := range rec.Tracks {
		end = math.Max(end, rec.Tracks[i].End())
		for _, a := range rec.Tracks[i].Activities {
			present[a.Kind] = true
		}
	}
	x := linear(units.Time, 0, end)
	x.top *= 1.005
	y := whole(-0.5, float64(rec.Ranks)-0.5)
	for i := range y.ticks { // rank 0 at the top
		y.ticks[i] = plot.Tick{Value: -y.ticks[i].Value, Label: strconv.Itoa(int(y.ticks[i].Value))}
	}
	y.low, y.top = -y.top, -y.low
	p := newPlot("", x, y)
	p.X.Label.Text, p.Y.Label.Text = "time since the start", "rank"
	if tracks > 1 {
		p.Y.Label.Text = "node: what it sends, what it receives, its processor"
	}
	p.X.Padding, p.Y.Padding = 0, 0
	height := vg.Length(min(max(420/float64(rec.Ranks), 2.6), 18))
	if tracks > 1 {
		height = vg.Length(min(max(480/float64(rec.Ranks), 1.8*float64(tracks)), 8*float64(tracks)))
	}
	path := rec.CriticalPath().Points
	p.Add(&bars{Recording: rec, tracks: tracks, path: path, gap: min(1.5, height/6)})
	pg := page{
		name: "timeline", title: title, width: 940, height: height*vg.Length(rec.Ranks) + 45,
	}
	for k, l := range looks {
		if present[k] {
			pg.legend = append(pg.legend, entry{label: l.name, fill: &looks[k].area})
		}
	}
	if len(rec.Copies) > 0 {
		pg.legend = append(pg.legend, entry{label: copyName, line: copyLine})
	}
	pg.legend = append(pg.legend, entry{label: "critical path", line: critical})
	return pg.figure([]*plot.Plot{p})
}

// copyName is the name of a redundant copy from which a rank continued.
const copyName = "redundant copy used"

// bars draws the tracks of all ranks, and the messages between them.
type bars struct {
	*recording.Recording
	tracks int // of a rank
	path   []recording.Point
	gap    vg.Length // between the bars of ranks
}

// Plot implements [plot.Plotter].
func (t *bars) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	edges := func(track int) (top, bottom vg.Length) {
		rank := float64(track / t.tracks)
		top, bottom = toY(-rank+0.5)-t.gap/2, toY(-rank-0.5)+t.gap/2
		height := (top - bottom) / vg.Length(t.tracks)
		top -= height * vg.Length(track%t.tracks)
		return top, top - height
	}
	for i := range t.Tracks {
		top, bottom := edges(i)
		for _, a := range t.Tracks[i].Activities {
			looks[a.Kind].rectangle(&c, toX(a.From), bottom, toX(a.To), top)
		}
	}
	at := func(p recording.Point) vg.Point {
		top, bottom := edges(p.Track)
		return vg.Point{X: toX(p.Time), Y: (top + bottom) / 2}
	}
	for _, m := range t.Copies {
		c.StrokeLines(copyLine, []vg.Point{at(m.From), at(m.To)})
		dot := draw.GlyphStyle{Color: green, Radius: 1.6, Shape: draw.CircleGlyph{}}
		c.DrawGlyphNoClip(dot, at(m.To))
	}
	var path []vg.Point
	for _, point := range t.path {
		path = append(path, at(point))
	}
	c.StrokeLines(halo, path)
	c.StrokeLines(critical, path)
}
