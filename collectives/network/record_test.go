package network_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"jitterfly/collectives/network"
	"jitterfly/collectives/recording"
)

// recordedToo records a trial: it is complete when it was, to the last bit, and
// what is on the way adds up to that; no two activities of a lane are at one time.
func recordedToo(t rapid.TB, p network.Problem, host network.Host, holds network.Delays, want network.Result) {
	t.Helper()
	rec, err := network.Record(context.Background(), p, host, holds, p.ReceiveWork/2)
	if err != nil {
		t.Fatal(err)
	}
	if rec.End.Time != want.CompletionTime {
		t.Fatalf("recorded as complete at %v, and it was at %v", rec.End.Time, want.CompletionTime)
	}
	sum := 0.0
	way := rec.CriticalPath()
	for _, s := range way.Spent {
		if s < -1e-9*want.CompletionTime {
			t.Fatalf("less than nothing on the way: %v", way.Spent)
		}
		sum += s
	}
	if math.Abs(sum-want.CompletionTime) > 1e-9*want.CompletionTime {
		t.Fatalf("%v on the way, and complete at %v", way.Spent, want.CompletionTime)
	}
	posted := 0.0
	for place, lane := range rec.Tracks {
		at := 0.0
		for _, a := range lane.Activities {
			if a.From < at*(1-1e-9) || a.To <= a.From || // moments are sums, which round
				lane.Rank != place/(len(rec.Tracks)/p.Topology.Nodes()) {
				t.Fatalf("lane %d: %+v after %v", place, a, at)
			}
			if at = a.To; a.Kind == recording.Sending {
				posted += a.To - a.From
			}
		}
	}
	if all := float64(want.Messages) * p.SendWork; math.Abs(posted-all) > 1e-9*all {
		t.Fatalf("%v s of posting, want %v", posted, all)
	}
}

// The messages of nodes 0 and 1 share the link between the middle of four; while an event
// holds one, the other is alone, and then so is that one.
func TestRecordedFlows(t *testing.T) {
	pattern, err := network.ReadPermutation(strings.NewReader("2\n3\n0\n1"), 4, 1)
	if err != nil {
		t.Fatal(err)
	}
	p := network.Problem{Topology: topology(t, "mesh:4"), Pattern: pattern, Bytes: 6, Bandwidth: 1, Latency: 1}
	rec, err := network.Record(t.Context(), p, network.NoiseFree{}, once([][2]float64{{3, 5}}, nil, nil, nil), 0)
	if err != nil {
		t.Fatal(err)
	}
	type lane = []recording.Activity
	for place, want := range map[int]lane{
		0:  {{Kind: recording.Latency, From: 0, To: 1}, {Kind: recording.Sharing, From: 1, To: 3}, {Kind: recording.Delayed, From: 3, To: 8}, {Kind: recording.Flowing, From: 8, To: 13}},
		3:  {{Kind: recording.Latency, From: 0, To: 1}, {Kind: recording.Sharing, From: 1, To: 3}, {Kind: recording.Flowing, From: 3, To: 8}},
		7:  {{Kind: recording.Waiting, From: 0, To: 1}, {Kind: recording.Sharing, From: 1, To: 3}, {Kind: recording.Delayed, From: 3, To: 8}, {Kind: recording.Flowing, From: 8, To: 13}},
		8:  nil,
		10: {{Kind: recording.Waiting, From: 0, To: 1}, {Kind: recording.Sharing, From: 1, To: 3}, {Kind: recording.Flowing, From: 3, To: 8}},
	} {
		if diff := cmp.Diff(want, rec.Tracks[place].Activities); diff != "" {
			t.Errorf("lane %d: %s", place, diff)
		}
	}
	way := rec.CriticalPath()
	want := [recording.Kinds]float64{recording.Wire: 7, recording.Delayed: 5, recording.Sharing: 1}
	if diff := cmp.Diff(want, way.Spent); diff != "" || rec.End.Track != 7 {
		t.Errorf("complete in lane %d: %s", rec.End.Track, diff)
	}
}
