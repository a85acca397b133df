#include "verbose.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "map.h"

/* Why calls are native. */
static const char *const reasons[OUTCOMES] = {
    [NO_RULE] = "by the rules",
    [TOO_LONG] = "longer than JITTERFLY_MPI_MAX_BYTES",
    [NOT_TAKEN] = "of a count, datatype or operation that is not taken",
    [OUTSIDE] = "with ranks outside of MPI_COMM_WORLD",
    [NOT_MADE] = "without a communicator for messages",
    [WITHDRAWN] = "with a rank that withdrew",
    [NO_PROGRESS] = "nonblocking or persistent, which need Open MPI",
    [EARLY] = "nonblocking before the first blocking one",
    [YOUNG] = "before the communicator connects",
};

/* Of communicators without a name; it belongs to the thread that has the mutex. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct {
	struct tally tally;
	unsigned long long count;
	int least, most; /* ranks */
	struct map said; /* choices by ranks */
} unnamed;

static atomic_bool taken; /* a call of this rank has been */

void tally_count(struct tally *t, enum outcome outcome, size_t bytes) {
	t->calls[outcome]++;
	if (outcome != TAKEN)
		return;
	t->bytes += bytes;
	t->barriers += bytes == 0;
	if (!atomic_load_explicit(&taken, memory_order_relaxed))
		atomic_store(&taken, true);
}

bool tally_any(void) { return atomic_load(&taken); }

/* named returns whether the program has given a communicator a name, and writes it. Open MPI gives
 * names of its own. */
static bool named(MPI_Comm comm, char text[MPI_MAX_OBJECT_NAME]) {
	int length = 0;
	return PMPI_Comm_get_name(comm, text, &length) == MPI_SUCCESS && length > 0 &&
	       strncmp(text, "MPI COMMUNICATOR ", 17) != 0;
}

/* first returns whether nothing has been said of a choice for communicators without a name. */
static bool first(int ranks, size_t bytes, const struct choice *choice) {
	uint64_t line = choice ? (uint64_t)choice->line + 1 : 0;
	uint64_t key = (uint64_t)ranks << 32 | line << 1 | (bytes == 0);
	pthread_mutex_lock(&mutex);
	bool new = map_get(&unnamed.said, key) == 0;
	map_set(&unnamed.said, key, 1);
	pthread_mutex_unlock(&mutex);
	return new;
}

/* describe writes what a choice is. */
static void describe(const struct choice *c, char *text, size_t room) {
	int length = snprintf(text, room, "R = %d, T = %d", c->sources, c->copies);
	if (c->leaders > 0)
		snprintf(text + length, room - (size_t)length, ", %d leaders a node%s", c->leaders,
		         c->share ? " that share" : "");
}

void verbose_choice(MPI_Comm comm, int ranks, size_t bytes, const struct choice *choice,
                    enum outcome outcome, size_t max_bytes) {
	char name[MPI_MAX_OBJECT_NAME], what[32] = "barriers", how[80], why[80] = "";
	if (!named(comm, name)) {
		if (!first(ranks, bytes, choice))
			return;
		strcpy(name, "a communicator");
	}
	if (bytes > 0)
		snprintf(what, sizeof what, "%zu B", bytes);
	snprintf(how, sizeof how, "the native %s", bytes > 0 ? "allreduce" : "barrier");
	if (outcome == TAKEN)
		describe(choice, how, sizeof how);
	if (outcome == TOO_LONG)
		snprintf(why, sizeof why, " (more than JITTERFLY_MPI_MAX_BYTES, %zu)", max_bytes);
	else if (outcome == OUTSIDE || outcome == NOT_MADE)
		snprintf(why, sizeof why, " (%s)", reasons[outcome]);
	else if (choice && choice->line > 0)
		snprintf(why, sizeof why, " (line %d of the rules)", choice->line);
	fprintf(stderr, "jitterfly-mpi: %s, %d ranks, %s: %s%s\n", name, ranks, what, how, why);
}

/* summarize writes a line of calls. */
static void summarize(const char *whose, const struct tally *t) {
	char line[1024], barriers[40] = "";
	const char *separator = " (";
	uint64_t native = 0;
	for (int i = 1; i < OUTCOMES; i++)
		native += t->calls[i];
	if (t->barriers > 0)
		snprintf(barriers, sizeof barriers, ", barriers %llu", (unsigned long long)t->barriers);
	int length = snprintf(line, sizeof line, "%s: calls taken %llu (%llu B%s), native %llu", whose,
	                      (unsigned long long)t->calls[TAKEN], (unsigned long long)t->bytes, barriers,
	                      (unsigned long long)native);
	for (int i = 1; i < OUTCOMES; i++)
		if (t->calls[i] > 0) {
			length += snprintf(line + length, sizeof line - (size_t)length, "%s%llu %s", separator,
			                   (unsigned long long)t->calls[i], reasons[i]);
			separator = ", ";
		}
	fprintf(stderr, "jitterfly-mpi: %s%s\n", line, native > 0 ? ")" : "");
}

void verbose_calls(MPI_Comm comm, int ranks, const struct tally *t) {
	char name[MPI_MAX_OBJECT_NAME], whose[MPI_MAX_OBJECT_NAME + 32];
	uint64_t all = 0;
	for (int i = 0; i < OUTCOMES; i++)
		all += t->calls[i];
	if (all == 0)
		return;
	if (named(comm, name)) {
		snprintf(whose, sizeof whose, "%s, %d ranks", name, ranks);
		summarize(whose, t);
		return;
	}
	pthread_mutex_lock(&mutex);
	for (int i = 0; i < OUTCOMES; i++)
		unnamed.tally.calls[i] += t->calls[i];
	unnamed.tally.bytes += t->bytes;
	unnamed.tally.barriers += t->barriers;
	unnamed.least = unnamed.count == 0 || ranks < unnamed.least ? ranks : unnamed.least;
	unnamed.most = ranks > unnamed.most ? ranks : unnamed.most;
	unnamed.count++;
	pthread_mutex_unlock(&mutex);
}

void verbose_end(void) {
	char whose[120], how_many[60] = "a communicator", least[20] = "";
	if (unnamed.count == 0)
		return;
	if (unnamed.count > 1)
		snprintf(how_many, sizeof how_many, "%llu communicators without a name", unnamed.count);
	if (unnamed.least < unnamed.most)
		snprintf(least, sizeof least, "%d to ", unnamed.least);
	snprintf(whose, sizeof whose, "%s, %s%d ranks", how_many, least, unnamed.most);
	summarize(whose, &unnamed.tally);
}

void verbose_nothing(const char *why) {
	fprintf(stderr, "jitterfly-mpi: no call was taken%s%s\n", why ? ": " : "", why ? why : "");
}
