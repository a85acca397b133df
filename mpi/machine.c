#include "machine.h"

#include <stddef.h>

static int min(int a, int b) { return a < b ? a : b; }

const char *shape_init(struct shape *s, int ranks, int sources, int copies) {
	int rounds = 0;
	while (rounds < MACHINE_ROUNDS && ranks >> (rounds + 1) > 0)
		rounds++;
	if (ranks < 1)
		return "there is no rank";
	if (sources < 1 || sources > (rounds > 0 ? 1 << (rounds - 1) : 1))
		return "R is larger than the number of ranks with the same partial result";
	if (copies < 0 || copies > rounds)
		return "T is larger than log2 of the number of ranks";

	*s = (struct shape){.ranks = ranks, .sources = sources, .copies = copies, .rounds = rounds};
	s->folded = ranks - (1 << rounds);
	for (int k = 0; k < rounds; k++) {
		s->first[k + 1] = s->first[k] + min(sources, 1 << k);
		if (s->first[k + 1] + copies >= MACHINE_CHANNELS)
			return "R takes more channels than a rank has";
	}
	s->fold = s->first[rounds] + copies;
	s->channels = s->fold + 1;
	return NULL;
}

/* round_of returns the round of a channel, at most K. */
static int round_of(const struct shape *s, int channel) {
	int k = 0;
	while (k < s->rounds && channel >= s->first[k + 1])
		k++;
	return k;
}

/* distance returns what core ranks at both ends of a channel differ by, as bits. */
static int distance(const struct shape *s, int channel) {
	int k = round_of(s, channel);
	return k < s->rounds ? 1 << k | (channel - s->first[k]) : 1 << (channel - s->first[k]);
}

static bool in_pair(const struct shape *s, int rank) { return rank < 2 * s->folded; }
static bool is_away(const struct shape *s, int rank) { return in_pair(s, rank) && rank % 2 == 1; }

static int core(const struct shape *s, int rank) {
	return in_pair(s, rank) ? rank / 2 : rank - s->folded;
}

int shape_peer(const struct shape *s, int rank, int channel) {
	if (channel == s->fold)
		return in_pair(s, rank) ? rank ^ 1 : -1;
	if (is_away(s, rank))
		return -1;
	int v = core(s, rank) ^ distance(s, channel);
	return v < s->folded ? 2 * v : v + s->folded;
}

void machine_begin(struct machine *m, const struct shape *s, int rank) {
	m->shape = s;
	m->core = core(s, rank);
	m->away = is_away(s, rank);
	m->pair = in_pair(s, rank);
	m->level = m->pair ? -1 : 0;
	m->sent = 0;
	m->fold_sent = !m->pair;
	m->result = NONE;
	m->withdrawn = false;
	for (int k = 0; k <= s->rounds; k++)
		m->arrived[k] = NONE;
}

void machine_arrived(struct machine *m, int channel, enum content content) {
	if (content == WITHDRAWAL)
		machine_withdraw(m);
	else if (content == RESULT)
		m->result = channel;
	else
		m->arrived[channel == m->shape->fold ? 0 : round_of(m->shape, channel) + 1] = channel;
}

void machine_withdraw(struct machine *m) { m->withdrawn = m->result == NONE; }

void machine_combined(struct machine *m) {
	m->level++;
	if (m->result == NONE && m->level == m->shape->rounds)
		m->result = OWN;
}

void machine_has(struct machine *m) { m->result = OWN; }

/* send_rest returns the next message of a rank that has the result or has withdrawn: first to the
 * partner in a pair, then in place of partial results, then the copies. */
static struct step send_rest(struct machine *m) {
	enum content content = m->withdrawn ? WITHDRAWAL : RESULT;
	if (!m->fold_sent) {
		m->fold_sent = true;
		return (struct step){.action = SEND, .channel = m->shape->fold, .content = content};
	}
	if (!m->away && m->sent < m->shape->fold)
		return (struct step){.action = SEND, .channel = m->sent++, .content = content};
	return (struct step){.action = RETURN};
}

struct step machine_next(struct machine *m) {
	const struct shape *s = m->shape;
	if (m->result != NONE || m->withdrawn || s->ranks == 1)
		return send_rest(m);
	if (m->away && !m->fold_sent) {
		m->fold_sent = true;
		return (struct step){.action = SEND, .channel = s->fold, .level = -1};
	}
	if (m->away)
		return (struct step){.action = WAIT};
	if (m->level >= 0 && m->sent < s->first[m->level + 1])
		return (struct step){.action = SEND, .channel = m->sent++, .level = m->level};

	int channel = m->arrived[m->level + 1];
	if (channel == NONE)
		return (struct step){.action = WAIT};
	/* Half of the core ranks, those with a 0 at the bit of the round, are left of the others. */
	bool lower = channel == s->fold || (m->core >> m->level & 1) == 0;
	return (struct step){.action = COMBINE, .channel = channel, .level = m->level, .lower = lower};
}
