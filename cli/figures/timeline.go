package figures

import (
	"math"
	"slices"
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

// Lines of what ranks continued from, and of the critical path, where bars are high enough for them.
var (
	messages = entry{label: "message", line: draw.LineStyle{Color: middleGrey, Width: 0.8}}
	copies   = entry{label: "redundant copy used", line: draw.LineStyle{Color: green, Width: 0.6}}
	// forwards are results in place of partial results.
	forwards = entry{label: "result forwarded",
		line: draw.LineStyle{Color: purple, Width: 0.8, Dashes: []vg.Length{3, 2}}}
	critical = entry{label: "critical path", line: draw.LineStyle{Color: black, Width: 1.1}}
)

// lookOf returns the look of a redundant copy.
func lookOf(m recording.Message) *entry {
	if m.Forwarded {
		return &forwards
	}
	return &copies
}

// Width of a timeline, and height of its bars together, on a screen; and the share of the time that
// can be seen, from which on an activity is in the legend.
const (
	timelineWidth  = 940
	timelineHeight = 420
	visible        = 0.001
)

// mostMessages is the largest number of ranks between which a timeline shows all messages.
const mostMessages = 8

// Timeline returns a figure of one trial: what each rank, or node, does at each time, the messages
// between few ranks, the redundant copies from which ranks continued, and the critical path. Its
// axis ends at least at the time least [s].
func Timeline(title string, rec *recording.Recording, least float64, l Layout) Figure {
	tracks := len(rec.Tracks) / max(1, rec.Ranks) // of a rank
	end := math.Max(rec.End.Time, least)
	longest := [recording.Kinds]float64{} // time of each kind on one track
	for i := range rec.Tracks {
		end = math.Max(end, rec.Tracks[i].End())
		spent := [recording.Kinds]float64{}
		for _, a := range rec.Tracks[i].Activities {
			spent[a.Kind] += a.To - a.From
			longest[a.Kind] = math.Max(longest[a.Kind], spent[a.Kind])
		}
	}
	x := linear(units.Time, 0, end)
	x.top *= 1.005
	y := whole(-0.5, float64(rec.Ranks)-0.5)
	for i := range y.ticks { // rank 0 at the top
		y.ticks[i] = plot.Tick{Value: -y.ticks[i].Value, Label: strconv.Itoa(int(y.ticks[i].Value))}
	}
	slices.Reverse(y.ticks)
	y.low, y.top = -y.top, -y.low
	p := newPlot("", x, y)
	p.X.Label.Text, p.Y.Label.Text = "time since the start", "rank"
	if tracks > 1 {
		p.Y.Label.Text = "node: sends, receives, processor"
	}
	p.X.Padding, p.Y.Padding = 0, 0
	p.Add(&bars{Recording: rec, tracks: tracks, path: rec.CriticalPath().Points})
	pg := page{
		Layout: l, name: "timeline", title: title, width: timelineWidth, least: timelineWidth,
		panels: []*plot.Plot{p},
		height: func(width vg.Length) vg.Length {
			return rowHeight(width, rec.Ranks, tracks)*vg.Length(rec.Ranks) + 45
		},
	}
	for k, l := range looks {
		if longest[k] > visible*end {
			pg.legend = append(pg.legend, entry{label: l.name, fill: &looks[k].area})
		}
	}
	if len(rec.Messages) > 0 && rec.Ranks <= mostMessages {
		pg.legend = append(pg.legend, messages)
	}
	for _, look := range []*entry{&copies, &forwards} {
		if slices.ContainsFunc(rec.Copies, func(m recording.Message) bool { return lookOf(m) == look }) {
			pg.legend = append(pg.legend, *look)
		}
	}
	pg.legend = append(pg.legend, critical)
	return pg.figures()[0]
}

// rowHeight returns the height of the bars of one rank in a timeline of that width: a share of the
// figure's, but neither so little that its bars vanish nor more than they need.
func rowHeight(width vg.Length, ranks, tracks int) vg.Length {
	all := max(200, timelineHeight*width/timelineWidth)
	least, most := 2.6, 18.0
	if tracks > 1 {
		all *= 1.15
		least, most = 1.8*float64(tracks), 8*float64(tracks)
	}
	if width < timelineWidth {
		least *= 0.7
	}
	return min(max(all/vg.Length(ranks), vg.Length(least)), vg.Length(most))
}

// bars draws the tracks of all ranks, and the messages between them.
type bars struct {
	*recording.Recording
	tracks int // of a rank
	path   []recording.Point
}

// Plot implements [plot.Plotter].
func (t *bars) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	gap := min(1.5, (toY(1)-toY(0))/6) // between the bars of ranks
	edges := func(track int) (top, bottom vg.Length) {
		rank := float64(track / t.tracks)
		top, bottom = toY(-rank+0.5)-gap/2, toY(-rank-0.5)+gap/2
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
	top, bottom := edges(0)
	height := top - bottom
	at := func(p recording.Point) vg.Point {
		top, bottom := edges(p.Track)
		return vg.Point{X: toX(p.Time), Y: (top + bottom) / 2}
	}
	message := func(m recording.Message, line draw.LineStyle) {
		line.Width = min(line.Width, height/5)
		dot := draw.GlyphStyle{Color: line.Color, Radius: min(1.6, height/3), Shape: draw.CircleGlyph{}}
		c.StrokeLines(line, []vg.Point{at(m.From), at(m.To)})
		c.DrawGlyphNoClip(dot, at(m.To))
	}
	if t.Ranks <= mostMessages {
		for _, m := range t.Messages {
			message(m, messages.line)
		}
	}
	for _, m := range t.Copies {
		message(m, lookOf(m).line)
	}
	t.drawPath(&c, at, height)
}

// drawPath draws the critical path without hiding what is beneath: what a rank does on it has a
// frame, a message is a line from one frame to the next.
func (t *bars) drawPath(c *draw.Canvas, at func(recording.Point) vg.Point, height vg.Length) {
	line := critical.line
	line.Width = min(line.Width, max(0.5, height/4))
	halo := draw.LineStyle{Color: translucent(white, 200), Width: 2.2 * line.Width}
	half := height/2 + line.Width/2
	for i := 1; i < len(t.path); i++ {
		from, to := at(t.path[i-1]), at(t.path[i])
		if t.path[i-1].Track == t.path[i].Track {
			frame := []vg.Point{
				{X: from.X, Y: from.Y - half}, {X: to.X, Y: to.Y - half}, {X: to.X, Y: to.Y + half},
				{X: from.X, Y: from.Y + half}, {X: from.X, Y: from.Y - half},
			}
			c.StrokeLines(line, frame)
			continue
		}
		up := half
		if to.Y < from.Y {
			up = -half
		}
		message := []vg.Point{{X: from.X, Y: from.Y + up}, {X: to.X, Y: to.Y - up}}
		c.StrokeLines(halo, message)
		c.StrokeLines(line, message)
	}
}
