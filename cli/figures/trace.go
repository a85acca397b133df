package figures

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"

	"jitterfly/collectives"
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

// Trace is a trial as a Chrome trace: what each rank does at each time, the messages
// that won as flows, and the critical path.
func Trace(title string, rec *collectives.Recording) ([]byte, error) {
	does, copies := activities(rec)
	way := rec.Critical().Points
	t := trace{}
	t.name("process_name", criticalProcess, 0, "critical path")
	t.name("process_name", rankProcess, 0, "ranks")
	for i := 1; i < len(way); i++ {
		a, b := way[i-1], way[i]
		name := fmt.Sprintf("rank %d", a.Rank)
		if i%2 == 0 {
			name = fmt.Sprintf("message from rank %d to %d", a.Rank, b.Rank)
			t.flow("critical path", a, b)
		}
		t.slice(name, criticalProcess, 0, a.Time, b.Time)
	}
	for r, does := range does {
		t.name("thread_name", rankProcess, r, fmt.Sprintf("rank %d", r))
		for _, a := range does {
			t.slice(a.kind.String(), rankProcess, r, a.from, a.to)
		}
	}
	for _, m := range copies {
		t.flow("redundant copy that won", m.from, m.to)
	}
	return t.encode(title)
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

// flow is an arrow between what two ranks do.
func (t *trace) flow(name string, from, to collectives.Point) {
	t.flows++
	begin := traceEvent{Name: name, Phase: "s", Time: micro(from.Time), Process: rankProcess, Thread: from.Rank, ID: t.flows}
	end := traceEvent{Name: name, Phase: "f", Time: micro(to.Time), Process: rankProcess, Thread: to.Rank, ID: t.flows, Binding: "e"}
	t.events = append(t.events, begin, end)
}

// micro is a time in microseconds, to a picosecond.
func micro(seconds float64) float64 { return math.Round(seconds*1e12) / 1e6 }

// encode writes an event a line.
func (t *trace) encode(title string) ([]byte, error) {
	var b bytes.Buffer
	name, err := json.Marshal(title)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(&b, "{\"displayTimeUnit\": \"ns\", \"otherData\": {\"trial\": %s}, \"traceEvents\": [", name)
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
