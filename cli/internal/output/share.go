package output

import (
	"github.com/spf13/pflag"

	"jitterfly/internal/units"
)

// share is a share as the value of a flag.
type share float64

// ShareVar defines a flag for a share, which may be written in per cent: 0.5% or 0.005.
func ShareVar(f *pflag.FlagSet, to *float64, name string, by float64, usage string) {
	*to = by
	f.Var((*share)(to), name, usage)
}

// Set reads the share. It fails if the text is no number.
func (s *share) Set(text string) error {
	v, err := units.Parse(units.Number, text)
	*s = share(v)
	return err
}

// String returns the share in per cent.
func (s *share) String() string { return Level(float64(*s)) }

// Type is the placeholder of the value in help.
func (s *share) Type() string { return "share" }
