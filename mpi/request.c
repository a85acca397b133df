#include "request.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "completion.h"
#include "device.h"
#include "export.h"
#include "map.h"
#include "record.h"

struct request {
	struct request *next; /* of the communicator that is open, in the order of starts */
	struct requests *all; /* of the communicator */
	struct plan *plan;
	struct call call;
	struct operation operation;
	MPI_Request handle; /* of the program */
	MPI_Request native; /* after a withdrawal */
	int tag;            /* of the message that completes it */
	bool persistent, open, freed;
	int code; /* with which it failed, or MPI_SUCCESS */
};

/* All of these are of whoever has the lock, but the numbers, which others may read. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct requests *active, **last = &active; /* with open requests */
static struct map persistents;                    /* by handle */
static atomic_int open_count, persistent_count;
static MPI_Comm self = MPI_COMM_NULL; /* for messages to the rank itself */
static int tags[2], most_tag;         /* used last, and the greatest */

/* Functions of Open MPI, that its own nonblocking collectives call (opal/runtime/opal_progress.h).
 */
static int (*hook)(int (*progress)(void)), (*unhook)(int (*progress)(void));

static uint64_t key_of(MPI_Request handle) { return (uint64_t)(uintptr_t)handle; }

/* withdrawn begins the native call, on the library's communicator: on the program's, others may
 * have begun already. */
static int withdrawn(struct request *r) {
	const struct call *c = &r->call;
	if (c->count == 0)
		return PMPI_Ibarrier(r->plan->comm, &r->native);
	return PMPI_Iallreduce(c->from, c->to, c->count, c->type, c->op, r->plan->comm, &r->native);
}

/* advance returns whether a request is complete, with an error code of MPI. */
static bool advance(struct request *r, int *code) {
	int complete = 0;
	*code = MPI_SUCCESS;
	if (r->operation.state == RUNNING)
		*code = operation_run(&r->operation, false);
	if (*code == MPI_SUCCESS && r->operation.state == WITHDREW && r->native == MPI_REQUEST_NULL)
		*code = withdrawn(r);
	if (r->native != MPI_REQUEST_NULL)
		*code = PMPI_Test(&r->native, &complete, MPI_STATUS_IGNORE);
	return complete || *code != MPI_SUCCESS || r->operation.state == COMPLETE;
}

/* end_operation ends that of the first open request of a communicator: the next can run. */
static struct request *end_operation(struct requests **at, int code) {
	struct requests *all = *at;
	struct request *r = all->first;
	all->first = r->next;
	if (!all->first) {
		*at = all->next;
		if (last == &all->next)
			last = at;
	}
	r->code = code;
	if (code == MPI_SUCCESS)
		tally_count(&r->all->tally, r->operation.state == COMPLETE ? TAKEN : WITHDRAWN,
		            r->call.bytes);
	atomic_fetch_sub(&open_count, 1);
	atomic_fetch_sub_explicit(&all->open, 1, memory_order_release);
	return r;
}

/* complete lets the program's request end. Where there is an error it gets more than it has room
 * for, so that functions of requests return an error too. */
static void complete(struct request *r) {
	static const char excess;
	MPI_Request sent;
	r->open = false;
	if (PMPI_Isend(&excess, r->code != MPI_SUCCESS, MPI_BYTE, 0, r->tag, self, &sent) ==
	    MPI_SUCCESS)
		PMPI_Request_free(&sent);
	if (!r->persistent || r->freed)
		free(r);
}

/* run runs the first open request of each communicator, and those after it that are complete at
 * once, of whoever has the lock, and gives it back. It returns how many are complete then. An error
 * handler of the program may call MPI itself, and so has no lock around it. */
static int run(void) {
	struct request *failed = NULL, *r;
	int completed = 0, code;
	for (struct requests **at = &active; *at;) {
		if (!advance((*at)->first, &code)) {
			at = &(*at)->next;
			continue;
		}
		r = end_operation(at, code);
		completed++;
		if (code == MPI_SUCCESS) {
			complete(r);
		} else {
			r->next = failed;
			failed = r;
		}
	}
	pthread_mutex_unlock(&lock);
	while ((r = failed)) {
		failed = r->next;
		requests_fail(r->all, r->code);
		pthread_mutex_lock(&lock);
		complete(r);
		pthread_mutex_unlock(&lock);
	}
	return completed;
}

/* progress is what the MPI library calls, from what run calls too. */
static int progress(void) {
	if (atomic_load_explicit(&open_count, memory_order_relaxed) == 0 ||
	    pthread_mutex_trylock(&lock) != 0)
		return 0;
	return run();
}

/* make_self makes the communicator for messages to the rank itself. */
static bool make_self(void) {
	MPI_Group group;
	int *most, found = 0;
	if (PMPI_Comm_group(MPI_COMM_SELF, &group) != MPI_SUCCESS)
		return false;
	if (PMPI_Comm_create(MPI_COMM_SELF, group, &self) != MPI_SUCCESS)
		self = MPI_COMM_NULL;
	PMPI_Group_free(&group);
	if (self == MPI_COMM_NULL)
		return false;
	PMPI_Comm_set_errhandler(self, MPI_ERRORS_RETURN);
	PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &most, &found);
	most_tag = found ? *most : 32767;
	return true;
}

static bool possible;

static void find_hook(void) {
	hook = (int (*)(int (*)(void)))dlsym(RTLD_DEFAULT, "opal_progress_register");
	unhook = (int (*)(int (*)(void)))dlsym(RTLD_DEFAULT, "opal_progress_unregister");
	possible = hook && unhook && make_self() && hook(progress) == 0;
}

bool requests_possible(void) {
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, find_hook);
	return possible;
}

/* make makes a request. Tags of persistent ones are even. */
static struct request *make(struct requests *all, struct plan *plan, const struct call *call,
                            bool persistent) {
	struct request *r = calloc(1, sizeof *r);
	if (!r)
		return NULL;
	pthread_mutex_lock(&lock);
	int *tag = &tags[persistent];
	*tag = *tag < most_tag - 3 ? *tag + 2 : 0;
	r->tag = *tag + !persistent;
	pthread_mutex_unlock(&lock);
	r->all = all;
	r->plan = plan;
	r->call = *call;
	r->native = MPI_REQUEST_NULL;
	r->persistent = persistent;
	return r;
}

/* begin begins a request whose handle is active. */
static void begin(struct request *r) {
	bool able = !device_owns(call_vector(&r->call), r->call.to);
	pthread_mutex_lock(&lock);
	operation_begin(&r->operation, r->plan, &r->call, able);
	r->native = MPI_REQUEST_NULL;
	r->open = true;
	r->next = NULL;
	struct requests *all = r->all;
	if (all->first) {
		all->final->next = r;
	} else {
		all->first = r;
		all->next = NULL;
		*last = all;
		last = &all->next;
	}
	all->final = r;
	atomic_fetch_add(&open_count, 1);
	atomic_fetch_add_explicit(&all->open, 1, memory_order_relaxed);
	run();
}

int request_start(struct requests *all, struct plan *plan, const struct call *call,
                  MPI_Request *handle) {
	struct request *r = make(all, plan, call, false);
	int code = r ? PMPI_Irecv(NULL, 0, MPI_BYTE, 0, r->tag, self, handle) : MPI_ERR_NO_MEM;
	if (code != MPI_SUCCESS) {
		free(r);
		return requests_fail(all, code);
	}
	r->handle = *handle;
	begin(r);
	return MPI_SUCCESS;
}

int request_init(struct requests *all, struct plan *plan, const struct call *call,
                 MPI_Request *handle) {
	struct request *r = make(all, plan, call, true);
	int code = r ? PMPI_Recv_init(NULL, 0, MPI_BYTE, 0, r->tag, self, handle) : MPI_ERR_NO_MEM;
	if (code != MPI_SUCCESS) {
		free(r);
		return requests_fail(all, code);
	}
	r->handle = *handle;
	pthread_mutex_lock(&lock);
	bool kept = map_set(&persistents, key_of(*handle), (uintptr_t)r);
	all->persistent += kept;
	atomic_fetch_add(&persistent_count, kept);
	pthread_mutex_unlock(&lock);
	if (kept)
		return MPI_SUCCESS;
	free(r);
	PMPI_Request_free(handle);
	return requests_fail(all, MPI_ERR_NO_MEM);
}

void requests_wait(struct requests *r) {
	int arrived;
	while (atomic_load_explicit(&r->open, memory_order_acquire) > 0)
		PMPI_Iprobe(0, MPI_ANY_TAG, self, &arrived, MPI_STATUS_IGNORE);
}

int requests_fail(const struct requests *r, int code) {
	PMPI_Comm_call_errhandler(r->program, code);
	return code;
}

void requests_end(void) {
	if (self == MPI_COMM_NULL)
		return;
	unhook(progress);
	PMPI_Comm_free(&self);
}

/* persistent returns a persistent request, or NULL. */
static struct request *persistent(MPI_Request handle) {
	return (struct request *)(uintptr_t)map_get(&persistents, key_of(handle));
}

void request_started(MPI_Request handle) {
	if (atomic_load_explicit(&persistent_count, memory_order_relaxed) == 0)
		return;
	pthread_mutex_lock(&lock);
	struct request *r = persistent(handle);
	pthread_mutex_unlock(&lock);
	if (r)
		begin(r);
}

EXPORT int MPI_Start(MPI_Request *request) {
	uint64_t entry = record_entry();
	int code = PMPI_Start(request);
	if (code == MPI_SUCCESS)
		request_started(*request);
	if (code == MPI_SUCCESS && entry)
		completion_started(request, 1, entry, __builtin_return_address(0));
	return code;
}

EXPORT int MPI_Startall(int count, MPI_Request *requests) {
	uint64_t entry = record_entry();
	int code = PMPI_Startall(count, requests);
	for (int i = 0; code == MPI_SUCCESS && i < count; i++)
		request_started(requests[i]);
	if (code == MPI_SUCCESS && entry)
		completion_started(requests, count, entry, __builtin_return_address(0));
	return code;
}

EXPORT int MPI_Request_free(MPI_Request *request) {
	if (request && record_entry())
		completion_release(*request);
	if (request && atomic_load_explicit(&persistent_count, memory_order_relaxed) > 0) {
		pthread_mutex_lock(&lock);
		struct request *r = persistent(*request);
		if (r) {
			map_set(&persistents, key_of(*request), 0);
			r->all->persistent--;
			atomic_fetch_sub(&persistent_count, 1);
			r->freed = true;
			if (!r->open)
				free(r);
		}
		pthread_mutex_unlock(&lock);
	}
	return PMPI_Request_free(request);
}

/* Collectives cannot be cancelled (MPI 4.0, sections 6.12 and 6.13), but receives can. */
EXPORT int MPI_Cancel(MPI_Request *request) {
	struct requests *all = NULL;
	if (request && atomic_load_explicit(&open_count, memory_order_relaxed) > 0) {
		pthread_mutex_lock(&lock);
		for (struct requests *some = active; some; some = some->next)
			for (struct request *r = some->first; r; r = r->next)
				if (r->handle == *request)
					all = some;
		pthread_mutex_unlock(&lock);
	}
	return all ? requests_fail(all, MPI_ERR_REQUEST) : PMPI_Cancel(request);
}
