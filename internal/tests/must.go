package tests

import "strings"

// A Failer is a test of [testing] or of rapid.
type Failer interface {
	Helper()
	Fatal(args ...any)
}

// Must returns what a call has returned, and ends the test if that is an error as well:
// tests.Must(os.ReadFile(name))(t).
func Must[T any](value T, err error) func(Failer) T {
	return func(t Failer) T {
		t.Helper()
		NoError(t, err)
		return value
	}
}

// NoError ends the test if there is an error.
func NoError(t Failer, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Fails returns a check of what a call has returned: that its error is one line with the string want, which
// may begin with ^ and end with $ for the begin and the end of the line, or that it has none if want is
// empty. The check names what was done: tests.Fails(t, "too few", name)(read(name)).
func Fails(t interface {
	Helper()
	Errorf(format string, args ...any)
}, want string, done ...any) func(results ...any) {
	return func(results ...any) {
		t.Helper()
		err, _ := results[len(results)-1].(error)
		if want == "" && err == nil {
			return
		}
		if want == "" || err == nil || strings.Contains(err.Error(), "\n") ||
			!strings.Contains("^"+err.Error()+"$", want) {
			t.Errorf("%v: the error is %v, want one line with %q", done, err, want)
		}
	}
}
