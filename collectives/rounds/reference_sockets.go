package rounds

import (
	"jitterfly/collectives"
	"jitterfly/collectives/recording"
)

// The recorder where ranks read from sockets. It reads as sockets.go does.

// message returns what arrives as a message to read.
func (rec *recorder) message(r *round, a *arrival) message {
	return r.message(a.source, a.at, rec.problem.Host.Window, a.inside)
}

// read reads the message of arrival a on a rank that polls from time from on, and sets when its
// last byte arrives.
func (rec *recorder) read(rank int, r *round, a *arrival, from float64) reading {
	got := rec.reader.of(rank, from, rec.message(r, a), rec.noise)
	a.at = got.arrived
	rec.polls += got.polls
	rec.reads += got.reads
	return got
}

// poll draws the polls of a rank after the last byte has arrived.
func (rec *recorder) poll(rank int, got reading) {
	m := rec.at[rank]
	if !(got.done > m.Time) {
		return
	}
	work := min(got.busy, got.done-m.Time)
	if recording.Significant(got.done-m.Time-work) == 0 {
		work = got.done - m.Time // no detour, but rounding
	}
	rec.at[rank] = rec.tracks[rank].Work(rank, m, got.done, work,
		recording.Part{Kind: recording.Polling, Seconds: work})
}

// readOne reads the message of arrival a on a rank, and combines it if the round combines. The rank
// came to the round at time before; bytes that it had read by then are copied once more.
func (rec *recorder) readOne(rank int, r *round, a arrival, before float64) {
	m := rec.message(r, &a)
	rec.reader.counts(r, a.at, &rec.came[rank])
	rec.waits[rank] = rec.at[rank].Time
	from := polledFrom(m.first, rec.waits[rank], rec.since[rank])
	got := rec.read(rank, r, &a, from)
	taking, work, combine := r.take, r.take, 0.0
	if r.Wait == collectives.Combined {
		combine = r.Combine
		work += combine
	}
	if got.done+rec.reader.same < before {
		taking += r.recopy
		work += r.recopy
	}
	if got.done > rec.at[rank].Time {
		rec.wait(rank, a)
		rec.poll(rank, got)
	}
	rec.at[rank] = rec.until(rec.at[rank], recording.Sending, rec.gone[rank])
	rec.at[rank] = rec.work(r.taking(), rank, rec.at[rank], work, true,
		recording.Part{Kind: recording.Receiving, Seconds: taking},
		recording.Part{Kind: recording.Computing, Seconds: combine})
}

// readAll reads and combines the messages of all sources on a rank, which polls for all of them at
// the same time.
func (rec *recorder) readAll(rank int, r *round, arrivals [][]arrival) {
	waits := rec.at[rank].Time
	ready, link, last, lastAt := waits, 0.0, reading{}, arrival{}
	for m := range r.sources {
		a := arrivals[m][rank]
		got := rec.read(rank, r, &a, waits)
		if ready = rec.reader.after(rank, ready, got, rec.noise); m == 0 || got.done >= last.done {
			last, lastAt = got, a
		}
		link += got.left
	}
	ready = rec.reader.linked(rank, ready, waits+link, rec.noise)
	if waits+link > lastAt.at { // the link is busy with messages until then
		lastAt.at = waits + link
	}
	rec.wait(rank, lastAt)
	last.busy += max(0, ready-last.done) // polls for others
	last.done = ready
	rec.poll(rank, last)
	taking := float64(len(r.sources)) * r.take
	rec.at[rank] = rec.work(r.piece(combining, 0), rank, rec.at[rank], r.Combine+taking, true,
		recording.Part{Kind: recording.Receiving, Seconds: taking},
		recording.Part{Kind: recording.Computing, Seconds: r.Combine})
}
