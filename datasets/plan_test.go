package datasets

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"jitterfly/internal/tests"
	"jitterfly/internal/units"
)

func planText(t testing.TB, change func(*Plan)) []byte {
	p := planOf(12, 3)
	p.Program, p.Format = program, Format
	change(&p)
	p.seal()
	return tests.Must(json.Marshal(p))(t)
}

// A plan that does not hold together is refused, whatever its digest says.
func TestParsePlan(t *testing.T) {
	shard := func(text string) func(*Plan) { return func(p *Plan) { p.Shards[1].Configurations = text } }
	input := func(name string) func(*Plan) {
		return func(p *Plan) { p.Inputs = map[string]string{name: strings.Repeat("0", 64)} }
	}
	for want, change := range map[string]func(*Plan){
		"":                    func(*Plan) {},
		"of program":          func(p *Plan) { p.Program = "other" },
		"11 of 12":            shard("1,4,7"),
		"configurations 1 to": shard("1-2147483647"),
		"is in two shards":    shard("0,4,7,10"),
		"not ascending":       shard("4,1,7,10"),
		`"" is not`:           shard(""),
		"4 configurations in 5": func(p *Plan) {
			*p = planOf(4, 4)
			p.Program, p.Shards = program, append(p.Shards, Shard{})
		},
		"0 configurations":     func(p *Plan) { p.Configurations = 0 },
		"-1 configurations":    func(p *Plan) { p.Configurations = -1 },
		"1099511627776 config": func(p *Plan) { p.Configurations = 1 << 40 },
		`"../x" is not`:        input("../x"),
		`"inputs/../../x" is`:  input("inputs/../../x"),
		`"/etc/passwd" is`:     input("/etc/passwd"),
		`"inputs" is not`:      input("inputs"),
	} {
		tests.Fails(t, want)(parsePlan(planText(t, change)))
	}
	other := bytes.Replace(planText(t, func(*Plan) {}), []byte(`"seed":["1"]`), []byte(`"seed":["2"]`), 1)
	tests.Fails(t, "digest")(parsePlan(other))
}

// Inputs are read from the directory only, and only as they were planned with.
func TestInputs(t *testing.T) {
	dir := t.TempDir()
	p := planOf(1, 1)
	inputs := map[string][]byte{"inputs/a/b": []byte("content")}
	p.Inputs = Digests(inputs)
	d := tests.Must(Begin(dir, p, inputs, Extension{}))(t)
	if got, err := d.Input("inputs/a/b"); err != nil || string(got) != "content" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := d.Input("plan.json"); err == nil {
		t.Error("what is no input was read")
	}
	name, outside := filepath.Join(dir, "inputs/a/b"), filepath.Join(t.TempDir(), "outside")
	for _, what := range []func() error{
		func() error { return os.WriteFile(name, []byte("cOntent"), 0o666) },
		func() error { return os.Remove(name) },
		func() error {
			if err := os.WriteFile(outside, []byte("content"), 0o666); err != nil {
				return err
			}
			return os.Symlink(outside, name)
		},
	} {
		tests.NoError(t, what())
		tests.Fails(t, "^"+name+": ")(d.Input("inputs/a/b"))
	}
}

// No text makes the reader of plans panic or use memory without bound; what it takes
// divides the configurations among the shards.
func FuzzPlan(f *testing.F) {
	f.Add(planText(f, func(*Plan) {}))
	f.Add(planText(f, func(p *Plan) { p.Shards[1].Configurations = "1-2147483647" }))
	f.Add([]byte(`{"program":"jitterfly","configurations":16777216}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		// Few texts have their own digest, so it is put in.
		open := new(Plan)
		if json.Unmarshal(text, open) == nil {
			open.seal()
			if sealed, err := json.Marshal(open); err == nil {
				text = sealed
			}
		}
		p, err := parsePlan(text)
		if err != nil {
			if strings.TrimSpace(err.Error()) == "" {
				t.Error("an error without a text")
			}
			return
		}
		owned := make([]units.Indexes, len(p.Shards))
		for config, shard := range p.owners {
			owned[shard] = append(owned[shard], config)
		}
		for i, x := range owned {
			again := Plan{Configurations: p.Configurations,
				Shards: []Shard{{Configurations: x.String()}}}
			if _, err := again.divide(); len(x) < p.Configurations && err == nil {
				t.Errorf("shard %d alone is a plan", i)
			}
		}
		for name := range p.Inputs {
			if !filepath.IsLocal(name) {
				t.Errorf("input %q", name)
			}
		}
		if diff := tests.Diff(p.Digest, p.sum()); diff != "" {
			t.Error(diff)
		}
	})
}

// Of two studies that are planned in one directory at once one wins, with its inputs; the other
// is refused whole.
func TestTwoPlansAtOnce(t *testing.T) {
	for range 30 {
		dir := filepath.Join(t.TempDir(), "results")
		var group sync.WaitGroup
		won := make([]bool, 4)
		for i := range won {
			group.Go(func() {
				files := map[string][]byte{"noise-0/profile.yaml": {byte(i)}}
				inputs := map[string][]byte{}
				for name, content := range files {
					inputs[path.Join(InputsFolder(files), name)] = content
				}
				p := planOf(2, 1)
				p.StudyHash, p.Inputs = fmt.Sprintf("%016x", i), Digests(inputs)
				_, err := Begin(dir, p, inputs, Extension{})
				if won[i] = err == nil; err != nil && !errors.Is(err, ErrOtherStudy) {
					t.Error(err)
				}
			})
		}
		group.Wait()
		d := tests.Must(Open(dir))(t)
		for i := range won {
			if ours := d.Plan().StudyHash == fmt.Sprintf("%016x", i); won[i] != ours {
				t.Errorf("study %d: planned %t, and it is its directory: %t", i, won[i], ours)
			}
		}
		for name := range d.Plan().Inputs {
			if _, err := d.Input(name); err != nil {
				t.Error(err)
			}
		}
	}
}

// busyDisk returns a disk on which another process acts before the first change of a kind, and on which
// changes of other kinds are not supported.
func busyDisk(op string, act func(), unsupported ...string) *hookedDisk {
	return &hookedDisk{before: func(c change) error {
		if once := act; c.op == op && act != nil {
			act = nil
			once()
		}
		if slices.Contains(unsupported, c.op) {
			return &os.LinkError{Op: c.op, Old: c.old, New: c.path, Err: errors.ErrUnsupported}
		}
		return nil
	}}
}

// A process that finds no plan, and then the parts of another that has planned meanwhile, goes on
// with that plan.
func TestStartedTogether(t *testing.T) {
	for name, first := range map[string]func(path string){
		"planned":  func(path string) { open(t, path, 4, 1) },
		"finished": func(path string) { finishIn(t, path, 4) },
	} {
		path := filepath.Join(t.TempDir(), "results")
		disk := busyDisk("mkdir", func() { first(path) })
		d, err := begin(disk, path, planOf(4, 2), nil, Extension{})
		if err != nil || len(d.Plan().Shards) != 1 {
			t.Errorf("%s by another process: %v", name, err)
		}
		other := planOf(4, 1)
		other.StudyHash = "fedcba9876543210"
		path = filepath.Join(t.TempDir(), "results")
		disk = busyDisk("mkdir", func() { first(path) })
		if _, err := begin(disk, path, other, nil, Extension{}); !errors.Is(err, ErrOtherStudy) {
			t.Errorf("another study was %s by another process: %v", name, err)
		}
	}
}

// finishIn computes the study of the directory.
func finishIn(t *testing.T, path string, configurations int) *Dir {
	t.Helper()
	d := open(t, path, configurations, 1)
	collect(t, d, count(configurations), never)
	tests.NoError(t, d.Finish(axesOf))
	return d
}

// What only a plan explains is refused where there is none.
func TestPartsWithoutPlan(t *testing.T) {
	path := t.TempDir()
	tests.NoError(t, os.Mkdir(filepath.Join(path, partsDir), 0o777))
	tests.Fails(t, "^"+path+": has parts but no plan.json, so its study is unknown; "+
		"name another directory with --out$")(Begin(path, planOf(1, 1), nil, Extension{}))
}

// Of two different studies that are planned at the same time one is refused, also where the file
// system has no hard links.
func TestTwoPlansWithoutLinks(t *testing.T) {
	path := t.TempDir()
	disk := busyDisk("link", func() {
		if _, err := begin(busyDisk("", nil, "link"), path, planOf(6, 1), nil, Extension{}); err != nil {
			t.Error(err)
		}
	}, "link")
	other := planOf(6, 1)
	other.StudyHash = "fedcba9876543210"
	if _, err := begin(disk, path, other, nil, Extension{}); !errors.Is(err, ErrOtherStudy) {
		t.Errorf("both have planned: %v", err)
	}
	checkTree(t, path, []string{PlanFile})
	d, err := Open(path)
	if err != nil || d.Plan().StudyHash != planOf(6, 1).StudyHash {
		t.Errorf("the plan of the first has gone: %v", err)
	}
}
