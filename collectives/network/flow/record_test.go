package flow_test

import (
	"context"
	"math"
	"testing"

	"pgregory.net/rapid"

	"jitterfly/collectives/network"
	"jitterfly/collectives/network/flow"
	"jitterfly/collectives/recording"
	"jitterfly/internal/tests"
	"jitterfly/internal/tests/models"
)

// checkRecording records a trial. Its completion time is that of the result bit for bit, the
// critical path adds up to it, and no two activities of a track overlap.
func checkRecording(
	t rapid.TB, p flow.Network, host network.Host, delays network.Delays, want network.Result,
) {
	t.Helper()
	p.Polling = p.ReceiveWork / 2
	rec := tests.Must(flow.NewEngine(p).Record(context.Background(), host, delays))(t)
	if rec.End.Time != want.CompletionTime {
		t.Fatalf("recorded as complete at %v, want %v", rec.End.Time, want.CompletionTime)
	}
	models.CheckRecording(t, rec)
	posted := 0.0
	for place, track := range rec.Tracks {
		if track.Rank != place/(len(rec.Tracks)/p.Ranks()) {
			t.Fatalf("track %d is of rank %d", place, track.Rank)
		}
		for _, a := range track.Activities {
			if a.Kind == recording.Sending {
				posted += a.To - a.From
			}
		}
	}
	if all := float64(want.Received) * p.SendWork; math.Abs(posted-all) > 1e-9*all {
		t.Fatalf("%v s of posting, want %v", posted, all)
	}
}

// The messages of nodes 0 and 1 share the middle link of a line of four nodes. While an
// event delays one of them, the other has the link alone.
func TestRecordedFlows(t *testing.T) {
	p := flow.Network{Scenario: network.Scenario{Schedule: models.List(1, 6, 2, 3, 0, 1),
		Topology: models.Place(t, "mesh:4"), Bandwidth: 1, Latency: 1}}
	rec := tests.Must(flow.NewEngine(p).Record(
		t.Context(), network.NoiseFree{}, once([][2]float64{{3, 5}}, nil, nil, nil),
	))(t)
	type track = []recording.Activity
	activity := func(kind recording.Kind, from, to float64) recording.Activity {
		return recording.Activity{Kind: kind, From: from, To: to}
	}
	for place, want := range map[int]track{
		0: {
			activity(recording.Latency, 0, 1),
			activity(recording.Sharing, 1, 3),
			activity(recording.Delayed, 3, 8),
			activity(recording.Flowing, 8, 13),
		},
		3: {
			activity(recording.Latency, 0, 1),
			activity(recording.Sharing, 1, 3),
			activity(recording.Flowing, 3, 8),
		},
		7: {
			activity(recording.Waiting, 0, 1),
			activity(recording.Sharing, 1, 3),
			activity(recording.Delayed, 3, 8),
			activity(recording.Flowing, 8, 13),
		},
		8: nil,
		10: {
			activity(recording.Waiting, 0, 1),
			activity(recording.Sharing, 1, 3),
			activity(recording.Flowing, 3, 8),
		},
	} {
		if diff := tests.Diff(want, rec.Tracks[place].Activities); diff != "" {
			t.Errorf("track %d: %s", place, diff)
		}
	}
	path := rec.CriticalPath()
	want := [recording.Kinds]float64{recording.Wire: 7, recording.Delayed: 5, recording.Sharing: 1}
	if diff := tests.Diff(want, path.Spent); diff != "" || rec.End.Track != 7 {
		t.Errorf("complete in track %d: %s", rec.End.Track, diff)
	}
}
