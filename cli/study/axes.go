package study

import (
	"fmt"
	"strings"
)

// axes are the parsed values of every key, and for each key that follows another its path.
type axes struct {
	lists
	values  map[string][]Value
	follows map[string]string
	assumed map[string]bool // keys whose values follow from those of assume, one for each
}

// parseAll reads the texts of all keys, and finds the keys that references lead to.
func parseAll(l lists) (*axes, error) {
	a := &axes{lists: l, values: map[string][]Value{}, follows: map[string]string{}}
	for _, k := range Keys {
		texts := l.values[k.Path]
		if len(texts) == 1 && strings.HasPrefix(texts[0], "=") {
			a.follows[k.Path] = strings.TrimSpace(texts[0][1:])
			continue
		}
		for _, text := range texts {
			values, err := k.parse(text)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", l.place(k.Path), err)
			}
			if a.values[k.Path] = append(a.values[k.Path], values...); len(a.values[k.Path]) > maxRange {
				return nil, fmt.Errorf("%s: has more than %d values", l.place(k.Path), maxRange)
			}
		}
		if k.Column == "" && len(a.values[k.Path]) > 1 {
			return nil, fmt.Errorf("%s: takes one value, as it is not an axis", l.place(k.Path))
		}
	}
	a.assume()
	for _, k := range Keys {
		if _, ok := a.follows[k.Path]; ok {
			if err := a.resolve(k); err != nil {
				return nil, err
			}
		}
	}
	return a, nil
}

// resolve makes a key that follows others follow the last of them directly. It fails if
// references lead nowhere or in a circle, or to values that the key cannot have.
func (a *axes) resolve(from Key) error {
	target := from.Path
	for range Keys {
		next, ok := a.follows[target]
		if !ok {
			break
		}
		if _, ok := Find(next); !ok {
			return fmt.Errorf("%s: =%s refers to an unknown key; did you mean =%s?",
				a.place(target), next, nearest(next))
		}
		target = next
	}
	to, _ := Find(target)
	switch {
	case a.follows[target] != "":
		return fmt.Errorf("%s: the reference leads back to itself", a.place(from.Path))
	case !sameKind(from, to):
		return fmt.Errorf("%s: %s is not the same kind of value", a.place(from.Path), to.Path)
	case !canFollow(from, to):
		return fmt.Errorf("%s: cannot follow %s: only one of them is an axis", a.place(from.Path), to.Path)
	}
	for _, v := range a.values[target] {
		if err := from.admit(v, to.Text(v)); err != nil {
			return fmt.Errorf("%s: =%s: %w", a.place(from.Path), target, err)
		}
	}
	a.follows[from.Path] = target
	return nil
}

// canonical returns the texts of all values in SI units, or of a reference, by path.
func (a *axes) canonical() map[string][]string {
	texts := map[string][]string{}
	for _, k := range Keys {
		if target, ok := a.follows[k.Path]; ok {
			texts[k.Path] = []string{"=" + target}
		}
		for _, v := range a.values[k.Path] {
			texts[k.Path] = append(texts[k.Path], v.canonical())
		}
	}
	return texts
}

// hash returns the digest of canonical texts.
func hash(values map[string][]string) string {
	var text strings.Builder
	for _, k := range Keys {
		fmt.Fprintf(&text, "%s=%s\n", k.Path, strings.Join(values[k.Path], ","))
	}
	return digest(text.String())
}

// free reports whether the values of a key are not those of another, nor follow from them.
func (a *axes) free(path string) bool { return a.follows[path] == "" && !a.assumed[path] }

// size returns how many configurations the product of the axes has.
func (a *axes) size() float64 {
	n := 1.0
	for _, k := range Axes {
		if a.free(k.Path) {
			n *= float64(len(a.values[k.Path]))
		}
	}
	return n
}

// only returns the value of a key that is not an axis, or of the one that it follows.
func (a *axes) only(path string) Value {
	if target, ok := a.follows[path]; ok {
		path = target
	}
	return a.values[path][0]
}

// point returns the values with the indices in digits, one for each axis.
func (a *axes) point(digits []int) Point {
	p := Point{Values: make([]*Value, len(Axes))}
	for i, k := range Axes {
		path, by := k.Path, k.Path
		if target, ok := a.follows[path]; ok {
			path, by = target, target
		}
		if a.assumed[path] {
			by = assumeKey
		}
		p.Values[i] = &a.values[path][digits[axisAt[by]]]
	}
	return p.own()
}

// advance counts the digits up, the last fastest, and reports whether that is another point.
func (a *axes) advance(digits []int) bool {
	for i := len(digits) - 1; i >= 0; i-- {
		if !a.free(Axes[i].Path) {
			continue
		}
		digits[i]++
		if digits[i] < len(a.values[Axes[i].Path]) {
			return true
		}
		digits[i] = 0
	}
	return false
}
