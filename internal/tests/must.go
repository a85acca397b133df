package tests

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
