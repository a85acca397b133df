#include "record_settings.h"

#include <errno.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LEAST_LIMIT = 4096, ROOM_FOR_NAMES = 64 }; /* of files in the directory */
static const uint64_t default_limit = 256 << 20;  /* [bytes] */

void warn(const char *what) { fprintf(stderr, "jitterfly-mpi: %s\n", what); }

/* make_directory makes the directory. A program that another program has spawned makes a new one in
 * the directory of the other. */
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
