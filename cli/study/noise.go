package study

import "slices"

// noises are the keys of each kind of noise: which, how often and how long.
var noises = []struct{ kind, every, length *Key }{
	{OSKind, OSPeriod, OSDuration}, {NetKind, NetInterval, NetDuration},
}

// kindsOfNoise sets the kinds of noise that follow from other keys of noise that the user gave. With
// noise.profile: none there is no noise, and --noise none replaces the noise of a study file. The
// noise of the network is what its interval and length describe. It fails if keys contradict each
// other.
func (s *Study) kindsOfNoise() error {
	if s.in.Recorded == nil { // else they were checked when they were read first
		if err := s.contradiction(); err != nil {
			return err
		}
	}
	if s.onlyValue(NoiseProfile, none) {
		s.silence()
	}
	if !s.given(NetKind) && s.givenAny(NetInterval, NetDuration) {
		s.fix(NetKind, poisson)
	}
	return nil
}

// silence removes all noise that is given with less precedence than noise.profile.
func (s *Study) silence() {
	for _, k := range Keys {
		if k.Group == groupNoise && s.keys[k].level < s.keys[NoiseProfile].level {
			s.keys[k].level = byDefault
		}
	}
	for _, n := range noises {
		if !s.givenAny(n.kind, n.every, n.length) {
			s.fix(n.kind, none)
		}
	}
}

// fix sets a key that was not given to a name, whatever is assumed.
func (s *Study) fix(k *Key, name string) {
	s.Recorded.Values[k.Path] = []string{name}
	s.keys[k].values, s.keys[k].fixed = []Value{{Name: name}}, true
}

// contradiction returns an error that names two keys of noise that exclude each other, if two do and
// the later overrides nothing: a kind of noise that is none, or in a profile, has neither period nor
// length.
func (s *Study) contradiction() error {
	for _, n := range noises {
		for _, quantity := range []*Key{n.every, n.length} {
			for _, kind := range []string{none, kindProfile} {
				overrides := s.given(quantity) && s.keys[quantity].level >= s.keys[n.kind].level
				if s.onlyValue(n.kind, kind) && overrides && !s.onlyZero(quantity) {
					return s.contradict(n.kind, quantity)
				}
			}
		}
		for _, k := range []*Key{n.kind, n.every, n.length} {
			off := s.onlyZero(k) || s.onlyValue(k, none)
			if s.onlyValue(NoiseProfile, none) && s.keys[k].level == s.keys[NoiseProfile].level && !off {
				return s.contradict(NoiseProfile, k)
			}
		}
	}
	return nil
}

// onlyValue reports whether a key is given and a name is its only value.
func (s *Study) onlyValue(k *Key, name string) bool {
	return s.given(k) && len(s.keys[k].values) == 1 && s.keys[k].values[0].Name == name
}

// onlyZero reports whether all values of a quantity are given as 0.
func (s *Study) onlyZero(k *Key) bool {
	above := func(v Value) bool { return v.Name != "" || v.Number > 0 }
	return s.given(k) && len(s.keys[k].values) > 0 && !slices.ContainsFunc(s.keys[k].values, above)
}

func (s *Study) contradict(k, other *Key) error {
	return s.wrong(k, "%s contradicts %s %s; leave one of them out", s.texts(k), s.place(other), s.texts(other))
}
