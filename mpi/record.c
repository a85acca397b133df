#include "record.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "freeing.h"
#include "map.h"
#include "record_file.h"

enum {
	EVENTS_AT_ONCE = 16384, /* are written together: 512 KiB */
	ROOM_FOR_END = 256,     /* bytes of the last blocks */
	ROOM_FOR_BLOCKS = 4096, /* at least, of a batch */
	MOST_SITES = 65535
};
static const uint64_t longest_wait = 10000000000; /* until events are written [ns] */

/* An event as files have it. */
struct event {
	uint64_t entry, exit, bytes;
	uint32_t comm;
	uint16_t site;
	uint8_t kind, operation;
};
_Static_assert(sizeof(struct event) == 32, "events have no gaps");

atomic_bool recording;

/* A batch is what is written together: blocks, then events that name what is in them. One is being
 * filled, while the other is free or being written. */
struct batch {
	struct bytes blocks;
	uint32_t count; /* of events */
	struct {
		uint32_t type, length;
		uint64_t sum;
		struct event list[EVENTS_AT_ONCE];
	} events;
};

/* What a process records. All but what record_begin sets belongs to the thread that has the lock; the
 * file and the batch that is written belong to the thread that has set writing. Nothing is written
 * while the lock is held, and nobody waits for the lock without end who may have interrupted its
 * holder. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t written = PTHREAD_COND_INITIALIZER;
static bool writing;
static pid_t owner; /* children that it forks have a copy */
static bool full;   /* nothing more fits */
static struct batch *filling, *spare;
static uint64_t count, lost;    /* events of the file, and calls that are not in it */
static uint64_t flushed;        /* time of the last flush */
static struct map sites, comms; /* numbers, by return address, and by handle */
static uint32_t newest_comm;
static struct map families; /* by hash of the ranks: the first communicator that has them */
static uint32_t *same;      /* by number of communicator: how many have the ranks of this first one */
static uint64_t *starts;    /* nonblocking and persistent collectives, by number of communicator */
static int key = MPI_KEYVAL_INVALID;

static void append_comparison(struct bytes *b, struct comparison c) {
	size_t begin = open_block(b, CLOCK);
	append_u64(b, c.at);
	append_u64(b, (uint64_t)c.offset);
	append_u64(b, c.error);
	close_block(b, begin);
}

static void append_site(struct bytes *b, uint32_t number, uintptr_t address) {
	Dl_info info = {0};
	/* Behind a call that is a function's last, another function begins. */
	if (!dladdr((void *)(address - 1), &info))
		info = (Dl_info){.dli_fname = "", .dli_fbase = NULL};
	size_t begin = open_block(b, SITE);
	append_u32(b, number);
	append_u32(b, 0);
	append_u64(b, address - (uintptr_t)info.dli_fbase);
	append_string(b, info.dli_fname ? info.dli_fname : "");
	append_string(b, info.dli_sname ? info.dli_sname : "");
	close_block(b, begin);
}

/* put_blocks writes and removes blocks, and returns whether they fit beside reserved bytes. */
static bool put_blocks(struct bytes *b, uint64_t reserved) {
	bool fit = !b->failed && b->length <= file_room(reserved) && file_put(b->data, b->length);
	b->length = 0;
	return fit;
}

/* put writes as much of a batch as fits, of how many events it sets, and returns whether all fits. */
static bool put(struct batch *b, uint32_t *events) {
	uint64_t head = sizeof b->events.type + sizeof b->events.length + sizeof b->events.sum;
	*events = 0;
	if (!put_blocks(&b->blocks, ROOM_FOR_END))
		return false;
	uint64_t room = file_room(ROOM_FOR_END);
	uint64_t fit = room > head ? (room - head) / sizeof *b->events.list : 0;
	if (fit > b->count)
		fit = b->count;
	b->events.type = EVENTS;
	b->events.length = (uint32_t)(fit * sizeof *b->events.list);
	b->events.sum = block_sum(EVENTS, b->events.list, b->events.length);
	if (fit > 0 && file_put(&b->events, head + b->events.length))
		*events = (uint32_t)fit;
	return *events == b->count;
}

/* write_out writes what is filled. Its caller has the lock, which it releases meanwhile; nobody is
 * writing. It needs no memory, as a signal handler may have interrupted malloc. */
static void write_out(void) {
	struct batch *b = filling;
	uint64_t from = record_clock();
	bool fits = !full;
	uint32_t events = 0;
	filling = spare;
	spare = b;
	writing = true;
	pthread_mutex_unlock(&lock);
	fits = fits && put(b, &events);
	uint64_t to = record_clock();
	pthread_mutex_lock(&lock);
	full = full || !fits;
	count += events;
	lost += b->count - events;
	b->count = 0;
	b->blocks.length = 0;
	flushed = to;
	if (events > 0) {
		size_t begin = open_block(&filling->blocks, WRITTEN);
		append_u64(&filling->blocks, from);
		append_u64(&filling->blocks, to);
		close_block(&filling->blocks, begin);
	}
	writing = false;
	pthread_cond_broadcast(&written);
}

/* flush writes what is filled once nobody is writing. Its caller has the lock. */
static void flush(void) {
	while (writing)
		pthread_cond_wait(&written, &lock);
	write_out();
}

/* record_flush may be called in a signal handler, of a thread that holds the lock or is writing: what
 * it cannot have soon is left out. */
void record_flush(void) {
	const struct timespec while_others_run = {.tv_nsec = 1000000};
	if (!atomic_load(&recording) || getpid() != owner)
		return;
	for (int tries = 0; tries < 200; tries++) {
		if (pthread_mutex_trylock(&lock) == 0) {
			bool free = !writing;
			if (free)
				write_out();
			pthread_mutex_unlock(&lock);
			if (free)
				return;
		}
		nanosleep(&while_others_run, NULL);
	}
}

/* A program that ends without MPI_Finalize. */
__attribute__((destructor)) static void leave(void) { record_flush(); }

/* site_number returns the number of a call site: 0 if site is NULL or there is no room. */
static uint16_t site_number(const void *site) {
	uint32_t number = (uint32_t)map_get(&sites, (uintptr_t)site);
	if (number > 0 || !site)
		return (uint16_t)number;
	number = (uint32_t)sites.count + 1;
	if (number > MOST_SITES || !map_set(&sites, (uintptr_t)site, number))
		return 0;
	append_site(&filling->blocks, number, (uintptr_t)site);
	return (uint16_t)number;
}

static uint64_t handle_of(MPI_Comm comm) { return (uint64_t)(uintptr_t)comm; }

/* MPI calls forget when a communicator is freed: then another may get its handle. Until then the
 * program may call more. */
static int forget(MPI_Comm comm, int keyval, void *value, void *state) {
	(void)keyval, (void)value, (void)state;
	struct freeing *now = freeing(comm);
	if (now)
		now->number = record_communicator(comm);
	record_forget(handle_of(comm));
	return MPI_SUCCESS;
}

/* The ranks of a communicator. */
struct members {
	struct bytes ranks; /* in MPI_COMM_WORLD, 32 bits each; both groups of an intercommunicator */
	uint32_t rank;      /* the place of this rank among them */
	uint64_t hash;      /* of ranks */
};

/* world_ranks appends the ranks of a group in MPI_COMM_WORLD, and returns a hash of them. */
static uint64_t world_ranks(MPI_Group group, struct bytes *list) {
	MPI_Group world;
	int ranks = 0;
	PMPI_Group_size(group, &ranks);
	int *these = malloc(2 * (size_t)ranks * sizeof *these + 1), *there = these + ranks;
	uint64_t hash = 14695981039346656037u;
	if (!these || PMPI_Comm_group(MPI_COMM_WORLD, &world) != MPI_SUCCESS) {
		free(these);
		return 0;
	}
	for (int i = 0; i < ranks; i++)
		these[i] = i;
	PMPI_Group_translate_ranks(group, ranks, these, world, there);
	for (int i = 0; i < ranks; i++) {
		uint32_t rank = there[i] == MPI_UNDEFINED ? UINT32_MAX : (uint32_t)there[i];
		append_u32(list, rank);
		hash = (hash ^ rank) * 1099511628211u;
		hash ^= hash >> 29;
	}
	PMPI_Group_free(&world);
	free(these);
	return hash;
}

/* members_of_group returns the ranks of a group, and frees it. */
static struct members members_of_group(MPI_Group group) {
	struct members m = {0};
	int rank = 0;
	PMPI_Group_rank(group, &rank);
	m.rank = (uint32_t)rank;
	m.hash = world_ranks(group, &m.ranks);
	PMPI_Group_free(&group);
	return m;
}

/* members_of returns the ranks of a communicator; all its ranks get the same ranks and hash. The groups
 * of an intercommunicator come in the order of their hashes, which is the same on both sides. */
static struct members members_of(MPI_Comm comm) {
	struct bytes remote = {0};
	MPI_Group group;
	int inter = 0;
	PMPI_Comm_test_inter(comm, &inter);
	PMPI_Comm_group(comm, &group);
	struct members m = members_of_group(group);
	if (!inter)
		return m;
	PMPI_Comm_remote_group(comm, &group);
	uint64_t other = world_ranks(group, &remote);
	PMPI_Group_free(&group);
	if (other < m.hash) {
		struct bytes own = m.ranks;
		uint64_t hash = m.hash;
		m.rank += (uint32_t)(remote.length / sizeof(uint32_t));
		m.ranks = remote, remote = own;
		m.hash = other, other = hash;
	}
	append(&m.ranks, remote.data, remote.length);
	m.ranks.failed |= remote.failed;
	m.hash = (m.hash * 31) ^ other;
	free(remote.data);
	return m;
}

/* room_for returns whether there is room for what is kept by number of communicator. */
static bool room_for(uint32_t number) {
	uint64_t *more = realloc(starts, (number + 1) * sizeof *starts);
	if (more)
		starts = more;
	uint32_t *counts = realloc(same, (number + 1) * sizeof *same);
	if (counts)
		same = counts;
	if (!more || !counts)
		return false;
	starts[number] = same[number] = 0;
	return true;
}

/* adopt gives a communicator a number, which it returns, and a key. All its ranks find the same key,
 * because they use communicators of the same ranks in the same order. The file has the ranks once. */
static uint32_t adopt(uint64_t handle, struct members m) {
	pthread_mutex_lock(&lock);
	uint32_t number = ++newest_comm, like = (uint32_t)map_get(&families, m.hash);
	full = full || m.ranks.failed || !room_for(number) ||
	       (like == 0 && !map_set(&families, m.hash, number)) ||
	       !map_set(&comms, handle, number);
	if (!full) {
		uint32_t order = ++same[like > 0 ? like : number];
		struct bytes *b = &filling->blocks;
		size_t begin = open_block(b, COMMUNICATOR);
		append_u32(b, number);
		append_u32(b, (uint32_t)(m.ranks.length / sizeof(uint32_t)));
		append_u32(b, m.rank);
		append_u32(b, like);
		append_u64(b, (m.hash + order) * 11400714819323198485u);
		append(b, m.ranks.data, like > 0 ? 0 : m.ranks.length);
		close_block(b, begin);
	}
	number = full ? 0 : number;
	pthread_mutex_unlock(&lock);
	free(m.ranks.data);
	return number;
}

/* operation_number returns the number that files have for an operation. */
static uint8_t operation_number(MPI_Op op) {
	if (op == MPI_OP_NULL)
		return 0;
	if (op == MPI_SUM)
		return 1;
	if (op == MPI_MAX || op == MPI_MAXLOC)
		return 2;
	if (op == MPI_MIN || op == MPI_MINLOC)
		return 3;
	if (op == MPI_PROD)
		return 4;
	if (op == MPI_LAND || op == MPI_LOR || op == MPI_LXOR)
		return 5;
	return op == MPI_BAND || op == MPI_BOR || op == MPI_BXOR ? 6 : 7;
}

/* fits returns whether an event fits, and counts one that does not. */
static bool fits(void) {
	while (!full && filling->count == EVENTS_AT_ONCE)
		flush();
	lost += full;
	return !full;
}

/* add adds an event that fits. */
static inline void add(struct event e) {
	filling->events.list[filling->count++] = e;
	if ((filling->count == EVENTS_AT_ONCE || e.exit - flushed > longest_wait) && !writing)
		write_out();
}

/* number_of returns the number of a communicator, 0 if there is no room for it. Its caller has the
 * lock, which number_of releases meanwhile if the communicator is new. */
static uint32_t number_of(MPI_Comm comm) {
	uint32_t number = (uint32_t)map_get(&comms, handle_of(comm));
	struct freeing *now = number > 0 ? NULL : freeing(comm);
	if (now)
		number = now->number;
	if (number > 0 || full)
		return number;
	pthread_mutex_unlock(&lock);
	number = adopt(handle_of(comm), members_of(comm));
	if (now) {
		now->number = number;
		record_forget(handle_of(comm));
	} else {
		PMPI_Comm_set_attr(comm, key, NULL);
	}
	pthread_mutex_lock(&lock);
	return number;
}

void record_forget(uint64_t handle) {
	pthread_mutex_lock(&lock);
	map_set(&comms, handle, 0);
	pthread_mutex_unlock(&lock);
}

uint32_t record_communicator(MPI_Comm comm) {
	pthread_mutex_lock(&lock);
	uint32_t number = number_of(comm);
	pthread_mutex_unlock(&lock);
	return number;
}

uint32_t record_group(uint64_t handle, MPI_Group group) {
	pthread_mutex_lock(&lock);
	uint32_t number = (uint32_t)map_get(&comms, handle);
	bool new = number == 0 && !full;
	pthread_mutex_unlock(&lock);
	if (new)
		return adopt(handle, members_of_group(group));
	PMPI_Group_free(&group);
	return number;
}

void record_call(const struct called *c, struct start *start) {
	pthread_mutex_lock(&lock);
	uint32_t comm = c->number > 0 ? c->number : number_of(c->comm);
	if (fits()) {
		uint8_t operation = operation_number(c->op), kind = (uint8_t)c->kind;
		if (start)
			*start = (struct start){
			    .number = starts[comm]++, .comm = comm, .kind = kind, .operation = operation};
		add((struct event){
		    .entry = c->entry,
		    .exit = c->exit,
		    .bytes = c->bytes,
		    .comm = comm,
		    .site = site_number(c->site),
		    .kind = kind,
		    .operation = operation,
		});
	}
	pthread_mutex_unlock(&lock);
}

void record_completion(const struct start *s, uint64_t entry, uint64_t exit, const void *site) {
	pthread_mutex_lock(&lock);
	if (fits())
		add((struct event){
		    .entry = entry,
		    .exit = exit,
		    .bytes = s->number,
		    .comm = s->comm,
		    .site = site_number(site),
		    .kind = (uint8_t)(s->kind ^ STARTED ^ COMPLETED),
		    .operation = s->operation,
		});
	pthread_mutex_unlock(&lock);
}

/* append_header appends which rank records, when and where. */
static void append_header(struct bytes *b, int rank, int ranks) {
	char host[MPI_MAX_PROCESSOR_NAME] = "", library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
	int length = 0;
	struct timespec wall;
	struct on_node node = clock_node();
	PMPI_Get_processor_name(host, &length);
	PMPI_Get_library_version(library, &length);
	library[strcspn(library, "\n")] = 0;
	append(b, "jfcalls2", 8);
	size_t begin = open_block(b, HEADER);
	append_u32(b, (uint32_t)rank);
	append_u32(b, (uint32_t)ranks);
	clock_gettime(CLOCK_REALTIME, &wall);
	append_u64(b, (uint64_t)wall.tv_sec * 1000000000 + (uint64_t)wall.tv_nsec);
	append_u64(b, record_clock());
	append_string(b, host);
	append_string(b, library);
	append_u32(b, node.ranks);
	append_u32(b, node.processors);
	close_block(b, begin);
}

void record_begin(void) {
	struct settings s = {0};
	int rank = 0, ranks = 1;
	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (rank == 0)
		s = settings_read();
	PMPI_Bcast(&s.limit, sizeof s.limit, MPI_BYTE, 0, MPI_COMM_WORLD);
	if (s.limit == 0)
		return;
	PMPI_Bcast(s.directory, sizeof s.directory, MPI_BYTE, 0, MPI_COMM_WORLD);
	int error = file_create(s.directory, rank, s.limit);
	filling = malloc(2 * sizeof *filling);
	if (!filling)
		error = ENOMEM;
	if (!file_agree(s.directory, rank, ranks, error) ||
	    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &key, NULL) != MPI_SUCCESS) {
		file_remove();
		free(filling);
		return;
	}
	spare = memset(filling, 0, 2 * sizeof *filling); /* so that no call has to wait for a page */
	reserve(&spare++->blocks, ROOM_FOR_BLOCKS);
	reserve(&spare->blocks, ROOM_FOR_BLOCKS);
	owner = getpid();
	clock_begin();
	append_header(&filling->blocks, rank, ranks);
	append_comparison(&filling->blocks, clock_compare());
	pthread_mutex_lock(&lock);
	write_out();
	pthread_mutex_unlock(&lock);
	atomic_store(&recording, true);
}

void record_end(void) {
	int rank = 0;
	if (!atomic_exchange(&recording, false))
		return;
	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	struct comparison last = clock_compare();
	clock_end();
	pthread_mutex_lock(&lock);
	flush();
	struct bytes *b = &filling->blocks;
	b->length = 0; /* when the file was last written, which nothing comes after */
	append_comparison(b, last);
	size_t begin = open_block(b, END);
	append_u64(b, count);
	append_u64(b, lost);
	close_block(b, begin);
	put_blocks(b, 0); /* which have room, unless the disk is full */
	file_close();
	pthread_mutex_unlock(&lock);
	uint64_t all = 0;
	PMPI_Reduce(&lost, &all, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0 && all > 0)
		fprintf(stderr,
		        "jitterfly-mpi: %llu calls are not recorded: a disk is full, or files have "
		        "JITTERFLY_MPI_RECORD_LIMIT bytes\n",
		        (unsigned long long)all);
}
