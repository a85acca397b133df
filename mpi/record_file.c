#include "record_file.h"

#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LEAST_LIMIT = 4096, ROOM_FOR_NAMES = 64 }; /* of files in the directory */
static const uint64_t default_limit = 256 << 20;  /* [bytes] */

static void warn(const char *what) { fprintf(stderr, "jitterfly-mpi: %s\n", what); }

/* make_directory makes the directory. A program that another program has spawned makes a new one in
 * the directory of the other. */
static void make_directory(char path[PATH_MAX]) {
	MPI_Comm parent = MPI_COMM_NULL;
	char *end = path + strlen(path);
	mkdir(path, 0777);
	PMPI_Comm_get_parent(&parent);
	for (int i = 1; parent != MPI_COMM_NULL; i++) {
		snprintf(end, (size_t)(path + PATH_MAX - end), "/spawned-%d", i);
		if (mkdir(path, 0777) == 0 || errno != EEXIST)
			return;
	}
}

/* limit_of returns a limit of the environment, 0 if it is not valid. */
static uint64_t limit_of(const char *text) {
	char *end = "";
	if (!text || !*text)
		return default_limit;
	uint64_t limit = *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : 0;
	return *end || limit < LEAST_LIMIT ? 0 : limit;
}

struct settings settings_read(void) {
	struct settings s = {0};
	const char *directory = getenv("JITTERFLY_MPI_RECORD");
	if (!directory || !*directory)
		return s;
	uint64_t limit = limit_of(getenv("JITTERFLY_MPI_RECORD_LIMIT"));
	if (limit == 0) {
		warn("JITTERFLY_MPI_RECORD_LIMIT must be a number of bytes from 4096; nothing is recorded");
		return s;
	}
	if (*directory != '/' && getcwd(s.directory, sizeof s.directory - ROOM_FOR_NAMES))
		strcat(s.directory, "/");
	if (strlen(s.directory) + strlen(directory) + ROOM_FOR_NAMES > sizeof s.directory) {
		warn("the name in JITTERFLY_MPI_RECORD is too long; nothing is recorded");
		return s;
	}
	strcat(s.directory, directory);
	make_directory(s.directory);
	s.limit = limit;
	return s;
}

void reserve(struct bytes *b, size_t more) {
	if (b->length + more <= b->room)
		return;
	size_t room = 2 * (b->length + more) + 4096;
	char *data = realloc(b->data, room);
	b->failed = b->failed || !data;
	if (data) {
		b->data = data;
		b->room = room;
	}
}

void append(struct bytes *b, const void *data, size_t length) {
	reserve(b, length);
	if (b->failed)
		return;
	memcpy(b->data + b->length, data, length);
	b->length += length;
}

void append_u32(struct bytes *b, uint32_t value) { append(b, &value, sizeof value); }
void append_u64(struct bytes *b, uint64_t value) { append(b, &value, sizeof value); }

void append_string(struct bytes *b, const char *text) {
	append_u32(b, (uint32_t)strlen(text));
	append(b, text, strlen(text));
}

uint64_t block_sum(uint32_t type, const void *payload, size_t length) {
	uint64_t sum = type, word;
	for (size_t i = 0; i <= length; i += sizeof word) {
		word = length; /* after the payload */
		if (i < length)
			memcpy(&word, (const char *)payload + i, sizeof word);
		sum = (sum ^ word) * 11400714819323198485u;
		sum ^= sum >> 32;
	}
	return sum;
}

size_t open_block(struct bytes *b, uint32_t type) {
	append_u32(b, type);
	append_u32(b, 0);
	append_u64(b, 0);
	return b->length;
}

void close_block(struct bytes *b, size_t begin) {
	append(b, (char[8]){0}, (8 - (b->length - begin) % 8) % 8);
	if (b->failed)
		return;
	uint32_t type, length = (uint32_t)(b->length - begin);
	char *head = b->data + begin - 16;
	memcpy(&type, head, sizeof type);
	uint64_t sum = block_sum(type, b->data + begin, length);
	memcpy(head + 4, &length, sizeof length);
	memcpy(head + 8, &sum, sizeof sum);
}

static char name[PATH_MAX + 32];
static int file = -1;
static struct stat identity; /* a program may close files that it has not opened, and open others */
static uint64_t most, used; /* [bytes] */

int file_create(const char *directory, int rank, uint64_t limit) {
	mkdir(directory, 0777); /* nodes may have directories of their own */
	snprintf(name, sizeof name, "%s/rank-%06d.calls", directory, rank);
	file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	most = limit;
	return file < 0 || fstat(file, &identity) != 0 ? errno : 0;
}

bool file_agree(const char *directory, int rank, int ranks, int error) {
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
		warn(text);
	return false;
}

void file_remove(void) {
	if (file < 0)
		return;
	unlink(name);
	close(file);
}

uint64_t file_room(uint64_t reserved) {
	struct rlimit process;
	struct stat now;
	uint64_t end = most;
	if (fstat(file, &now) != 0 || now.st_dev != identity.st_dev || now.st_ino != identity.st_ino)
		return 0;
	/* Beyond the process's limit a signal would end the program. */
	if (getrlimit(RLIMIT_FSIZE, &process) == 0 && process.rlim_cur < end)
		end = process.rlim_cur;
	return end > used + reserved ? end - used - reserved : 0;
}

bool file_put(const void *data, size_t bytes) {
	size_t done = 0;
	while (done < bytes) {
		ssize_t more = write(file, (const char *)data + done, bytes - done);
		if (more < 0 && errno == EINTR)
			continue;
		if (more <= 0) {
			if (ftruncate(file, (off_t)used) == 0)
				lseek(file, (off_t)used, SEEK_SET);
			return false;
		}
		done += (size_t)more;
	}
	used += bytes;
	return true;
}

void file_close(void) { close(file); }
