package collectives

import (
	"fmt"
	"math"
)

// A Parameter is what of a [Problem], or of a network, keeps a collective from being simulated.
type Parameter int

// The parameters that errors name.
const (
	ParameterRanks Parameter = iota
	ParameterSources
	ParameterSegments
	ParameterNodeRanks
	ParameterMessages
	ParameterSides
	ParameterEngine
	ParameterLeaders
	ParameterBytes
	ParameterControllers
	ParameterFlit
	ParameterFlits
	ParameterChannels
	ParameterBuffer
	ParameterHop
	ParameterCredit
)

// Invalid is the error of a problem that a collective cannot have.
type Invalid struct {
	Parameter Parameter
	Reason    string
}

// Error implements error.
func (i *Invalid) Error() string { return i.Reason }

// Invalid returns an [Invalid] of the parameter, with a formatted reason.
func (p Parameter) Invalid(format string, args ...any) error {
	return &Invalid{p, fmt.Sprintf(format, args...)}
}

// Finite returns an error that names a number unless it is finite and more than 0; with zero it may
// be 0.
func Finite(name string, value float64, zero bool) error {
	least := "more than 0"
	if zero {
		least = "at least 0"
	}
	if !(value >= 0) || math.IsInf(value, 1) || value == 0 && !zero {
		return fmt.Errorf("a %s of %g is impossible; it must be %s and finite", name, value, least)
	}
	return nil
}
