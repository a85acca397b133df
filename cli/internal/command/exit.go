package command

import "errors"

// Exit codes. An error of a command without another code is an error of its input.
const (
	Done       = 0
	Failed     = 1 // another input would not have helped
	Input      = 2
	Incomplete = 3  // shards of a plan are missing
	Stopped    = 75 // EX_TEMPFAIL: the same command resumes
)

type failure struct {
	error
	code int
}

func (f failure) Unwrap() error { return f.error }

// With returns an error that ends the program with the code; nil if err is nil.
func With(code int, err error) error {
	if err == nil {
		return nil
	}
	return failure{err, code}
}

// Failure returns an error that other input would not have avoided, which ends the
// program with [Failed]; nil if err is nil.
func Failure(err error) error { return With(Failed, err) }

// ExitCode returns the exit code of a command that returned err: the code in err, or [Input] if
// err has no code.
func ExitCode(err error) int {
	if err == nil {
		return Done
	}
	if f, ok := errors.AsType[failure](err); ok {
		return f.code
	}
	return Input
}
