package study

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"jitterfly/internal/vector"
)

// A setting is what a study has for a key.
type setting struct {
	level
	place   string  // of the value, for errors: a file and line, a flag or a variable
	values  []Value // the key's own; one for each value of assume if they are assumed
	assumed bool
	follows *Key // whose values are this key's too, which then has no own ones
	fixed   bool // not given, but the value follows from keys that are
}

// varies reports whether an axis has values of its own, each of which is combined with all values of others.
func (x *setting) varies() bool { return x.follows == nil && !x.assumed }

// reference returns the path of the key whose values a key has, if it refers to one.
func (s *Study) reference(k *Key) (path string, ok bool) {
	texts := s.Recorded.Values[k.Path]
	if len(texts) != 1 || !strings.HasPrefix(texts[0], "=") {
		return "", false
	}
	return strings.TrimSpace(texts[0][1:]), true
}

// parse reads the texts of all keys that do not refer to others.
func (s *Study) parse() error {
	for _, k := range Keys {
		if _, refers := s.reference(k); refers {
			continue
		}
		x := s.keys[k]
		for _, text := range s.Recorded.Values[k.Path] {
			values, err := k.parse(text)
			if err != nil {
				return s.wrong(k, "%w", err)
			}
			if x.values = append(x.values, values...); len(x.values) > maxRange {
				return s.wrong(k, "has more than %d values", maxRange)
			}
		}
		if k.Column == "" && len(x.values) > 1 {
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
	for _, v := range s.keys[to].values {
		if err := from.admit(v, to.Text(v)); err != nil {
			return s.wrong(from, "=%s: %w", to.Path, err)
		}
	}
	s.keys[from].follows = to
	return nil
}

// place returns where a key's value comes from, for errors.
func (s *Study) place(k *Key) string { return s.keys[k].place }

// wrong returns an error about a key. It begins with where the key's value comes from.
func (s *Study) wrong(k *Key, format string, args ...any) error {
	return fmt.Errorf("%s: %w", s.place(k), fmt.Errorf(format, args...))
}

// given reports whether the user gave a key.
func (s *Study) given(k *Key) bool { return s.keys[k].level > byDefault }

// canonical returns the texts of all values in SI units, or of a reference, by path.
func (s *Study) canonical() map[string][]string {
	texts := map[string][]string{}
	for _, k := range Keys {
		texts[k.Path] = vector.Each(s.keys[k].values, Value.canonical)
		if target := s.keys[k].follows; target != nil {
			texts[k.Path] = []string{"=" + target.Path}
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

// size returns how many configurations the product of the axes has.
func (s *Study) size() float64 {
	n := 1.0
	for _, x := range s.axes {
		if x.varies() {
			n *= float64(len(x.values))
		}
	}
	return n
}

// only returns the value of a key that is not an axis, or of the one that it follows.
func (s *Study) only(k *Key) Value { return s.valuesOf(k)[0] }

func (s *Study) valuesOf(k *Key) []Value { return s.keys[cmp.Or(s.keys[k].follows, k)].values }

// point returns the values at a place in the product of the axes. The last axis varies fastest.
// They are in a slice of len(Axes), a new one if it is nil.
func (s *Study) point(at int, values []Value) Point {
	if values == nil {
		values = make([]Value, len(Axes))
	}
	for i := len(Axes) - 1; i >= 0; i-- {
		if x := s.axes[i]; x.varies() {
			values[i] = x.values[at%len(x.values)]
			at /= len(x.values)
		}
	}
	assume := slices.Index(s.keys[Assume].values, values[Assume.axis-1])
	for i, x := range s.axes {
		if x.assumed {
			values[i] = x.values[assume]
		}
	}
	for i, x := range s.axes {
		if x.follows != nil {
			values[i] = values[x.follows.axis-1]
		}
	}
	return Point{Values: values}
}
