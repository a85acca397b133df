#include "record_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char name[PATH_MAX + 32];
static int file = -1;
static struct stat identity; /* a program may close files that it has not opened, and open others */
static uint64_t most, length; /* [bytes] */

int file_create(const char *directory, int rank, uint64_t limit) {
	mkdir(directory, 0777); /* nodes may have directories of their own */
	snprintf(name, sizeof name, "%s/rank-%06d.calls", directory, rank);
	file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	most = limit;
	return file < 0 || fstat(file, &identity) != 0 ? errno : 0;
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
	return end > length + reserved ? end - length - reserved : 0;
}

bool file_put(const void *data, size_t bytes) {
	size_t done = 0;
	while (done < bytes) {
		ssize_t more = write(file, (const char *)data + done, bytes - done);
		if (more < 0 && errno == EINTR)
			continue;
		if (more <= 0) {
			if (ftruncate(file, (off_t)length) == 0)
				lseek(file, (off_t)length, SEEK_SET);
			return false;
		}
		done += (size_t)more;
	}
	length += bytes;
	return true;
}

void file_close(void) { close(file); }
