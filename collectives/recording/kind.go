package recording

// A Kind says what takes up time.
type Kind int8

// Of these Waiting, Blocked, Saved, Latency and Flowing are only in lanes, Wire and
// Queueing only on the critical path.
const (
	Computing Kind = iota
	Sending        // a processor posts messages
	Receiving      // a processor receives one
	Polling        // a processor polls its connections
	Detour         // the system has taken the processor away
	Latency        // the first byte of a message is under way
	Flowing        // a message arrives as fast as its links allow
	Sharing        // a message arrives slower, because others share its links
	Waiting        // for a message
	Blocked        // a controller waits for its processor, or for the gap
	Delayed        // noise holds a message
	Saved          // a redundant copy has spared the rank this
	Wire           // a message is in transit, as long as it takes undisturbed
	Queueing       // a message waits for the link or the gap
	Kinds
)
