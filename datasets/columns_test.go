package datasets

import (
	"encoding/json"
	"strings"
	"testing"

	"jitterfly/internal/tests"
)

// Each column of each table is described, in its order, with the unit that its name has.
func TestColumnsAreDescribed(t *testing.T) {
	for table, columns := range map[string][]string{
		summaryFile: Columns[SummaryRow](), choiceFile: Columns[ChoiceRow](), trialsFile: Columns[TrialRow](),
		attributionFile: Columns[AttributionRow](), ProgramFile: Columns[ProgramRow](), "trace": Columns[traceRow](),
	} {
		var described []description
		tests.NoError(t, json.Unmarshal([]byte(describe(table, columns)), &described))
		for i, d := range described {
			if d.Name != columns[i] || d.Meaning == "" {
				t.Errorf("%s: %s is %+v; write its meaning in docs/format.md, and go generate ./cli/study", table,
					columns[i], d)
			}
			if seconds := strings.HasSuffix(d.Name, "_s"); seconds != (d.Unit == "s") {
				t.Errorf("%s: %s has the unit %q", table, d.Name, d.Unit)
			}
		}
	}
	// The same name in two tables is described by its own.
	if a, b := meanings()[summaryFile]["speedup"], meanings()[choiceFile]["speedup"]; a == b {
		t.Errorf("speed-up in both tables is %+v", a)
	}
}
