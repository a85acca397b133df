#include "completion.h"

#include <pthread.h>
#include <stdlib.h>

#include "communicator.h"
#include "map.h"

atomic_uint completions_expected;

/* Persistent requests, and those that are expected to complete, by handle: places in the lists,
 * from 1. They belong to the thread that has the lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct map persistents, expected;
static struct called *templates;
static struct start *starts;
static size_t template_count, start_count, room;

static uint64_t key_of(MPI_Request request) { return (uint64_t)(uintptr_t)request; }

/* forget takes a request out of those that are expected, and returns whether it was. The last of
 * the list takes its place. */
static bool forget(MPI_Request request, struct start *start) {
	struct entry *e = expected.room > 0 ? map_slot(&expected, key_of(request)) : NULL;
	if (!e || e->value == 0)
		return false;
	struct start *at = &starts[e->value - 1], *last = &starts[--start_count];
	*start = *at;
	if (at != last) {
		*at = *last;
		map_slot(&expected, at->request)->value = e->value;
	}
	e->value = 0;
	atomic_store_explicit(&completions_expected, (unsigned)start_count, memory_order_relaxed);
	return true;
}

/* make_room returns whether there is room for one more. */
static bool make_room(void) {
	if (start_count < room)
		return true;
	struct start *more = realloc(starts, (2 * room + 16) * sizeof *starts);
	if (!more)
		return false;
	starts = more;
	room = 2 * room + 16;
	return true;
}

/* expect notes a request that is to complete. */
static void expect(MPI_Request request, struct start start) {
	struct start other;
	start.request = key_of(request);
	pthread_mutex_lock(&lock);
	/* Requests that were complete at once share a handle: of these nothing is known. */
	if (make_room() && !forget(request, &other) &&
	    map_set(&expected, start.request, (uint32_t)start_count + 1)) {
		starts[start_count++] = start;
		atomic_store_explicit(&completions_expected, (unsigned)start_count, memory_order_relaxed);
	}
	pthread_mutex_unlock(&lock);
}

void completion_start(MPI_Request request, const struct called *call) {
	struct start start = {0};
	record_call(call, &start);
	if (start.comm > 0 && request != MPI_REQUEST_NULL)
		expect(request, start);
}

/* The program may free the communicator, and its handle, before it starts the request. */
void completion_persistent(MPI_Request request, const struct called *call) {
	uint32_t number = record_communicator(call->comm);
	pthread_mutex_lock(&lock);
	struct called *more = realloc(templates, (template_count + 1) * sizeof *templates);
	if (more)
		templates = more;
	if (more && number > 0) {
		templates[template_count] = *call;
		templates[template_count++].number = number;
		map_set(&persistents, key_of(request), (uint32_t)template_count);
	}
	pthread_mutex_unlock(&lock);
}

void completion_release(MPI_Request request) {
	struct start start;
	pthread_mutex_lock(&lock);
	if (persistents.count > 0)
		map_set(&persistents, key_of(request), 0);
	forget(request, &start);
	pthread_mutex_unlock(&lock);
}

void completion_started(const MPI_Request *requests, int count, uint64_t entry, const void *site) {
	uint64_t exit = record_clock();
	for (int i = 0; i < count; i++) {
		pthread_mutex_lock(&lock);
		uint32_t at = map_get(&persistents, key_of(requests[i]));
		struct called call = {0};
		if (at > 0)
			call = templates[at - 1];
		pthread_mutex_unlock(&lock);
		call.entry = entry;
		call.exit = exit;
		call.site = site;
		if (at > 0)
			completion_start(requests[i], &call);
	}
}

/* The requests that are expected are not while a call may complete them: then another thread may be
 * given the same handle. */
void completing_begin(struct completing *c, int count, const MPI_Request *requests, int first,
                      const void *site) {
	struct start start;
	c->count = 0;
	c->site = site;
	pthread_mutex_lock(&lock);
	for (int i = 0; requests && i < count && start_count > 0; i++) {
		if (!forget(requests[i], &start) || c->count == MOST_COMPLETING)
			continue;
		c->list[c->count].at = first + i;
		c->list[c->count].request = requests[i];
		c->list[c->count++].start = start;
	}
	pthread_mutex_unlock(&lock);
	c->entry = record_entry();
}

static bool among(int at, int completed, const int *indices) {
	for (int i = 0; indices && i < completed; i++)
		if (indices[i] == at)
			return true;
	return !indices && completed > 0;
}

void completing_end(struct completing *c, int code, int completed, const int *indices) {
	uint64_t exit = record_clock(), entry = c->entry;
	for (int i = 0; i < c->count && code == MPI_SUCCESS; i++) {
		if (!among(c->list[i].at, completed, indices)) {
			expect(c->list[i].request, c->list[i].start);
		} else {
			record_completion(&c->list[i].start, entry, exit, c->site);
			entry = exit; /* the time of a call is in one of its completions */
		}
	}
}

/* COMPLETING makes a function of requests: what its parameters are, how it is called, and what it
 * has completed then. */
#define COMPLETING(Name, parameters, arguments, count, requests, completed, indices)               \
	EXPORT int MPI_##Name parameters {                                                             \
		if (!completing_any())                                                                     \
			return PMPI_##Name arguments;                                                          \
		struct completing c;                                                                       \
		completing_begin(&c, count, requests, 0, __builtin_return_address(0));                     \
		int code = PMPI_##Name arguments;                                                          \
		completing_end(&c, code, code == MPI_SUCCESS ? (completed) : 0, indices);                  \
		return code;                                                                               \
	}

/* How many are complete: of those that return a flag, an index or a number. */
#define IF(flag) (*(flag) ? 1 : 0)
#define SOME(number) (*(number) == MPI_UNDEFINED ? 0 : *(number))

COMPLETING(Wait, (MPI_Request * request, MPI_Status *status), (request, status), 1, request, 1,
           NULL)
COMPLETING(Test, (MPI_Request * request, int *flag, MPI_Status *status), (request, flag, status), 1,
           request, IF(flag), NULL)
COMPLETING(Waitall, (int count, MPI_Request requests[], MPI_Status statuses[]),
           (count, requests, statuses), count, requests, 1, NULL)
COMPLETING(Testall, (int count, MPI_Request requests[], int *flag, MPI_Status statuses[]),
           (count, requests, flag, statuses), count, requests, IF(flag), NULL)
COMPLETING(Waitany, (int count, MPI_Request requests[], int *index, MPI_Status *status),
           (count, requests, index, status), count, requests, 1, index)
COMPLETING(Testany, (int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status),
           (count, requests, index, flag, status), count, requests, IF(flag), index)
COMPLETING(Waitsome,
           (int count, MPI_Request requests[], int *number, int indices[], MPI_Status statuses[]),
           (count, requests, number, indices, statuses), count, requests, SOME(number), indices)
COMPLETING(Testsome,
           (int count, MPI_Request requests[], int *number, int indices[], MPI_Status statuses[]),
           (count, requests, number, indices, statuses), count, requests, SOME(number), indices)
