#include "record.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "map.h"

/* The types of blocks in a file. */
enum { HEADER = 1, CLOCK, SITE, COMMUNICATOR, EVENTS, END, WRITTEN };

enum {
	EVENTS_AT_ONCE = 32768, /* are written together: 1 MiB */
	ROOM_FOR_END = 256,     /* bytes of the last blocks */
	MOST_SITES = 65535
};
static const uint64_t default_limit = 256 << 20, longest_wait = 10000000000; /* [bytes], [ns] */

/* An event as files have it. */
struct event {
	uint64_t entry, exit, bytes;
	uint32_t comm;
	uint16_t site;
	uint8_t kind, operation;
};
_Static_assert(sizeof(struct event) == 32, "events have no gaps");

/* Blocks in the order of a file. */
struct bytes {
	char *data;
	size_t length, room;
};

atomic_bool recording;

/* What a process records. All but what is set in record_begin belongs to whoever has the lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int file = -1;
static struct stat identity;    /* of the file: a program may close what it has not opened */
static pid_t owner;             /* children that it forks have a copy */
static uint64_t limit, written; /* bytes of the file */
static bool full;               /* nothing more fits */
static struct bytes blocks;     /* that come before the next events */
static struct {
	uint32_t type, length;
	struct event list[EVENTS_AT_ONCE];
} * events;
static uint32_t waiting;        /* events that are not written */
static uint64_t count, lost;    /* events of the file, and calls that are not in it */
static uint64_t flushed;        /* time of the last flush */
static struct map sites, comms; /* numbers, by return address, and by handle */
static uint32_t newest_comm;
static uintptr_t *new_sites; /* addresses that no block has yet */
static size_t new_site_count;
static struct map families; /* communicators that have the same ranks, by hash: how many */
static uint64_t *starts;    /* nonblocking and persistent collectives, by number of communicator */
static int key = MPI_KEYVAL_INVALID;

/* append adds bytes. Without memory nothing more is recorded. */
static void append(struct bytes *b, const void *data, size_t length) {
	if (b->length + length > b->room) {
		size_t room = 2 * (b->length + length) + 4096;
		char *more = realloc(b->data, room);
		if (!more) {
			full = true;
			return;
		}
		b->data = more;
		b->room = room;
	}
	memcpy(b->data + b->length, data, length);
	b->length += length;
}

static void append_u32(struct bytes *b, uint32_t value) { append(b, &value, sizeof value); }
static void append_u64(struct bytes *b, uint64_t value) { append(b, &value, sizeof value); }

static void append_string(struct bytes *b, const char *text) {
	append_u32(b, (uint32_t)strlen(text));
	append(b, text, strlen(text));
}

/* open_block begins a block, and returns where its payload begins; close_block pads it. */
static size_t open_block(struct bytes *b, uint32_t type) {
	append_u32(b, type);
	append_u32(b, 0);
	return b->length;
}

static void close_block(struct bytes *b, size_t begin) {
	append(b, (char[8]){0}, (8 - (b->length - begin) % 8) % 8);
	uint32_t length = (uint32_t)(b->length - begin);
	if (!full)
		memcpy(b->data + begin - sizeof length, &length, sizeof length);
}

static void append_comparison(struct comparison c) {
	size_t begin = open_block(&blocks, CLOCK);
	append_u64(&blocks, c.at);
	append_u64(&blocks, (uint64_t)c.offset);
	append_u64(&blocks, c.error);
	close_block(&blocks, begin);
}

static void append_site(uint32_t number, uintptr_t address) {
	Dl_info info = {0};
	/* Behind a call that is a function's last, another function begins. */
	if (address == 0 || !dladdr((void *)(address - 1), &info))
		info = (Dl_info){.dli_fname = "", .dli_fbase = NULL};
	size_t begin = open_block(&blocks, SITE);
	append_u32(&blocks, number);
	append_u32(&blocks, 0);
	append_u64(&blocks, address - (uintptr_t)info.dli_fbase);
	append_string(&blocks, info.dli_fname ? info.dli_fname : "");
	append_string(&blocks, info.dli_sname ? info.dli_sname : "");
	close_block(&blocks, begin);
}

/* may_write returns how many bytes may be added to the file, where some are reserved. */
static uint64_t may_write(uint64_t reserved) {
	struct rlimit process;
	struct stat now;
	uint64_t most = limit;
	if (full || fstat(file, &now) != 0 || now.st_dev != identity.st_dev ||
	    now.st_ino != identity.st_ino)
		return 0;
	/* Beyond the process's limit a signal would end the program. */
	if (getrlimit(RLIMIT_FSIZE, &process) == 0 && process.rlim_cur < most)
		most = process.rlim_cur;
	return most > written + reserved ? most - written - reserved : 0;
}

/* put writes all bytes, or none and nothing more from then on. */
static bool put(const void *data, size_t length) {
	size_t done = 0;
	while (done < length) {
		ssize_t more = write(file, (const char *)data + done, length - done);
		if (more < 0 && errno == EINTR)
			continue;
		if (more <= 0) {
			full = true;
			if (ftruncate(file, (off_t)written) == 0)
				lseek(file, (off_t)written, SEEK_SET);
			return false;
		}
		done += (size_t)more;
	}
	written += length;
	return true;
}

/* flush writes what is waiting, as much as fits. */
static void flush(uint64_t now) {
	uint64_t room = may_write(ROOM_FOR_END), head = sizeof events->type + sizeof events->length;
	if (room < blocks.length)
		full = true;
	if (blocks.length > 0 && !full)
		put(blocks.data, blocks.length);
	blocks.length = 0;
	room = may_write(ROOM_FOR_END);
	uint64_t fit = room > head ? (room - head) / sizeof *events->list : 0;
	if (fit >= waiting)
		fit = waiting;
	else
		full = true;
	events->type = EVENTS;
	events->length = (uint32_t)(fit * sizeof *events->list);
	if (fit > 0 && put(events, head + events->length))
		count += fit;
	else
		fit = 0;
	lost += waiting - fit;
	waiting = 0;
	flushed = record_clock();
	if (fit > 0) {
		size_t begin = open_block(&blocks, WRITTEN);
		append_u64(&blocks, now);
		append_u64(&blocks, flushed);
		close_block(&blocks, begin);
	}
}

/* flush_all writes what is waiting, with the sites that it names. */
static void flush_all(uint64_t now) {
	for (size_t i = 0; i < new_site_count; i++)
		append_site(map_get(&sites, new_sites[i]), new_sites[i]);
	new_site_count = 0;
	flush(now);
}

void record_flush(void) {
	if (!atomic_load(&recording) || getpid() != owner)
		return;
	pthread_mutex_lock(&lock);
	flush_all(record_clock());
	pthread_mutex_unlock(&lock);
}

/* A program that ends without MPI_Finalize. */
__attribute__((destructor)) static void leave(void) { record_flush(); }

/* site_number returns the number of a call site: 0 if there is none, or no room. */
static uint16_t site_number(const void *site) {
	uint32_t number = map_get(&sites, (uintptr_t)site);
	if (number > 0 || !site)
		return (uint16_t)number;
	uintptr_t *more = realloc(new_sites, (new_site_count + 1) * sizeof *new_sites);
	if (sites.count >= MOST_SITES || !more)
		return 0;
	new_sites = more;
	number = (uint32_t)sites.count + 1;
	if (!map_set(&sites, (uintptr_t)site, number))
		return 0;
	new_sites[new_site_count++] = (uintptr_t)site;
	return (uint16_t)number;
}

static uint64_t handle_of(MPI_Comm comm) { return (uint64_t)(uintptr_t)comm; }

/* forget is called when a communicator is freed: another may have its handle then. */
static int forget(MPI_Comm comm, int keyval, void *value, void *state) {
	(void)keyval, (void)value, (void)state;
	pthread_mutex_lock(&lock);
	map_set(&comms, handle_of(comm), 0);
	pthread_mutex_unlock(&lock);
	return MPI_SUCCESS;
}

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

/* What describes a communicator. */
struct description {
	struct bytes ranks; /* in MPI_COMM_WORLD: of both groups of an intercommunicator */
	uint32_t rank;      /* own, in this order */
	uint64_t hash;
};

/* describe looks a communicator up. The groups of an intercommunicator come in the order of their
 * hashes, which is the same on both sides. */
static struct description describe(MPI_Comm comm) {
	struct description d = {0};
	struct bytes remote = {0};
	MPI_Group group;
	int inter = 0, rank = 0;
	PMPI_Comm_test_inter(comm, &inter);
	PMPI_Comm_rank(comm, &rank);
	PMPI_Comm_group(comm, &group);
	d.rank = (uint32_t)rank;
	d.hash = world_ranks(group, &d.ranks);
	PMPI_Group_free(&group);
	if (!inter)
		return d;
	PMPI_Comm_remote_group(comm, &group);
	uint64_t other = world_ranks(group, &remote);
	PMPI_Group_free(&group);
	if (other < d.hash) {
		struct bytes own = d.ranks;
		uint64_t hash = d.hash;
		d.rank += (uint32_t)(remote.length / sizeof(uint32_t));
		d.ranks = remote, remote = own;
		d.hash = other, other = hash;
	}
	append(&d.ranks, remote.data, remote.length);
	d.hash = (d.hash * 31) ^ other;
	free(remote.data);
	return d;
}

/* adopt gives a communicator a number, and a key that its ranks have alike: they use communicators
 * of the same ranks in the same order. */
static void adopt(MPI_Comm comm) {
	struct description d = describe(comm);
	pthread_mutex_lock(&lock);
	uint32_t number = ++newest_comm, same = map_get(&families, d.hash) + 1;
	uint64_t *more = realloc(starts, (number + 1) * sizeof *starts);
	if (more) {
		starts = more;
		starts[number] = 0;
	} else {
		full = true;
	}
	map_set(&families, d.hash, same);
	map_set(&comms, handle_of(comm), number);
	size_t begin = open_block(&blocks, COMMUNICATOR);
	append_u32(&blocks, number);
	append_u32(&blocks, (uint32_t)(d.ranks.length / sizeof(uint32_t)));
	append_u32(&blocks, d.rank);
	append_u32(&blocks, 0);
	append_u64(&blocks, (d.hash + same) * 11400714819323198485u);
	append(&blocks, d.ranks.data, d.ranks.length);
	close_block(&blocks, begin);
	pthread_mutex_unlock(&lock);
	free(d.ranks.data);
	PMPI_Comm_set_attr(comm, key, NULL);
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
	lost += full;
	return !full;
}

/* add adds an event that fits. */
static inline void add(struct event e) {
	events->list[waiting++] = e;
	if (waiting == EVENTS_AT_ONCE || e.exit - flushed > longest_wait)
		flush_all(e.exit);
}

/* number_of returns the number of a communicator, for whoever has the lock, which it gives back for a
 * while where the communicator is new. */
static uint32_t number_of(MPI_Comm comm) {
	uint32_t number = map_get(&comms, handle_of(comm));
	if (number > 0 || full)
		return number;
	pthread_mutex_unlock(&lock);
	adopt(comm);
	pthread_mutex_lock(&lock);
	return map_get(&comms, handle_of(comm));
}

uint32_t record_communicator(MPI_Comm comm) {
	pthread_mutex_lock(&lock);
	uint32_t number = number_of(comm);
	pthread_mutex_unlock(&lock);
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

/* What rank 0 has from its environment. */
struct settings {
	uint64_t limit; /* 0 if nothing is to be recorded */
	char directory[PATH_MAX];
};

static void complain(const char *what) { fprintf(stderr, "jitterfly-mpi: %s\n", what); }

/* make_directory makes the directory of a program that another has spawned: a new one in that of
 * its parent. */
static void make_directory(char path[PATH_MAX]) {
	MPI_Comm parent = MPI_COMM_NULL;
	char *end = path + strlen(path);
	mkdir(path, 0777);
#ifndef SMPI_H /* which spawns no programs */
	PMPI_Comm_get_parent(&parent);
#endif
	for (int i = 1; parent != MPI_COMM_NULL; i++) {
		snprintf(end, (size_t)(path + PATH_MAX - end), "/spawned-%d", i);
		if (mkdir(path, 0777) == 0 || errno != EEXIST)
			return;
	}
}

/* settings_read reads the environment of rank 0. */
static struct settings settings_read(void) {
	struct settings s = {0};
	const char *directory = getenv("JITTERFLY_MPI_RECORD");
	const char *most = getenv("JITTERFLY_MPI_RECORD_LIMIT");
	char *end = "";
	if (!directory || !*directory)
		return s;
	s.limit = default_limit;
	if (most && *most)
		s.limit = *most >= '0' && *most <= '9' ? strtoull(most, &end, 10) : 0;
	if (*end || s.limit < 4096) {
		complain(
		    "JITTERFLY_MPI_RECORD_LIMIT must be a number of bytes from 4096; nothing is recorded");
		s.limit = 0;
		return s;
	}
	if (*directory != '/' && getcwd(s.directory, sizeof s.directory - 64))
		strcat(s.directory, "/");
	if (strlen(s.directory) + strlen(directory) + 64 > sizeof s.directory) {
		complain("the name in JITTERFLY_MPI_RECORD is too long; nothing is recorded");
		s.limit = 0;
		return s;
	}
	strcat(s.directory, directory);
	make_directory(s.directory);
	return s;
}

/* create creates the file of a rank. It returns 0 or an error number. */
static int create(const char *directory, int rank, char name[PATH_MAX + 32]) {
	mkdir(directory, 0777); /* where nodes have their own */
	snprintf(name, PATH_MAX + 32, "%s/rank-%06d.calls", directory, rank);
	file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (file < 0)
		return errno;
	events = malloc(sizeof *events);
	if (!events || fstat(file, &identity) != 0)
		return ENOMEM;
	memset(events, 0, sizeof *events); /* so that no call has to wait for a page */
	return 0;
}

/* agree returns whether all ranks have a file; where one has none, rank 0 says why. */
static bool agree(const char *directory, int rank, int ranks, int error) {
	struct {
		int rank, error;
	} mine = {error ? rank : ranks, error}, first;
	PMPI_Allreduce(&mine, &first, 1, MPI_2INT, MPI_MINLOC, MPI_COMM_WORLD);
	if (first.rank == ranks)
		return true;
	char text[PATH_MAX + 200];
	snprintf(text, sizeof text, "cannot create %s/rank-%06d.calls: %s; nothing is recorded%s",
	         directory, first.rank, strerror(first.error),
	         first.error == EEXIST ? ": name another directory" : "");
	if (rank == 0)
		complain(text);
	return false;
}

/* append_header appends who recorded. */
static void append_header(int rank, int ranks) {
	char host[MPI_MAX_PROCESSOR_NAME] = "", library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
	int length = 0;
	struct timespec wall;
	PMPI_Get_processor_name(host, &length);
	PMPI_Get_library_version(library, &length);
	library[strcspn(library, "\n")] = 0;
	append(&blocks, "jfcalls1", 8);
	size_t begin = open_block(&blocks, HEADER);
	append_u32(&blocks, (uint32_t)rank);
	append_u32(&blocks, (uint32_t)ranks);
	clock_gettime(CLOCK_REALTIME, &wall);
	append_u64(&blocks, (uint64_t)wall.tv_sec * 1000000000 + (uint64_t)wall.tv_nsec);
	append_u64(&blocks, record_clock());
	append_string(&blocks, host);
	append_string(&blocks, library);
	close_block(&blocks, begin);
}

void record_begin(void) {
	struct settings s = {0};
	char name[PATH_MAX + 32];
	int rank = 0, ranks = 1;
	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (rank == 0)
		s = settings_read();
	PMPI_Bcast(&s.limit, sizeof s.limit, MPI_BYTE, 0, MPI_COMM_WORLD);
	if (s.limit == 0)
		return;
	PMPI_Bcast(s.directory, sizeof s.directory, MPI_BYTE, 0, MPI_COMM_WORLD);
	int error = create(s.directory, rank, name);
	if (!agree(s.directory, rank, ranks, error) ||
	    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &key, NULL) != MPI_SUCCESS) {
		if (file >= 0) {
			unlink(name);
			close(file);
		}
		return;
	}
	limit = s.limit;
	owner = getpid();
	clock_begin();
	append_header(rank, ranks);
	append_comparison(clock_compare());
	flush(flushed = record_clock());
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
	flush_all(record_clock());
	blocks.length = 0; /* when the file was last written, which nothing comes after */
	full = false;      /* the end has room, unless the disk is full */
	append_comparison(last);
	size_t begin = open_block(&blocks, END);
	append_u64(&blocks, count);
	append_u64(&blocks, lost);
	close_block(&blocks, begin);
	if (blocks.length <= may_write(0))
		put(blocks.data, blocks.length);
	close(file);
	pthread_mutex_unlock(&lock);
	uint64_t all = 0;
	PMPI_Reduce(&lost, &all, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0 && all > 0)
		fprintf(stderr,
		        "jitterfly-mpi: %llu calls are not recorded: a disk is full, or files have "
		        "JITTERFLY_MPI_RECORD_LIMIT bytes\n",
		        (unsigned long long)all);
}
