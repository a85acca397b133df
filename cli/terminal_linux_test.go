package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"jitterfly/cli/internal/command"
	"jitterfly/internal/tests"
)

// On a terminal tables fit its width, or 80 columns if it tells none, and have colours unless
// NO_COLOR is set.
func TestTerminal(t *testing.T) {
	escape := regexp.MustCompile("\x1b\\[[0-9;]*m")
	for _, c := range []struct {
		width   uint16 // of the terminal; 0 is that it tells none
		environ []string
		most    int // characters of a line
		colour  bool
	}{
		{80, nil, 80, true},
		{120, []string{"COLUMNS=60"}, 120, true},
		{80, []string{"NO_COLOR=1"}, 80, false},
		{80, []string{"NO_COLOR="}, 80, true},
		{80, []string{"TERM=dumb"}, 80, false},
		{0, nil, 80, true},
		{0, []string{"COLUMNS=132"}, 132, true},
	} {
		for _, args := range []string{"presets", "sweep --help"} {
			printed := onTerminal(t, c.width, c.environ, strings.Fields(args))
			if got := escape.MatchString(printed); got != c.colour {
				t.Errorf("%s with %q: colour is %t", args, c.environ, got)
			}
			widest := 0
			for line := range strings.Lines(escape.ReplaceAllString(printed, "")) {
				widest = max(widest, utf8.RuneCountInString(strings.TrimRight(line, "\r\n")))
			}
			if widest > c.most || args == "sweep --help" && widest < min(c.most, 80)*3/4 {
				t.Errorf("%s with %q: %d characters, in %d columns", args, c.environ, widest, c.width)
			}
		}
	}
}

// onTerminal runs a command whose output is a terminal with the given columns, and returns what
// the terminal shows.
func onTerminal(t *testing.T, columns uint16, environ, args []string) string {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no terminal can be had: %v", err)
	}
	defer func() { _ = master.Close() }()
	fd := int(master.Fd())
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: columns})
	}
	if err != nil {
		t.Skipf("no terminal can be had: %v", err)
	}
	terminal, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no terminal can be had: %v", err)
	}
	shown := make(chan string)
	go func() {
		text, _ := io.ReadAll(master) // which fails once the terminal is closed
		shown <- string(text)
	}()
	code := run(context.Background(), args, environ, terminal, io.Discard)
	tests.NoError(t, terminal.Close())
	if code != command.Done {
		t.Fatalf("%v: exit %d", args, code)
	}
	return <-shown
}
