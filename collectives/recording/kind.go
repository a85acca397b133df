package recording

// A Kind is what an activity takes time for.
type Kind int8

// The kinds of activities. Waiting, Blocked, Saved, Latency, Flowing and Stalled occur only in
// tracks, Wire and Queueing only on the critical path.
const (
	Computing Kind = iota
	Sending        // a processor posts messages, or waits until they have left
	Receiving      // a processor receives one
	Polling        // a processor polls its connections
	Detour         // a detour preempts the processor
	Latency        // the first byte of a message is in transit
	Flowing        // a message arrives as fast as its links allow
	Sharing        // a message arrives slower, since others share its links
	Waiting        // a rank waits for a message
	Blocked        // a controller waits for its processor, or for the gap
	Stalled        // a controller waits for room in a buffer
	Delayed        // noise delays a message
	Saved          // work that a redundant copy made unnecessary
	Wire           // a message is in transit, without the time of Sharing and Delayed
	Queueing       // a message waits for the link or the gap
	Kinds          // the number of kinds
)
