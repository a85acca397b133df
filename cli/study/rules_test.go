package study

import (
	"reflect"
	"slices"
	"testing"

	"jitterfly/internal/tests"
	"jitterfly/internal/units"
	"jitterfly/internal/vector"
)

// The order of keys does not matter: no rule reads a key that a rule of another key sets, unless
// an earlier rule has applied then.
func TestRulesAreIndependent(t *testing.T) {
	for _, k := range Keys {
		for i, r := range k.Rules {
			for _, c := range r.If {
				if c.Key.Column == "" {
					t.Errorf("a rule of %s reads %s, which is not an axis", k.Path, c.Key.Path)
				}
				for _, other := range c.Key.Rules {
					earlier := func(r Rule) bool { return reflect.DeepEqual(r.If, other.If) }
					if c.Key != k && !slices.ContainsFunc(k.Rules[:i], earlier) {
						t.Errorf("a rule of %s reads %s, which has rules", k.Path, c.Key.Path)
					}
				}
				for _, v := range c.Values {
					if v == "0" && c.Key.Least == 0 && !c.Key.Above {
						continue // in the form of results, which has no unit
					}
					if _, err := c.Key.parse(v); err != nil {
						t.Errorf("a rule of %s compares %s: %v", k.Path, c.Key.Path, err)
					}
				}
			}
			k.replacement(r) // panics if it is not a value
		}
		if !slices.Contains(Groups, k.Group) {
			t.Errorf("%s is in group %q, which help does not have", k.Path, k.Group)
		}
	}
}

// Keys are bounded as collectives and networks need their numbers, which do not check them again.
func TestBoundsOfKeys(t *testing.T) {
	divisors := []*Key{Poll, PacketFlit, OSPeriod, NetInterval}
	counts := []*Key{Ranks, RanksPerNode, Sources, Leaders, Segments, Messages, Polls, Controllers, PacketFlits,
		PacketChannels, PacketBuffer, PacketHop, PacketCredit}
	for _, k := range Keys {
		switch {
		case k.Least < 0, k.Dimension == units.Rate && !k.Above, slices.Contains(divisors, k) && !k.Above,
			slices.Contains(counts, k) && k.Least < 1:
			t.Errorf("the least %s is %g", k.Path, k.Least)
		}
	}
}

// A key that is not among Keys, or is not an axis, has no value, rather than the one of another
// key.
func TestNoValueOfWhatIsNotAnAxis(t *testing.T) {
	p := Point{Values: make([]Value, len(Axes))}
	for _, k := range []*Key{{Path: "unlisted"}, Seed} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s has a value", k.Path)
				}
			}()
			p.Value(k)
		}()
	}
}

// MPI's name of the butterfly is read as the butterfly, and is the same study.
func TestAlias(t *testing.T) {
	read := func(collective string) *Study {
		return tests.Must(Read(Input{Name: "s.yaml", File: []byte("ranks: 8\ncollective: " + collective)}, 100))(t)
	}
	one, other := read("butterfly"), read("recursive-doubling")
	if one.Hash != other.Hash || one.Point(0).ID != other.Point(0).ID {
		t.Errorf("recursive-doubling is %s, butterfly %s", other.Point(0).Name(Collective), one.Hash)
	}
	if both := read("[butterfly, recursive-doubling]"); len(both.Configurations) != 1 {
		t.Errorf("butterfly by two names has %d configurations", len(both.Configurations))
	}
}

// A range is all whole numbers from one to another, or powers of one base.
func TestRange(t *testing.T) {
	const most = 1<<64 - 1
	for text, want := range map[string][]uint64{
		"8..10": {8, 9, 10}, "2^1..2^3": {2, 4, 8}, "10^1..10^3": {10, 100, 1000}, "8..2^3": {8},
		"18446744073709551614..18446744073709551615": {most - 1, most},
		"3^39..3^40": {4052555153018976267, 12157665459056928801},
		"1^1..1^3":   nil, "2^1..3^2": nil, "2^1..8": nil,
	} {
		values, err := Ranks.parse(text)
		got := vector.Each(values, func(v Value) uint64 { return v.Whole })
		if !slices.Equal(got, want) || (err == nil) != (want != nil) {
			t.Errorf("%s is %d, want %d: %v", text, got, want, err)
		}
	}
}
