package figures

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"jitterfly/collectives/recording"
)

// A traceEvent is one of the Trace Event Format that Perfetto and Chrome read
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

// Processes of the trace: the ranks are threads of one, and the critical path is
// another, shown above.
const (
	criticalProcess = 1
	rankProcess     = 2
)

// Trace is a trial as a Chrome trace: what is in each lane at each time, the messages
// that won as flows, and the critical path.
func Trace(title string, rec *recording.Recording) ([]byte, error) {
	way := rec.CriticalPath().Points
	t := trace{}
	t.name("process_name", criticalProcess, 0, "critical path")
	t.name("process_name", rankProcess, 0, unit(rec)+"s")
	who := func(lane int) string { return fmt.Sprintf("%s %d", unit(rec), rec.Tracks[lane].Rank) }
	for i := 1; i < len(way); i++ {
		a, b := way[i-1], way[i]
		name := who(a.Track)
		switch {
		case i%2 == 0 && rec.Tracks[a.Track].Rank != rec.Tracks[b.Track].Rank:
			name = fmt.Sprintf("message from %s to %d", name, rec.Tracks[b.Track].Rank)
			t.flow("critical path", rec.Tracks, recording.Message{From: a, To: b})
		case rec.Tracks[a.Track].Role != "":
			name += " " + rec.Tracks[a.Track].Role
		}
		t.slice(name, criticalProcess, 0, a.Time, b.Time)
	}
	for i, lane := range rec.Tracks {
		t.name("thread_name", rankProcess, i, strings.TrimSpace(who(i)+" "+lane.Role))
		for _, a := range lane.Activities {
			t.slice(looks[a.Kind].name, rankProcess, i, a.From, a.To)
		}
	}
	for _, m := range rec.Copies {
		t.flow("redundant copy that won", rec.Tracks, m)
	}
	return t.encode(title)
}

// unit is what has lanes: nodes are more than their ranks.
func unit(rec *recording.Recording) string {
	if rec.Tracks[0].Role != "" {
		return "node"
	}
	return "rank"
}

// A trace is its events.
type trace struct {
	events []traceEvent
	flows  int
}

func (t *trace) name(what string, process, thread int, name string) {
	t.events = append(t.events, traceEvent{Name: what, Phase: "M", Process: process, Thread: thread, Args: map[string]any{"name": name}})
}

func (t *trace) slice(name string, process, thread int, from, to float64) {
	if begin, end := micro(from), micro(to); end > begin {
		t.events = append(t.events, traceEvent{Name: name, Phase: "X", Time: begin, Duration: micro(to - from), Process: process, Thread: thread})
	}
}

// flow is an arrow between what two lanes have. Perfetto drops those that do not begin and
// end within a slice, and messages leave and arrive between two: so an arrow begins in
// the one before and ends in the one after.
func (t *trace) flow(name string, lanes []recording.Track, m recording.Message) {
	from, to := -1., -1.
	for _, a := range lanes[m.From.Track].Activities {
		if room(a) && (from < 0 || a.From <= m.From.Time) {
			from = within(a, m.From.Time)
		}
	}
	for _, a := range lanes[m.To.Track].Activities {
		if room(a) && (to < 0 || to < m.To.Time) {
			to = within(a, m.To.Time)
		}
	}
	if from < 0 || to <= from {
		return
	}
	t.flows++
	begin := traceEvent{Name: name, Phase: "s", Time: micro(from), Process: rankProcess, Thread: m.From.Track, ID: t.flows}
	end := traceEvent{Name: name, Phase: "f", Time: micro(to), Process: rankProcess, Thread: m.To.Track, ID: t.flows, Binding: "e"}
	t.events = append(t.events, begin, end)
}

// nanosecond is what Perfetto counts in, and rounds to.
const nanosecond = 1e-9

// room tells whether an arrow can be within an activity, whatever is rounded.
func room(a recording.Activity) bool { return a.To-a.From >= 4*nanosecond }

// within is the time in an activity that is the nearest to a time.
func within(a recording.Activity, at float64) float64 {
	return min(max(at, a.From+nanosecond), a.To-2*nanosecond)
}

// micro is a time in microseconds, to a picosecond.
func micro(seconds float64) float64 { return math.Round(seconds*1e12) / 1e6 }

// encode writes an event a line. There is no displayTimeUnit: Perfetto took it for the unit
// of all times until 2022.
func (t *trace) encode(title string) ([]byte, error) {
	var b bytes.Buffer
	name, err := json.Marshal(title)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(&b, "{\"otherData\": {\"trial\": %s}, \"traceEvents\": [", name)
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
