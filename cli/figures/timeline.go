package figures

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

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
	y := whole(-0.5, float64(rec.Ranks)-0.5, mostTicks)
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

// A traceEvent is an event in the Trace Event Format, which Perfetto and Chrome read
// ("Trace Event Format", Google, 2016). Times are in microseconds.
type traceEvent struct {
	Name     string         `json:"name"`
	Phase    string         `json:"ph"`
	Time     float64        `json:"ts"`
	Duration float64        `json:"dur,omitempty"`
	Process  int            `json:"pid"`
	Thread   int            `json:"tid"`
	ID       int            `json:"id,omitempty"`
	Binding  string         `json:"bp,omitempty"`
	Args     map[string]any `json:"args,omitempty"`
}

// Processes of the trace: one for the critical path, which is shown first, and one whose
// threads are the tracks of ranks.
const (
	criticalProcess = 1
	rankProcess     = 2
)

// Trace returns a trial as a Chrome trace: the activities of each track, the redundant copies
// from which ranks continued as flows, and the critical path.
func Trace(title string, rec *recording.Recording) []byte {
	path := rec.CriticalPath().Points
	t := trace{}
	t.name("process_name", criticalProcess, 0, critical.label)
	t.name("process_name", rankProcess, 0, unit(rec)+"s")
	who := func(track int) string {
		return fmt.Sprintf("%s %d", unit(rec), rec.Tracks[track].Rank)
	}
	for i := 1; i < len(path); i++ {
		a, b := path[i-1], path[i]
		name := who(a.Track)
		switch {
		case i%2 == 0 && rec.Tracks[a.Track].Rank != rec.Tracks[b.Track].Rank:
			name = fmt.Sprintf("message from %s to %d", name, rec.Tracks[b.Track].Rank)
			t.flow(critical.label, rec.Tracks, recording.Message{From: a, To: b})
		case rec.Tracks[a.Track].Role != "":
			name += " " + rec.Tracks[a.Track].Role
		}
		t.slice(name, criticalProcess, 0, a.Time, b.Time)
	}
	for i, track := range rec.Tracks {
		t.name("thread_name", rankProcess, i, strings.TrimSpace(who(i)+" "+track.Role))
		for _, a := range track.Activities {
			t.slice(looks[a.Kind].name, rankProcess, i, a.From, a.To)
		}
	}
	for _, m := range rec.Copies {
		t.flow(lookOf(m).label, rec.Tracks, m)
	}
	return t.encode(title)
}

// unit returns "node" if ranks have several tracks, else "rank".
func unit(rec *recording.Recording) string {
	if rec.Tracks[0].Role != "" {
		return "node"
	}
	return "rank"
}

type trace struct {
	events []traceEvent
	flows  int
}

func (t *trace) name(what string, process, thread int, name string) {
	t.events = append(t.events, traceEvent{
		Name: what, Phase: "M", Process: process, Thread: thread,
		Args: map[string]any{"name": name},
	})
}

// slice adds an activity of a thread, if it takes any time.
func (t *trace) slice(name string, process, thread int, from, to float64) {
	if begin, end := micro(from), micro(to); end > begin {
		t.events = append(t.events, traceEvent{
			Name: name, Phase: "X", Time: begin, Duration: micro(to - from),
			Process: process, Thread: thread,
		})
	}
}

// flow adds an arrow between two tracks. Perfetto drops arrows that do not begin and end
// within a slice, but messages leave and arrive between two slices. So an arrow begins in the
// slice before the message and ends in the one after it.
func (t *trace) flow(name string, tracks []recording.Track, m recording.Message) {
	from, to := -1., -1.
	for _, a := range tracks[m.From.Track].Activities {
		if room(a) && (from < 0 || a.From <= m.From.Time) {
			from = within(a, m.From.Time)
		}
	}
	for _, a := range tracks[m.To.Track].Activities {
		if room(a) && (to < 0 || to < m.To.Time) {
			to = within(a, m.To.Time)
		}
	}
	if from < 0 || to <= from {
		return
	}
	t.flows++
	begin := traceEvent{
		Name: name, Phase: "s", Time: micro(from),
		Process: rankProcess, Thread: m.From.Track, ID: t.flows,
	}
	end := traceEvent{
		Name: name, Phase: "f", Time: micro(to),
		Process: rankProcess, Thread: m.To.Track, ID: t.flows, Binding: "e",
	}
	t.events = append(t.events, begin, end)
}

// nanosecond is the resolution of Perfetto [s].
const nanosecond = 1e-9

// room reports whether an arrow has room within an activity in spite of rounding.
func room(a recording.Activity) bool { return a.To-a.From >= 4*nanosecond }

// within returns the time within an activity that is nearest to a time.
func within(a recording.Activity, at float64) float64 {
	return min(max(at, a.From+nanosecond), a.To-2*nanosecond)
}

// micro returns a time in microseconds, rounded to a picosecond.
func micro(seconds float64) float64 { return math.Round(seconds*1e12) / 1e6 }

const traceHead = `{"otherData": {"trial": `

// encode returns the file, with one event on each line. It has no displayTimeUnit, which
// Perfetto mistook for the unit of all times until 2022.
func (t *trace) encode(title string) []byte {
	var b bytes.Buffer
	name, _ := json.Marshal(title) // a string has a form in JSON
	fmt.Fprintf(&b, "%s%s}, \"traceEvents\": [", traceHead, name)
	for i := range t.events {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
		event, _ := json.Marshal(&t.events[i]) // its numbers are finite
		b.Write(event)
	}
	b.WriteString("\n]}\n")
	return b.Bytes()
}
