package figures

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"jitterfly/collectives"
	"jitterfly/collectives/network"
	"jitterfly/collectives/network/flow"
	"jitterfly/collectives/network/packet"
	"jitterfly/collectives/recording"
	"jitterfly/collectives/rounds"
	"jitterfly/internal/tests"
	"jitterfly/montecarlo"
	"jitterfly/noise"
)

// recorded calls each with trials of frequent noise: of a butterfly, of a butterfly that polls,
// and of an all-to-all on a mesh.
func recorded(t *testing.T, each func(*recording.Recording)) {
	t.Helper()
	algorithm := tests.Must(collectives.Find("butterfly"))(t)
	free := rounds.Model{
		Algorithm: algorithm,
		Problem: collectives.Problem{
			Ranks: 21, Bytes: 8, Latency: 1e-6, Bandwidth: 1e9, MemoryBandwidth: 1e8,
			Redundancy: collectives.Redundancy{Max: collectives.AllExchanges, Sources: 1},
		},
		OS:      noise.Periodic{Period: 5e-5, Duration: 1e-5, Start: noise.Random},
		Network: noise.PoissonDelays{Interval: 5e-5, Lengths: noise.Constant(1e-5)},
	}
	polling := free
	polling.Problem.Host = collectives.Host{
		Overhead: 1e-6,
		Progress: collectives.Polling,
		Poll:     1e-7,
		Polls:    2,
	}
	mesh := tests.Must(network.ParseTopology("mesh:3x3"))(t)
	ring := tests.Must(tests.Must(collectives.Find("a2a-ring"))(t).Schedule(collectives.Problem{
		Ranks: 9, Bytes: 1e4, Bandwidth: 1e9, Redundancy: collectives.Redundancy{Sources: 1},
	}))(t)
	on := network.Scenario{
		Topology: mesh, Schedule: ring, Bandwidth: 1e9, Latency: 1e-6,
		Controllers: 2, SendWork: 1e-6, ReceiveWork: 2.6e-6, Polling: 1.6e-6,
	}
	flows := network.Model{
		Noise:   network.Noise{OS: free.OS, Network: free.Network},
		Network: &flow.Network{Scenario: on},
	}
	packets := network.Model{Noise: flows.Noise, Network: &packet.Network{
		Scenario: on, Flit: 500, Flits: 8, Channels: 1, Buffer: 2, Hop: 1, Credit: 3,
	}}
	for _, model := range []montecarlo.Model{&free, &polling, &flows, &packets} {
		c := montecarlo.Config{Model: model}
		for trial := range 10 {
			T := 3
			if model == montecarlo.Model(&flows) || model == montecarlo.Model(&packets) {
				T = 0
			}
			runner := tests.Must(model.NewRunner(nil))(t)
			rec := tests.Must(runner.(recording.Recorder).Record(t.Context(), c.Key(1, trial), T))(t)
			each(rec)
		}
	}
}

// Every kind of activity has its own name and colour, and the legend of a picture has the
// kinds that occur in it.
func TestLegendSaysWhatIsThere(t *testing.T) {
	seen := map[string]bool{}
	recorded(t, func(rec *recording.Recording) {
		figure := Timeline("a trial", rec, 0, Layout{})
		picture := tests.Must(figure.Bytes("svg"))(t)
		there := map[recording.Kind]bool{}
		for _, track := range rec.Tracks {
			for _, a := range track.Activities {
				there[a.Kind] = true
			}
		}
		for k, l := range looks {
			if l.name == "" {
				continue
			}
			legend := bytes.Contains(picture, []byte(">"+l.name+"<"))
			if legend != there[recording.Kind(k)] {
				t.Fatalf("%s: it is there: %t; the legend has it: %t", l.name, there[recording.Kind(k)], legend)
			}
			seen[l.name] = seen[l.name] || legend
		}
	})
	colours := map[string]string{}
	for _, l := range looks {
		if l.name != "" && !seen[l.name] {
			t.Errorf("nothing is ever %s", l.name)
		}
		of := fmt.Sprint(l.area)
		if other := colours[of]; other != "" && l.name != "" {
			t.Errorf("%s and %s look the same", l.name, other)
		}
		colours[of] = l.name
	}
}

// The slices of a thread do not overlap, those of the critical path fill the trial, arrows have
// two ends, each within a slice, and all threads have different names.
func TestTrace(t *testing.T) {
	nodes := 0
	recorded(t, func(rec *recording.Recording) {
		content := Trace("a \"trial\"", rec)
		var read struct {
			OtherData   struct{ Trial string }
			TraceEvents []traceEvent
		}
		tests.NoError(t, json.Unmarshal(content, &read))
		if read.OtherData.Trial != "a \"trial\"" {
			t.Errorf("%+v", read.OtherData)
		}
		until, spent := map[[2]int]float64{}, map[[2]int]float64{}
		flows, names := map[int]int{}, map[any]bool{}
		for _, e := range read.TraceEvents {
			switch e.Phase {
			case "X":
				thread := [2]int{e.Process, e.Thread}
				if e.Name == "" || e.Time < until[thread]-2e-6 {
					t.Fatalf("%+v begins before %g", e, until[thread])
				}
				until[thread] = e.Time + e.Duration
				spent[thread] += e.Duration
			case "s", "f":
				flows[e.ID]++
				if !slices.ContainsFunc(read.TraceEvents, func(s traceEvent) bool {
					at, from := math.Floor(e.Time*1e3), math.Floor(s.Time*1e3)
					return s.Phase == "X" && s.Process == e.Process && s.Thread == e.Thread && from <= at &&
						at < from+math.Floor(s.Duration*1e3)
				}) {
					t.Errorf("%+v is within no slice", e) // of whole nanoseconds, which Perfetto counts
				}
			case "M":
				name := e.Args["name"]
				if names[name] {
					t.Fatalf("two are called %v", name)
				}
				names[name] = true
				if strings.HasPrefix(fmt.Sprint(name), "node 8 sends, controller 1") {
					nodes++
				}
			}
		}
		path := [2]int{criticalProcess, 0}
		if end := rec.End.Time * 1e6; math.Abs(until[path]-end) > 1e-5 ||
			math.Abs(spent[path]-end) > 1e-3 {
			t.Errorf(
				"the critical path ends at %g µs and fills %g, the trial %g", until[path], spent[path], end,
			)
		}
		if len(names) != len(rec.Tracks)+2 {
			t.Errorf("%d names of %d tracks and two processes", len(names), len(rec.Tracks))
		}
		for id, n := range flows {
			if n != 2 {
				t.Errorf("flow %d has %d ends", id, n)
			}
		}
	})
	if nodes != 20 {
		t.Errorf("%d of 20 traces name the controllers of nodes", nodes)
	}
}
