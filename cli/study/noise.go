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
func (a *axes) kindsOfNoise() error {
	if a.Recorded == nil { // else they were checked when they were read first
		if err := a.contradiction(); err != nil {
			return err
		}
	}
	if a.onlyValue(NoiseProfile, none) {
		a.silence()
	}
	if !a.given(NetKind) && a.givenAny(NetInterval, NetDuration) {
		a.fix(NetKind, poisson)
	}
	return nil
}

// silence removes all noise that is given with less precedence than noise.profile.
func (a *axes) silence() {
	for _, k := range Keys {
		if k.Group == groupNoise && a.level(k) < a.level(NoiseProfile) {
			a.origins[k].level = byDefault
		}
	}
	for _, n := range noises {
		if !a.givenAny(n.kind, n.every, n.length) {
			a.fix(n.kind, none)
		}
	}
}

// fix sets a key that was not given to a name, whatever is assumed.
func (a *axes) fix(k *Key, name string) {
	a.written[k.Path], a.values[k] = []string{name}, []Value{{Name: name}}
	a.fixed = append(a.fixed, k)
}

// contradiction returns an error that names two keys of noise that exclude each other, if two do and
// the later overrides nothing: a kind of noise that is none, or in a profile, has neither period nor
// length.
func (a *axes) contradiction() error {
	for _, n := range noises {
		for _, quantity := range []*Key{n.every, n.length} {
			for _, kind := range []string{none, kindProfile} {
				overrides := a.given(quantity) && a.level(quantity) >= a.level(n.kind)
				if a.onlyValue(n.kind, kind) && overrides && !a.onlyZero(quantity) {
					return a.contradict(n.kind, quantity)
				}
			}
		}
		for _, k := range []*Key{n.kind, n.every, n.length} {
			off := a.onlyZero(k) || a.onlyValue(k, none)
			if a.onlyValue(NoiseProfile, none) && a.level(k) == a.level(NoiseProfile) && !off {
				return a.contradict(NoiseProfile, k)
			}
		}
	}
	return nil
}

// onlyValue reports whether a key is given and a name is its only value.
func (a *axes) onlyValue(k *Key, name string) bool {
	return a.given(k) && len(a.values[k]) == 1 && a.values[k][0].Name == name
}

// onlyZero reports whether all values of a quantity are given as 0.
func (a *axes) onlyZero(k *Key) bool {
	above := func(v Value) bool { return v.Name != "" || v.Number > 0 }
	return a.given(k) && len(a.values[k]) > 0 && !slices.ContainsFunc(a.values[k], above)
}

func (a *axes) contradict(k, other *Key) error {
	return a.wrong(k, "%s contradicts %s %s; leave one of them out", a.texts(k), a.place(other), a.texts(other))
}
