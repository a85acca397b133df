package collectives

import "fmt"

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
