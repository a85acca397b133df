package collectives_test

import (
	"slices"
	"testing"

	"jitterfly/collectives"
	"jitterfly/internal/tests"
)

func TestAlgorithmsAreDocumented(t *testing.T) {
	for _, a := range collectives.Algorithms {
		document := "../docs/model/core.md"
		switch {
		case slices.Contains([]string{"a2and", "a2at"}, a.Name) || a.Operation == collectives.Permute:
			document = "../docs/model/topologies.md" // it is for a network
		case a.Operation == collectives.AllToAll:
			document = "../docs/model/alltoalls.md"
		}
		tests.Documented(t, document, a.Name)
	}
}
