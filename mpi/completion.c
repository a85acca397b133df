#include "completion.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "communicator.h"
#include "map.h"

atomic_uint completions_expected;

/* A table has elements of some size, which begin with the handle of a request, and their places,
 * from 1. */
struct table {
	size_t size, count, room;
	char *list;
	struct map places;
};

/* Persistent requests as what starts them, and requests that are expected to complete. They belong to
 * the thread that has the lock. */
struct template {
	uint64_t request;
	struct called call;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct table persistents = {.size = sizeof(struct template)};
static struct table expected = {.size = sizeof(struct start)};

static uint64_t key_of(MPI_Request request) { return (uint64_t)(uintptr_t)request; }

/* find returns the element of a request, or NULL. */
static void *find(const struct table *t, MPI_Request request) {
	uint32_t place = map_get(&t->places, key_of(request));
	return place > 0 ? t->list + (place - 1) * t->size : NULL;
}

/* take removes an element, whose place the last of the list takes. */
static void take(struct table *t, void *element) {
	char *last = t->list + --t->count * t->size;
	uint64_t gone, moved;
	memcpy(&gone, element, sizeof gone);
	memcpy(&moved, last, sizeof moved);
	memmove(element, last, t->size);
	struct entry *e = map_slot(&t->places, gone);
	map_slot(&t->places, moved)->value = e->value;
	e->value = 0;
}

/* put adds an element, unless memory lacks. */
static void put(struct table *t, uint64_t request, const void *element) {
	if (t->count == t->room) {
		char *more = realloc(t->list, (2 * t->room + 16) * t->size);
		if (!more)
			return;
		t->list = more;
		t->room = 2 * t->room + 16;
	}
	if (!map_set(&t->places, request, (uint32_t)t->count + 1))
		return;
	memcpy(t->list + t->count++ * t->size, element, t->size);
}

/* publish notes for other threads how many requests are expected. */
static void publish(void) {
	atomic_store_explicit(&completions_expected, (unsigned)expected.count, memory_order_relaxed);
}

/* expect notes a request that is to complete. */
static void expect(MPI_Request request, struct start start) {
	start.request = key_of(request);
	pthread_mutex_lock(&lock);
	/* Requests that were complete at once share a handle: of these nothing is known. */
	void *other = find(&expected, request);
	if (other)
		take(&expected, other);
	else
		put(&expected, start.request, &start);
	publish();
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
	struct template t = {key_of(request), *call};
	t.call.number = record_communicator(call->comm);
	pthread_mutex_lock(&lock);
	if (t.call.number > 0 && !find(&persistents, request))
		put(&persistents, t.request, &t);
	pthread_mutex_unlock(&lock);
}

void completion_release(MPI_Request request) {
	struct table *const tables[] = {&persistents, &expected};
	pthread_mutex_lock(&lock);
	for (int i = 0; i < 2; i++) {
		void *element = find(tables[i], request);
		if (element)
			take(tables[i], element);
	}
	publish();
	pthread_mutex_unlock(&lock);
}

void completion_started(const MPI_Request *requests, int count, uint64_t entry, const void *site) {
	uint64_t exit = record_clock();
	for (int i = 0; i < count; i++) {
		pthread_mutex_lock(&lock);
		const struct template *t = find(&persistents, requests[i]);
		struct called call = t ? t->call : (struct called){0};
		pthread_mutex_unlock(&lock);
		call.entry = entry;
		call.exit = exit;
		call.site = site;
		if (t)
			completion_start(requests[i], &call);
	}
}

/* The requests that are expected are not while a call may complete them: then another thread may be
 * given the same handle. */
void completing_begin(struct completing *c, int count, const MPI_Request *requests, int first,
                      const void *site) {
	c->count = 0;
	c->site = site;
	pthread_mutex_lock(&lock);
	for (int i = 0; requests && i < count && expected.count > 0; i++) {
		struct start *start = find(&expected, requests[i]);
		if (start && c->count < MOST_COMPLETING) {
			c->list[c->count].at = first + i;
			c->list[c->count].request = requests[i];
			c->list[c->count++].start = *start;
		}
		if (start)
			take(&expected, start);
	}
	publish();
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
