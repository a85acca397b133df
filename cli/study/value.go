package study

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"jitterfly/cli/internal/output"
	"jitterfly/collectives"
	"jitterfly/datasets"
	"jitterfly/internal/units"
	"jitterfly/internal/vector"
)

// A Value is one value of a key: a name, or a Number in SI units. Whole numbers are also in
// Whole, for a seed may be too large for Number to be exact.
type Value struct {
	Name   string
	Whole  uint64
	Number float64
}

func wholeValue(n uint64) Value { return Value{Whole: n, Number: float64(n)} }

// maxRange is the largest number of values of one key.
const maxRange = 1 << 20

// parse reads one text, which for whole numbers may be a range of several values: 2^1..2^16
// for the powers, 8..12 for each number.
func (k *Key) parse(text string) ([]Value, error) {
	text = k.Name(strings.TrimSpace(text))
	if slices.Contains(k.Names, text) || k.Files != nil {
		return []Value{{Name: text}}, nil
	}
	if k.Check != nil {
		return []Value{{Name: text}}, k.Check(text)
	}
	from, to, isRange := strings.Cut(text, "..")
	from, to = strings.TrimSpace(from), strings.TrimSpace(to)
	switch {
	case isRange && k.Whole:
		return k.span(text, from, to)
	case isRange && k.Names == nil:
		return nil, fmt.Errorf("%q is a range, which only whole numbers have; write a list, as %s,%s",
			text, from, to)
	}
	v, err := k.single(text)
	return []Value{v}, err
}

// Name returns the name that an alias stands for, and other strings unchanged.
func (k *Key) Name(text string) string { return cmp.Or(k.Aliases[text], text) }

// span reads a range of whole numbers. It fails if the range is empty or too long.
func (k *Key) span(text, from, to string) ([]Value, error) {
	low, err := k.single(from)
	if err != nil {
		return nil, err
	}
	high, err := k.single(to)
	if err != nil {
		return nil, err
	}
	factor, step := uint64(1), uint64(1) // after n comes n·factor + step
	if base, _, power := strings.Cut(from, "^"); power {
		factor, _ = strconv.ParseUint(base, 10, 64)
		if step = 0; factor < 2 || !strings.HasPrefix(to, base+"^") {
			return nil, fmt.Errorf("%q is not a range of powers of one base above 1", text)
		}
	}
	if high.Whole < low.Whole {
		return nil, fmt.Errorf("%q is an empty range", text)
	}
	var values []Value
	for n := low.Whole; len(values) < maxRange; n = n*factor + step {
		values = append(values, wholeValue(n))
		if n == high.Whole || n > (high.Whole-step)/factor {
			return values, nil
		}
	}
	return nil, fmt.Errorf("%q stands for more than %d values", text, maxRange)
}

// single reads one value that is not a name, and fails if the key cannot have it.
func (k *Key) single(text string) (Value, error) {
	v, err := k.read(text)
	if err == nil && k.Share && v.Number > 1 && !strings.HasSuffix(strings.TrimSpace(text), "%") {
		return v, fmt.Errorf("%s is %g%%; write %s%%, or %g%% if you mean it", text, 100*v.Number, text,
			100*v.Number)
	}
	if err == nil {
		err = k.admit(v, text)
	}
	return v, err
}

// admit fails if the key cannot have a value, be it the key's own value or the value of a key that
// it follows.
func (k *Key) admit(v Value, text string) error {
	switch {
	case v.Name != "":
		return k.admitName(v, text)
	case v.Number < k.Least || k.Above && v.Number == k.Least:
		than := "at least"
		if k.Above {
			than = "above"
		}
		return fmt.Errorf("%s must be %s %s", text, than, k.write(k.Least))
	case k.Below != 0 && v.Number >= k.Below:
		share := v.Number / 100
		if k.Dimension == units.Number && v.Number > 1 && share < k.Below {
			return fmt.Errorf("%s must be below %s; did you mean %g or %s%%?",
				text, k.write(k.Below), share, text)
		}
		return fmt.Errorf("%s must be below %s", text, k.write(k.Below))
	case k.Dimension == units.Size && (v.Number != math.Trunc(v.Number) || v.Number > 1<<53):
		return fmt.Errorf("%s is not a whole number of bytes up to 2^53", text)
	}
	return nil
}

// admitName fails if the key cannot have a value that is a word.
func (k *Key) admitName(v Value, text string) error {
	if k.Check == nil && k.Files == nil && !slices.Contains(k.Names, v.Name) {
		return k.unknown(text)
	}
	return nil
}

func (k *Key) unknown(text string) error {
	return output.Unknown(text, slices.Concat(k.Names, slices.Sorted(maps.Keys(k.Aliases))))
}

// read reads a number or a quantity, without checking its bounds.
func (k *Key) read(text string) (Value, error) {
	if k.Whole {
		n, err := k.wholeNumber(text)
		return wholeValue(n), err
	}
	if k.Names != nil {
		return Value{}, k.unknown(text)
	}
	n, err := units.Parse(k.Dimension, text)
	return Value{Number: n}, err
}

// wholeNumber reads a whole number: 65536 or 2^16. The error names the least number, the names
// that may stand for numbers, and for an axis a range.
func (k *Key) wholeNumber(text string) (uint64, error) {
	if base, exponent, ok := strings.Cut(text, "^"); ok {
		b, err1 := strconv.ParseUint(base, 10, 32)
		e, err2 := strconv.ParseUint(exponent, 10, 8)
		if err1 == nil && err2 == nil {
			n := new(big.Int).Exp(new(big.Int).SetUint64(b), new(big.Int).SetUint64(e), nil)
			if !n.IsUint64() {
				return 0, fmt.Errorf("%s is too large", text)
			}
			return n.Uint64(), nil
		}
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Errorf("%s is too large", text)
	}
	if err != nil {
		expected := fmt.Sprintf("a whole number of at least %.0f", k.Least)
		if k.Names != nil {
			expected = strings.Join(k.Names, ", ") + " or " + expected
		}
		if k.Column != "" {
			expected += ", or a range such as 2^4..2^10"
		}
		return 0, fmt.Errorf("%q is not %s", text, expected)
	}
	return n, nil
}

func (k *Key) write(number float64) string {
	if k.Share {
		return strconv.FormatFloat(100*number, 'g', 6, 64) + "%"
	}
	return units.Format(k.Dimension, number, 6)
}

// Text returns a value of the key as people write it.
func (k *Key) Text(v Value) string {
	switch {
	case v.Name != "":
		return v.Name
	case k.Whole:
		return strconv.FormatUint(v.Whole, 10)
	}
	return k.write(v.Number)
}

// Format returns a value of the key's column in results with its unit.
func (k *Key) Format(cell any) string { return k.Text(valueOf(cell)) }

// canonical returns the value in SI units with all of its digits: equal values have equal
// texts, however they were written.
func (v Value) canonical() string {
	if v.Name != "" {
		return v.Name
	}
	return string(v.append(nil))
}

func (v Value) append(b []byte) []byte {
	switch {
	case v.Name != "":
		return append(b, v.Name...)
	case v.Whole != 0:
		return strconv.AppendUint(b, v.Whole, 10)
	}
	return strconv.AppendFloat(b, v.Number, 'g', -1, 64)
}

// int returns a whole number as an int, at most the largest.
func (v Value) int() int { return int(min(v.Whole, math.MaxInt)) }

// Cell returns the value as its column in the results has it: a string, an int64, or a
// float64 in SI units.
func (k *Key) Cell(v Value) any {
	switch {
	case k.words():
		return v.Name
	case k.whole():
		return int64(math.Round(v.Number))
	}
	return v.Number
}

// In returns the value of an axis in a row of results.
func (k *Key) In(row *datasets.Axes) any { return row.Value(k.axis - 1) }

// valueOf returns the value that a column of results has.
func valueOf(cell any) Value {
	switch v := cell.(type) {
	case int64:
		return Value{Whole: uint64(v), Number: float64(v)}
	case float64:
		return Value{Number: v}
	}
	return Value{Name: cell.(string)}
}

func collectiveNames() []string {
	return vector.Each(collectives.Algorithms, func(a collectives.Algorithm) string { return a.Name })
}
