package noise

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"jitterfly/datasets"
	"jitterfly/internal/rng"
	"jitterfly/internal/tests"
	"jitterfly/noise"
	"jitterfly/noise/profile"
)

// A directory of traces becomes a profile of classes, and the node that is odd is named.
func TestImportFleet(t *testing.T) {
	dir := t.TempDir()
	write := func(node, core int, with ...profile.Component) {
		t.Helper()
		p := profile.Profile{OS: append(with, profile.Component{
			Kind: profile.Poisson, Interval: 10e-3, Duration: noise.Exponential{Average: 20e-6}})}
		key := rng.NewKey(1, "fleet").Derive(uint64(node)).Derive(uint64(core))
		c, _, err := noise.NewCore(core, 60, p.Draw(key, 60))
		tests.NoError(t, err)
		path := filepath.Join(dir, fmt.Sprintf("node%d-core%d.parquet", node, core))
		tests.Must(datasets.WriteTrace(path, "test", noise.Trace{Cores: []noise.Core{c}}))(t)
	}
	tests.Fails(t, "it has no file with measurements")(importDirectory(dir, "0s"))
	for core := range 2 {
		write(0, core)
	}
	tests.Fails(t, "a fleet has at least two nodes")(importDirectory(dir, "0s"))
	fan := profile.Component{Kind: profile.Periodic, Period: 1, Duration: noise.Constant(2.1e-3)}
	for node := 1; node < 10; node++ {
		for core := range 2 {
			if node == 7 {
				write(node, core, fan)
				continue
			}
			write(node, core)
		}
	}
	text, remarks, err := importDirectory(dir, "0s")
	tests.NoError(t, err)
	for _, want := range []string{"10 nodes, 9 of them usual",
		"node7: detours of 2.11 ms every 1 s that usual nodes do not have; overhead 0.4"} {
		if !strings.Contains(remarks, want) {
			t.Errorf("%q is not in %s", want, remarks)
		}
	}
	p, err := profile.Read([]byte(text), "fleet.yaml")
	if err != nil || len(p.Classes) != 2 || p.Classes[0].Share != 0.9 || p.Classes[1].Share != 0.1 {
		t.Errorf("%v, classes %v", err, p.Classes)
	}
}
