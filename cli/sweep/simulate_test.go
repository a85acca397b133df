package sweep

import (
	"testing"
	"time"
)

// A clock that has gone back does not have every configuration written as a part.
func TestFlushDue(t *testing.T) {
	if flushDue(-time.Hour, -time.Second) {
		t.Error("a part is written at once when the clock has gone back")
	}
	if !flushDue(time.Minute, 2*time.Second) {
		t.Error("a minute after the begin no part is written for two seconds")
	}
}
