package study

import (
	"strings"
	"testing"

	"jitterfly/datasets"
)

// No file makes reading panic or take for ever, and every error is one line's
// worth of text. What is read holds together.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"s.yaml", "s.toml", "s.json"} {
		f.Add(name, datasets.DefaultStudy)
	}
	f.Add("s.toml", []byte("ranks = [\"2^1..2^5\", 64]\ntrials.min = 20\n[network]\nlatency = "+
		"[\"1000ns\", \"0.1us\"]\n"))
	f.Add("s.json", []byte(`{"seed": "7", "ranks": [2, 4], "noise": {"os": {"kind": "none"}}}`))
	f.Add("s.yaml", []byte("noise: {os: {duration: =noise.network.duration}}"))
	f.Add("s.yaml", []byte("ranks: =seed\nbytes: 0B\ntrials: {max: =trials.min}"))
	f.Fuzz(func(t *testing.T, name string, file []byte) {
		switch format(name) {
		case "yaml", "yml", "toml", "json":
		default:
			t.Skip()
		}
		s, err := Read(Input{Name: name, File: file}, 1000)
		if err != nil {
			if strings.TrimSpace(err.Error()) == "" {
				t.Error("an error without a text")
			}
			return
		}
		again, err := Read(Input{Name: "plan.json", Recorded: &s.Recorded}, 1000)
		if err != nil || again.Hash != s.Hash || len(again.Configurations) != len(s.Configurations) ||
			again.Point(0).ID != s.Point(0).ID {
			t.Errorf("read again from what was recorded it is another study: %v", err)
		}
		if n := len(s.Configurations); n == 0 || n > 1000 || n != s.Len() {
			t.Errorf("%d configurations in %d fields", n, s.Len())
		}
		for _, c := range configs(t, s) {
			// Where no round is of all ranks, as of 7, the bound is 0.
			if _, err := c.Model.Shape(); err != nil || !(c.Model.LowerBound() >= 0) {
				t.Errorf("an impossible problem was read: %+v, %v", c.Model, err)
			}
		}
	})
}
