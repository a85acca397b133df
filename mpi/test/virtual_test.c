/*
 * The machine in simulated time is compared with the equations of the model, operation by operation
 * and rank by rank. Also: what it does with numbers of ranks that it does not have, what partners
 * are, and that values are combined in the order of ranks.
 *
 *	virtual_test            run the tests
 *	virtual_test SPEC       print operations, for comparison with other simulators: see print
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "virtual.h"

enum { MOST = 300 };

static int failed;

#define CHECK(condition, ...)                                                                      \
	do {                                                                                           \
		if (!(condition)) {                                                                        \
			fprintf(stderr, "%s:%d: ", __FILE__, __LINE__);                                        \
			fprintf(stderr, __VA_ARGS__);                                                          \
			fputc('\n', stderr);                                                                   \
			failed = 1;                                                                            \
		}                                                                                          \
	} while (0)

static double latest(const double *finish, int ranks) {
	double most = 0;
	for (int r = 0; r < ranks; r++)
		most = finish[r] > most ? finish[r] : most;
	return most;
}

/* Both ends of a channel agree, and no rank has two channels of a round, or of copies, to one. */
static void test_peers(void) {
	for (int ranks = 1; ranks <= 70; ranks++)
		for (int sources = 1; sources <= 3; sources++)
			for (int copies = 0; copies <= 6; copies++) {
				struct shape s;
				if (shape_init(&s, ranks, sources, copies))
					continue;
				for (int r = 0; r < ranks; r++)
					for (int c = 0; c < s.channels; c++) {
						int peer = shape_peer(&s, r, c);
						CHECK(peer < ranks && peer != r, "peer %d of %d of %d ranks", peer, r,
						      ranks);
						CHECK(peer < 0 || shape_peer(&s, peer, c) == r, "channel %d of rank %d", c,
						      r);
					}
			}
}

static void test_limits(void) {
	struct shape s;
	const struct {
		int ranks, sources, copies;
		bool good;
	} cases[] = {{0, 1, 0, false}, {1, 1, 0, true},     {1, 1, 1, false},      {2, 1, 1, true},
	             {2, 1, 2, false}, {2, 2, 0, false},    {4, 2, 2, true},       {7, 2, 2, true},
	             {7, 3, 2, false}, {8, 4, 3, true},     {8, 0, 0, false},      {8, 1, -1, false},
	             {8, 1, 4, false}, {1024, 8, 10, true}, {65536, 300, 0, false}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *wrong = shape_init(&s, cases[i].ranks, cases[i].sources, cases[i].copies);
		CHECK(!wrong == cases[i].good, "P = %d, R = %d, T = %d: %s", cases[i].ranks,
		      cases[i].sources, cases[i].copies, wrong ? wrong : "accepted");
	}
}

/* Without noise 2^K ranks finish after K rounds, whatever R and T are. With 2^K − 1 more all but
 * one are in folded pairs, which takes two messages more. */
static void test_quiet(void) {
	double finish[MOST];
	struct world w = {.wire = 1, .combine = 0.25, .detours = {.period = 1, .seed = 1}};
	for (int rounds = 2; rounds <= 7; rounds++)
		for (int copies = 0; copies <= rounds; copies++)
			for (int sources = 1; sources <= 2; sources++) {
				double right = rounds * (w.wire + w.combine);
				shape_init(&w.shape, 1 << rounds, sources, copies);
				virtual_run(&w, 0, finish);
				CHECK(latest(finish, w.shape.ranks) == right, "P = %d", w.shape.ranks);

				right += 2 * w.wire + w.combine;
				shape_init(&w.shape, (2 << rounds) - 1, 1, copies);
				virtual_run(&w, 0, finish);
				CHECK(latest(finish, w.shape.ranks) == right, "P = %d", w.shape.ranks);
			}
}

/* Random worlds of up to 256 ranks: detours that are frequent, rare, or hit half of all ranks. */
static struct world draw(uint64_t i) {
	struct world w = {.wire = 1e-6, .detours = {.period = 1e-3, .seed = i}};
	static const double durations[] = {1e-6, 1e-5, 1e-4, 5e-4};
	static const double spreads[] = {0, 0, 3e-6}, costs[] = {0, 0, 2e-7};
	for (uint64_t attempt = 0;; attempt++) {
		uint64_t x = word(99, i, attempt);
		int ranks = 1 + (int)(x % (i % 4 ? 256 : 9));
		if (x >> 20 & 1)
			while (ranks & (ranks - 1))
				ranks &= ranks - 1;
		if (!shape_init(&w.shape, ranks, 1 + (int)(x >> 24) % 3, (int)(x >> 32 & 15) % 9))
			break;
	}
	uint64_t x = word(98, i, 0);
	w.detours.duration = durations[x % 4];
	if (x >> 8 & 1) /* many ranks are hit */
		w.detours.period = 4 * w.detours.duration;
	w.detours.synchronized = x >> 9 & 1;
	w.combine = x >> 10 & 1 ? 1e-7 : 0;
	w.processor = x >> 11 & 1;
	w.spread = spreads[(x >> 16) % 3];
	w.copy = costs[(x >> 24) % 3];
	return w;
}

static void test_equations(void) {
	double run[MOST], solved[MOST], plain[MOST];
	int forwarded = 0;
	for (uint64_t i = 0; i < 1000; i++) {
		struct world w = draw(i);
		virtual_run(&w, i, run);
		virtual_solve(&w, i, solved);
		for (int r = 0; r < w.shape.ranks; r++)
			CHECK(run[r] == solved[r],
			      "operation %d, P = %d, R = %d, T = %d: rank %d finishes at %.17g, not at %.17g",
			      (int)i, w.shape.ranks, w.shape.sources, w.shape.copies, r, run[r], solved[r]);
		if (failed)
			return;
		shape_init(&w.shape, w.shape.ranks, w.shape.sources, 0);
		virtual_run(&w, i, plain);
		forwarded += latest(run, w.shape.ranks) < latest(plain, w.shape.ranks);
	}
	CHECK(forwarded > 100, "copies made only %d of 1000 operations faster", forwarded);
}

/* When a rank withdraws, whichever, all do, after one message on each channel: virtual_run asserts
 * both. */
static void test_withdrawals(void) {
	double finish[MOST];
	for (uint64_t i = 0; i < 1000; i++) {
		struct world w = draw(i);
		w.withdrawing = 1 + (int)(word(97, i, 0) % (uint64_t)w.shape.ranks);
		virtual_run(&w, i, finish);
	}
}

/* print writes operations for other simulators: a line each of the time, and of the first detour of
 * every rank. */
static int print(const char *spec) {
	struct world w = {0};
	int ranks, sources, copies, processor, synchronized;
	unsigned long operations;
	static double finish[4096];
	if (sscanf(spec, "%d %d %d %lf %lf %lf %lf %lf %d %d %lu", &ranks, &sources, &copies, &w.wire,
	           &w.combine, &w.copy, &w.detours.period, &w.detours.duration, &processor,
	           &synchronized, &operations) != 11 ||
	    ranks > 4096 || shape_init(&w.shape, ranks, sources, copies)) {
		fprintf(stderr,
		        "virtual_test: \"%s\" is not: P R T wire combine copy period "
		        "duration processor synchronized operations\n",
		        spec);
		return 2;
	}
	w.processor = processor;
	w.detours.synchronized = synchronized;
	w.detours.seed = 1;
	for (unsigned long i = 0; i < operations; i++) {
		virtual_run(&w, i, finish);
		for (int r = 0; r < ranks; r++) /* a call returns once its copies are posted */
			finish[r] += r < 2 * w.shape.folded && r % 2 == 1 ? 0 : copies * w.copy;
		printf("%.17g", latest(finish, ranks));
		for (int r = 0; r < ranks; r++)
			printf(" %.17g", detours_first(&w.detours, i, r));
		putchar('\n');
	}
	return 0;
}

int main(int argc, char **argv) {
	if (argc > 1)
		return print(argv[1]);
	test_peers();
	test_limits();
	test_quiet();
	test_equations();
	test_withdrawals();
	if (!failed)
		puts("virtual_test: 1000 operations of up to 256 ranks equal the model's, rank by rank");
	return failed;
}
