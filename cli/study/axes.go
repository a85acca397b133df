package study

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// axes are the values of every key as texts and parsed, where each comes from, and which key a key
// follows.
type axes struct {
	Input
	written map[string][]string // by path
	origins map[*Key]*origin
	values  map[*Key][]Value
	follows map[*Key]*Key
	assumed map[*Key]bool // keys whose values follow from the values of assume, one for each
	fixed   []*Key        // that are not given and whose values follow from keys that are
	sources []source      // by axis
	// application says that a key of applications is given besides their iterations.
	application bool
}

// A source is where the values of an axis come from: values of its own, one for each value of
// assume, or the axis that it follows.
type source struct {
	values  []Value
	assumed []Value
	axis    int
}

// arrange finds what all points need: the sources of the axes, whose values must not be replaced
// from then on, and whether they simulate applications.
func (a *axes) arrange() {
	a.application = slices.ContainsFunc(Keys, func(k *Key) bool {
		return k.Group == groupApplication && k != Iterations && a.given(k)
	})
	a.sources = make([]source, len(Axes))
	for i, k := range Axes {
		if target, ok := a.follows[k]; ok {
			a.sources[i].axis = target.axis - 1
		} else if a.assumed[k] {
			a.sources[i].assumed = a.values[k]
		} else {
			a.sources[i].values = a.values[k]
		}
	}
}

// reference returns the path of the key whose values a key has, if it refers to one.
func (a *axes) reference(k *Key) (path string, ok bool) {
	texts := a.written[k.Path]
	if len(texts) != 1 || !strings.HasPrefix(texts[0], "=") {
		return "", false
	}
	return strings.TrimSpace(texts[0][1:]), true
}

// parse reads the texts of all keys that do not refer to others.
func (a *axes) parse() error {
	for _, k := range Keys {
		texts := a.written[k.Path]
		if _, refers := a.reference(k); refers {
			continue
		}
		for _, text := range texts {
			values, err := k.parse(text)
			if err != nil {
				return a.wrong(k, "%w", err)
			}
			if a.values[k] = append(a.values[k], values...); len(a.values[k]) > maxRange {
				return a.wrong(k, "has more than %d values", maxRange)
			}
		}
		if k.Column == "" && len(a.values[k]) > 1 {
			return a.wrong(k, "takes one value, as it is not an axis")
		}
	}
	return nil
}

// resolve finds the keys that references lead to.
func (a *axes) resolve() error {
	for _, k := range Keys {
		if _, refers := a.reference(k); refers {
			if err := a.follow(k); err != nil {
				return err
			}
		}
	}
	return nil
}

// follow makes a key that follows others follow the last of them directly. It fails if
// references lead nowhere or in a circle, or to values that the key cannot have.
func (a *axes) follow(from *Key) error {
	to := from
	path, refers := a.reference(to)
	for range Keys {
		if !refers {
			break
		}
		next, ok := Find(path)
		if !ok {
			likely, _ := nearest(path)
			return a.wrong(to, "=%s refers to an unknown key; did you mean =%s?", path, likely.Path)
		}
		to = next
		path, refers = a.reference(to)
	}
	switch {
	case refers:
		return a.wrong(from, "the reference leads back to itself")
	case !sameKind(from, to):
		return a.wrong(from, "%s is not the same kind of value", to.Path)
	case !canFollow(from, to):
		return a.wrong(from, "cannot follow %s: only one of them is an axis", to.Path)
	}
	for _, v := range a.values[to] {
		if err := from.admit(v, to.Text(v)); err != nil {
			return a.wrong(from, "=%s: %w", to.Path, err)
		}
	}
	a.follows[from] = to
	return nil
}

// place returns where a key's value comes from, for errors.
func (a *axes) place(k *Key) string { return a.origins[k].place }

// wrong returns an error about a key. It begins with where the key's value comes from.
func (a *axes) wrong(k *Key, format string, args ...any) error {
	return fmt.Errorf("%s: %w", a.place(k), fmt.Errorf(format, args...))
}

// level returns what gave a key its value.
func (a *axes) level(k *Key) level { return a.origins[k].level }

// given reports whether the user gave a key.
func (a *axes) given(k *Key) bool { return a.level(k) > byDefault }

// canonical returns the texts of all values in SI units, or of a reference, by path.
func (a *axes) canonical() map[string][]string {
	texts := map[string][]string{}
	for _, k := range Keys {
		if target, ok := a.follows[k]; ok {
			texts[k.Path] = []string{"=" + target.Path}
		}
		for _, v := range a.values[k] {
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
func (a *axes) size() float64 {
	n := 1.0
	for _, k := range Axes {
		if a.follows[k] == nil && !a.assumed[k] {
			n *= float64(len(a.values[k]))
		}
	}
	return n
}

// only returns the value of a key that is not an axis, or of the one that it follows.
func (a *axes) only(k *Key) Value { return a.valuesOf(k)[0] }

func (a *axes) valuesOf(k *Key) []Value { return a.values[cmp.Or(a.follows[k], k)] }

// point returns the values at a place in the product of the axes. The last axis varies fastest.
// They are in a slice of len(Axes), a new one if it is nil.
func (a *axes) point(at int, values []Value) Point {
	if values == nil {
		values = make([]Value, len(Axes))
	}
	for i := len(a.sources) - 1; i >= 0; i-- {
		switch of := a.sources[i].values; len(of) {
		case 0:
		case 1:
			values[i] = of[0]
		default:
			values[i] = of[at%len(of)]
			at /= len(of)
		}
	}
	assume := slices.Index(a.values[Assume], values[Assume.axis-1])
	for i := range a.sources {
		if of := a.sources[i].assumed; of != nil {
			values[i] = of[assume]
		}
	}
	for i := range a.sources {
		if s := &a.sources[i]; s.values == nil && s.assumed == nil {
			values[i] = values[s.axis]
		}
	}
	return Point{Values: values}
}
