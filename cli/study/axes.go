package study

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A source is where the values of an axis come from: values of its own, one for each value of
// assume, or the axis that it follows.
type source struct {
	values  []Value
	assumed []Value
	axis    int
}

// prepare finds what all points need: the sources of the axes, whose values must not be replaced
// from then on, and whether they simulate applications.
func (s *Study) prepare() {
	s.application = slices.ContainsFunc(Keys, func(k *Key) bool {
		return k.Group == groupApplication && k != Iterations && s.given(k)
	})
	s.sources = make([]source, len(Axes))
	for i, k := range Axes {
		if target, ok := s.follows[k]; ok {
			s.sources[i].axis = target.axis - 1
		} else if s.assumed[k] {
			s.sources[i].assumed = s.values[k]
		} else {
			s.sources[i].values = s.values[k]
		}
	}
}

// reference returns the path of the key whose values a key has, if it refers to one.
func (s *Study) reference(k *Key) (path string, ok bool) {
	texts := s.written[k.Path]
	if len(texts) != 1 || !strings.HasPrefix(texts[0], "=") {
		return "", false
	}
	return strings.TrimSpace(texts[0][1:]), true
}

// parse reads the texts of all keys that do not refer to others.
func (s *Study) parse() error {
	for _, k := range Keys {
		texts := s.written[k.Path]
		if _, refers := s.reference(k); refers {
			continue
		}
		for _, text := range texts {
			values, err := k.parse(text)
			if err != nil {
				return s.wrong(k, "%w", err)
			}
			if s.values[k] = append(s.values[k], values...); len(s.values[k]) > maxRange {
				return s.wrong(k, "has more than %d values", maxRange)
			}
		}
		if k.Column == "" && len(s.values[k]) > 1 {
			return s.wrong(k, "takes one value, as it is not an axis")
		}
	}
	return nil
}

// resolve finds the keys that references lead to.
func (s *Study) resolve() error {
	for _, k := range Keys {
		if err := s.follow(k); err != nil {
			return err
		}
	}
	return nil
}

// follow makes a key that refers to others follow the last of them directly. It fails if
// references lead nowhere or in a circle, or to values that the key cannot have.
func (s *Study) follow(from *Key) error {
	to := from
	path, refers := s.reference(to)
	if !refers {
		return nil
	}
	for range Keys {
		if !refers {
			break
		}
		next, ok := Find(path)
		if !ok {
			likely, _ := nearest(path)
			return s.wrong(to, "=%s refers to an unknown key; did you mean =%s?", path, likely.Path)
		}
		to = next
		path, refers = s.reference(to)
	}
	switch {
	case refers:
		return s.wrong(from, "the reference leads back to itself")
	case !sameKind(from, to):
		return s.wrong(from, "%s is not the same kind of value", to.Path)
	case !canFollow(from, to):
		return s.wrong(from, "cannot follow %s: only one of them is an axis", to.Path)
	}
	for _, v := range s.values[to] {
		if err := from.admit(v, to.Text(v)); err != nil {
			return s.wrong(from, "=%s: %w", to.Path, err)
		}
	}
	s.follows[from] = to
	return nil
}

// place returns where a key's value comes from, for errors.
func (s *Study) place(k *Key) string { return s.origins[k].place }

// wrong returns an error about a key. It begins with where the key's value comes from.
func (s *Study) wrong(k *Key, format string, args ...any) error {
	return fmt.Errorf("%s: %w", s.place(k), fmt.Errorf(format, args...))
}

// level returns what gave a key its value.
func (s *Study) level(k *Key) level { return s.origins[k].level }

// given reports whether the user gave a key.
func (s *Study) given(k *Key) bool { return s.level(k) > byDefault }

// canonical returns the texts of all values in SI units, or of a reference, by path.
func (s *Study) canonical() map[string][]string {
	texts := map[string][]string{}
	for _, k := range Keys {
		if target, ok := s.follows[k]; ok {
			texts[k.Path] = []string{"=" + target.Path}
		}
		for _, v := range s.values[k] {
			texts[k.Path] = append(texts[k.Path], v.canonical())
		}
	}
	return texts
}

func hash(values map[string][]string) string {
	var text strings.Builder
	for _, k := range Keys {
		fmt.Fprintf(&text, "%s=%s\n", k.Path, strings.Join(values[k.Path], ","))
	}
	return digest(text.String())
}

// size returns how many configurations the product of the axes has: of those with values of their own,
// which neither refer to nor follow from another key's.
func (s *Study) size() float64 {
	n := 1.0
	for _, k := range Axes {
		if s.follows[k] == nil && !s.assumed[k] {
			n *= float64(len(s.values[k]))
		}
	}
	return n
}

// only returns the value of a key that is not an axis, or of the one that it follows.
func (s *Study) only(k *Key) Value { return s.valuesOf(k)[0] }

func (s *Study) valuesOf(k *Key) []Value { return s.values[cmp.Or(s.follows[k], k)] }

// point returns the values at a place in the product of the axes. The last axis varies fastest.
// They are in a slice of len(Axes), a new one if it is nil.
func (s *Study) point(at int, values []Value) Point {
	if values == nil {
		values = make([]Value, len(Axes))
	}
	for i := len(s.sources) - 1; i >= 0; i-- {
		switch of := s.sources[i].values; len(of) {
		case 0:
		case 1:
			values[i] = of[0]
		default:
			values[i] = of[at%len(of)]
			at /= len(of)
		}
	}
	assume := slices.Index(s.values[Assume], values[Assume.axis-1])
	for i := range s.sources {
		if of := s.sources[i].assumed; of != nil {
			values[i] = of[assume]
		}
	}
	for i := range s.sources {
		if of := &s.sources[i]; of.values == nil && of.assumed == nil {
			values[i] = values[of.axis]
		}
	}
	return Point{Values: values}
}
