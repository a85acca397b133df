package study

import (
	"math/rand/v2"
	"slices"
	"testing"

	"jitterfly/datasets"
	"jitterfly/internal/tests"
)

// allNames returns every value of every key that is a word, as path=value, with topologies and other
// examples.
func allNames() (all []string) {
	for _, k := range Keys {
		for _, name := range slices.Concat(k.Names, k.Examples) {
			all = append(all, k.Path+"="+name)
		}
		for name := range k.Aliases {
			all = append(all, k.Path+"="+name)
		}
	}
	slices.Sort(all)
	return all
}

// Every word that a key takes is read, alone or beside another, in the default study and with
// defaults alone, by commands that simulate configurations and by commands that choose among them:
// it is a study, or an error.
func TestEveryName(t *testing.T) {
	all, random := allNames(), rand.New(rand.NewPCG(1, 2))
	read := func(set ...string) {
		t.Helper()
		for _, choose := range tests.Part([]bool{false, true}, []bool{len(set[0])%2 == 0}) {
			in := Input{Name: "s.yaml", File: []byte("ranks: 8"), Set: set, Choose: choose}
			if !choose && len(set) == 1 {
				in.File = datasets.DefaultStudy
			}
			s, err := Read(in, 1e6)
			if err == nil && s.Len() == 0 || err != nil && err.Error() == "" {
				t.Errorf("%v: neither a study nor an error: %v", set, err)
			}
		}
	}
	for _, one := range all {
		read(one)
	}
	for range tests.Part(300, 50) {
		read(all[random.IntN(len(all))], all[random.IntN(len(all))])
	}
}
