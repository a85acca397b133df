/*
 * Detours by a timer, whose signal keeps the rank's thread for as long as a detour lasts.
 */
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

static timer_t timer;
static struct {
	double begin; /* of the first detour */
	double period, duration;
	bool asleep;
} current;
static volatile double stolen; /* by detours, in all */

static struct timespec timespec_of(double seconds) {
	time_t whole = (time_t)seconds;
	return (struct timespec){.tv_sec = whole, .tv_nsec = (long)((seconds - (double)whole) * 1e9)};
}

double clock_now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void clock_wait(double until, bool asleep) {
	struct timespec t = timespec_of(until);
	while (clock_now() < until)
		if (asleep)
			clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

/* detour waits until the end of the detour that the time is in, if it is in one. */
static void detour(int signal) {
	(void)signal;
	double now = clock_now(), i = floor((now - current.begin) / current.period);
	double end = current.begin + i * current.period + current.duration;
	if (i < 0 || now >= end)
		return;
	clock_wait(end, current.asleep);
	stolen += clock_now() - now;
}

static void make_timer(void) {
	struct sigaction action = {.sa_handler = detour, .sa_flags = SA_RESTART};
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN + 5};
#ifndef sigev_notify_thread_id
	event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
#else
	event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
#endif
	static bool made;
	if (made)
		return;
	made = true;
	sigaction(SIGRTMIN + 5, &action, NULL);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) {
		perror("bench: cannot make a timer for detours");
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
}

void detours_start(const struct detours *d, double first, double launch, bool asleep) {
	make_timer();
	current.begin = launch + first;
	current.period = d->period;
	current.duration = d->duration;
	current.asleep = asleep;
	double next = first < 0 ? current.begin + d->period : current.begin;
	struct itimerspec when = {.it_value = timespec_of(next), .it_interval = timespec_of(d->period)};
	timer_settime(timer, TIMER_ABSTIME, &when, NULL); /* which takes microseconds */
	clock_wait(first < 0 ? current.begin + d->duration : launch, asleep);
}

void detours_stop(void) { timer_settime(timer, 0, &(struct itimerspec){0}, NULL); }

void compute(double seconds, bool asleep) {
	double begin = clock_now(), before = stolen;
	for (double left; (left = seconds - (clock_now() - begin) + (stolen - before)) > 0;)
		if (asleep) {
			struct timespec t = timespec_of(left);
			nanosleep(&t, NULL);
		}
}
