package figures

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"jitterfly/collectives/recording"
)

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
func Trace(title string, rec *recording.Recording) ([]byte, error) {
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
func (t *trace) encode(title string) ([]byte, error) {
	var b bytes.Buffer
	name, _ := json.Marshal(title) // a string has a form in JSON
	fmt.Fprintf(&b, "%s%s}, \"traceEvents\": [", traceHead, name)
	for i := range t.events {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
		event, err := json.Marshal(&t.events[i])
		if err != nil {
			return nil, err
		}
		b.Write(event)
	}
	b.WriteString("\n]}\n")
	return b.Bytes(), nil
}
