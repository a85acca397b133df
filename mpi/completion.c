#include "completion.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "map.h"

atomic_uint completions_expected;

/* Persistent requests as calls that start them, and the starts of requests that are expected to
 * complete, by handle. They belong to the thread that has the lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct map persistents, expected;

static uint64_t key_of(MPI_Request request) { return (uint64_t)(uintptr_t)request; }

/* find returns what is kept of a request, or NULL. */
static void *find(const struct map *m, MPI_Request request) {
	return (void *)(uintptr_t)map_get(m, key_of(request));
}

/* keep keeps a copy for a request, of which nothing is kept, and returns whether there is memory. */
static bool keep(struct map *m, MPI_Request request, const void *value, size_t size) {
	void *copy = malloc(size);
	if (copy && map_set(m, key_of(request), (uintptr_t)memcpy(copy, value, size)))
		return true;
	free(copy);
	return false;
}

/* drop forgets what is kept of a request, if anything, and returns whether it was. */
static bool drop(struct map *m, MPI_Request request) {
	void *kept = find(m, request);
	if (kept)
		map_set(m, key_of(request), 0);
	free(kept);
	return kept != NULL;
}

static void expect_more(int count) {
	atomic_fetch_add_explicit(&completions_expected, (unsigned)count, memory_order_relaxed);
}

/* expect notes a request that is to complete. */
static void expect(MPI_Request request, struct start start) {
	pthread_mutex_lock(&lock);
	/* Requests that were complete at once share a handle: of these nothing is known. */
	if (drop(&expected, request))
		expect_more(-1);
	else if (keep(&expected, request, &start, sizeof start))
		expect_more(1);
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
	struct called template = *call;
	template.number = record_communicator(call->comm);
	pthread_mutex_lock(&lock);
	drop(&persistents, request);
	if (template.number > 0)
		keep(&persistents, request, &template, sizeof template);
	pthread_mutex_unlock(&lock);
}

void completion_release(MPI_Request request) {
	pthread_mutex_lock(&lock);
	drop(&persistents, request);
	if (drop(&expected, request))
		expect_more(-1);
	pthread_mutex_unlock(&lock);
}

void completion_started(const MPI_Request *requests, int count, uint64_t entry, const void *site) {
	uint64_t exit = record_clock();
	for (int i = 0; i < count; i++) {
		pthread_mutex_lock(&lock);
		const struct called *template = find(&persistents, requests[i]);
		struct called call = template ? *template : (struct called){0};
		pthread_mutex_unlock(&lock);
		call.entry = entry;
		call.exit = exit;
		call.site = site;
		if (call.number > 0)
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
	for (int i = 0; requests && i < count && completing_any(); i++) {
		const struct start *start = find(&expected, requests[i]);
		if (start && c->count < MOST_COMPLETING) {
			c->list[c->count].at = first + i;
			c->list[c->count].request = requests[i];
			c->list[c->count++].start = *start;
		}
		if (drop(&expected, requests[i]))
			expect_more(-1);
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
