// Works for some microseconds every period on one core:
//
//	planted CORE PERIOD_US WORK_US SECONDS
#define _GNU_SOURCE
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int64_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

int main(int argc, char **argv)
{
	if (argc != 5)
		return 2;
	int64_t period = atoll(argv[2]) * 1000, work = atoll(argv[3]) * 1000;
	int64_t end = now() + atoll(argv[4]) * INT64_C(1000000000);
	cpu_set_t core;
	CPU_ZERO(&core);
	CPU_SET(atoi(argv[1]), &core);
	if (sched_setaffinity(0, sizeof core, &core) != 0) {
		perror("planted: cannot run on that core");
		return 1;
	}
	for (int64_t next = now() + period; next < end; next += period) {
		struct timespec until = {next / 1000000000, next % 1000000000};
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
		for (int64_t begin = now(); now() - begin < work;)
			;
	}
	return 0;
}
