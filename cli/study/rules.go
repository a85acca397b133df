package study

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"jitterfly/collectives"
	"jitterfly/internal/vector"
	"jitterfly/montecarlo"
)

// A Rule sets a key's value to As where all of its conditions hold, since the key has no
// effect there. An empty As is the number 0.
type Rule struct {
	As string
	If []Condition
}

// A Condition holds where the value of Key is in Values; with Not, where it is not. Set describes
// Values that are too many to list.
type Condition struct {
	Key    *Key
	Not    bool
	Values []string
	Set    string
}

// where returns the rule that sets a key's value to as where the conditions hold.
func where(as string, conditions ...Condition) Rule { return Rule{as, conditions} }

func is(k *Key, values ...string) Condition { return Condition{Key: k, Values: values} }

// itself returns the condition that the key with the rule has one of the values.
func itself(values ...string) Condition { return Condition{Values: values} }

func not(c Condition) Condition {
	c.Not = !c.Not
	return c
}

// among returns the condition that the collective does an operation.
func among(set string, does collectives.Operation) Condition {
	return Condition{Key: Collective, Values: CollectivesOf(string(does)), Set: set}
}

// ignore sets the keys that have no effect on the configuration as their rules say. No rule
// changes a key that the rules of other keys depend on. It marks the others in effective, unless
// that is nil.
func (p Point) ignore(effective []atomic.Bool) {
	for i, k := range Axes {
		if r := p.rule(k); r != nil {
			p.Values[i] = k.replacement(*r)
		} else if effective != nil && !effective[i].Load() {
			effective[i].Store(true)
		}
	}
}

// rule returns the rule that sets the key's value, nil if the key has an effect.
func (p Point) rule(k *Key) *Rule {
	for i := range k.Rules {
		if p.meets(k.Rules[i].If) {
			return &k.Rules[i]
		}
	}
	return nil
}

// noteIgnored notes the keys that the user gave and that have no effect on any configuration,
// neither by themselves nor through a key that follows them, given which axes have one.
func (s *Study) noteIgnored(effective []atomic.Bool) {
	first := s.Point(0)
	// A rule may replace the very value that it is about, so it is asked what was written.
	written, _ := s.raw(int(s.Configurations[0].at), nil) // it was derived before
	counts := func(k *Key) bool { return effective[k.axis-1].Load() }
	for _, k := range Axes {
		follower := func(other *Key) bool { return s.keys[other].follows == k && counts(other) }
		has := func(v Value) bool { return v == first.Value(k) }
		if !s.given(k) || slices.ContainsFunc(s.keys[k].values, has) ||
			counts(k) || slices.ContainsFunc(Axes, follower) {
			continue
		}
		s.note(fmt.Sprintf("%s: has no effect here; it is %s",
			s.place(k), written.rule(k).text()))
	}
}

// noteUnused notes the keys of the whole study that the user gave and that nothing uses.
func (s *Study) noteUnused() {
	unused := func(k *Key, where string) {
		if s.given(k) {
			s.note(fmt.Sprintf("%s: has no effect %s", s.place(k), where))
		}
	}
	if !strings.Contains(s.texts(Collective), permutation) {
		unused(Permutation, "without collective permutation")
	}
	switch {
	case s.Trials.Min == s.Trials.Max:
		unused(TrialsUntil, "on a fixed number of trials")
		unused(TrialsPrecision, "on a fixed number of trials")
	case s.Trials.Until != montecarlo.UntilPrecise:
		unused(TrialsPrecision, "without until precision")
	}
}

func (p Point) meets(conditions []Condition) bool {
	for i := range conditions {
		c := &conditions[i]
		if slices.Contains(c.Values, p.Value(c.Key).canonical()) == c.Not {
			return false
		}
	}
	return true
}

// without returns the value of the key where it has no effect: 0 if no rule says.
func (k *Key) without() Value {
	if len(k.Rules) == 0 {
		return Value{}
	}
	return k.replacement(k.Rules[0])
}

// replacement returns the value that a rule gives the key.
func (k *Key) replacement(r Rule) Value {
	if r.As == "" {
		return Value{}
	}
	if k.words() {
		return Value{Name: r.As}
	}
	v, err := k.read(r.As)
	if err != nil {
		panic("study: a rule of " + k.Path + ": " + err.Error())
	}
	return v
}

// text returns the rule in words: none unless collective is an all-to-all.
func (r Rule) text() string {
	as := cmp.Or(r.As, "0")
	if len(r.If) == 1 && r.If[0].Not {
		return as + " unless " + not(r.If[0]).text()
	}
	return as + " if " + strings.Join(vector.Each(r.If, Condition.text), " and ")
}

func (c Condition) text() string {
	verb := " is "
	if c.Not {
		verb = " is not "
	}
	return c.Key.Path + verb + cmp.Or(c.Set, strings.Join(c.Values, " or "))
}
