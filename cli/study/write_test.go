package study

import (
	"slices"
	"strings"
	"testing"
)

// A study file that File returns reads as the study that it was returned for, whatever key is
// given, and names the schema in its first line.
func TestFileReadsAsItsStudy(t *testing.T) {
	read := 0
	for _, k := range Keys {
		value := k.Default
		if k.Column != "" && len(k.Names) > 1 && k.Check == nil && k.Files == nil {
			value = strings.Join(k.Names[:2], ",")
		}
		set := []string{k.Path + "=" + value, "collective=butterfly,ring"}
		if k.Path == "collective" {
			set = set[:1]
		}
		s, err := Read(Input{Name: "none.yaml", Set: set}, 1000)
		if err != nil {
			continue // it cannot be set alone
		}
		read++
		text := s.Recorded.File()
		if !strings.HasPrefix(string(text), "# yaml-language-server: $schema=study.schema.json\n") {
			t.Errorf("%s: the first line names no schema:\n%s", k.Path, text)
		}
		again, err := Read(Input{Name: "again.yaml", File: text}, 1000)
		if err != nil {
			t.Errorf("%s: %v:\n%s", k.Path, err, text)
			continue
		}
		if again.Hash != s.Hash || !slices.Equal(again.Recorded.Given, s.Recorded.Given) {
			t.Errorf("%s: given %v, read again %v:\n%s", k.Path, s.Recorded.Given,
				again.Recorded.Given, text)
		}
	}
	if read < len(Keys)/2 {
		t.Errorf("only %d of %d keys were written", read, len(Keys))
	}
}
