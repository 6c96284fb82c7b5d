/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From packets to the measured side of the model: filters, differences, and the
 * drops of a round trip ago (II.B, eq. 2.14 and 2.19).
 * crates/estimators/src/nonresponsive/estmred/signals.rs is the same.
 */
#ifndef ESTMRED_SIGNALS_H
#define ESTMRED_SIGNALS_H

#include "estmred_state.h"

static inline void estmred_collect(struct estmred_partial *p, const struct estmred_sample *s)
{
	u64 most = max(max(s->backlog, s->arrived), max(s->dropped, s->marked));

	p->calls++;
	if (p->bad || most > ESTMRED_MOST_BYTES || p->calls > ESTMRED_MOST_CALLS) {
		p->bad = true;
		return;
	}
	p->backlog += s->backlog;
	p->arrived += s->arrived;
	p->dropped += s->dropped;
	p->marked += s->marked;
	p->bad = max(max(p->arrived, p->dropped), p->marked) > ESTMRED_MOST_BYTES ||
		 p->backlog > ESTMRED_MOST_SUM;
}

static inline void estmred_push(struct estmred_signals *s)
{
	struct estmred_slot *slot = &s->slots[s->written % ESTMRED_SLOTS];

	slot->p = (u32)s->p;
	slot->quiet = s->quiet;
	s->written++;
}

/* A sampling interval that cannot be used: p is taken to have stayed, differences start again. */
static inline void estmred_skip(struct estmred_signals *s)
{
	s->has_before = false;
	s->has_rate = false;
	if (s->has_p)
		estmred_push(s);
}

/* v filtered towards x, and the first x as it is. */
static inline s64 estmred_filter(struct estmred_fixed *f, bool exists, s64 alpha, s64 v, s64 x)
{
	return exists ? estmred_blend(f, alpha, v, x) : x;
}

static inline void estmred_take_signals(struct estmred_core *e, const struct estmred_partial *ended)
{
	struct estmred_signals *s = &e->signals;
	u64 notified = ended->dropped + ended->marked;

	if (ended->arrived > 0) {
		s64 part = (s64)(min(notified, ended->arrived) << ESTMRED_SCALE);
		s64 p = estmred_div_round(part, (s64)ended->arrived);

		s->p = estmred_filter(&e->fixed, s->has_p, e->settings.signal_alpha, s->p, p);
		s->has_p = true;
	}
	if (notified)
		s->quiet = 0;
	else if (s->quiet < U32_MAX)
		s->quiet++;
	estmred_push(s);
}

/* Drops in a round trip, l(t), in packets. */
static inline s64 estmred_lost(struct estmred_core *e, u64 dropped, s64 rtt, s64 us)
{
	struct estmred_fixed *f = &e->fixed;
	s64 drops =
		estmred_div_round((s64)(dropped << ESTMRED_SCALE), e->settings.mean_packet_bytes);

	e->signals.drops = estmred_filter(f, e->signals.has_backlog, e->settings.drop_alpha,
					  e->signals.drops, drops);
	return estmred_mul(f, estmred_scale(f, e->signals.drops, 1000, us), rtt);
}

/*
 * chi of eq. 2.14, with l' of (2.19) where drops are counted; false until two
 * differences of neighbouring samples and p(t - R0) exist.
 */
static inline bool estmred_measure(struct estmred_core *e, s64 q, s64 lost, s64 current_rtt,
				   s64 rtt, s64 us, struct estmred_dynamics *d)
{
	struct estmred_fixed *f = &e->fixed;
	struct estmred_signals *s = &e->signals;
	bool had_before = s->has_before, had_rate = s->has_rate;
	s64 before = s->backlog_before, rate_before = s->rate_before;
	s64 lost_before = s->lost_before;
	s64 rate, acceleration, relative;
	u64 lag;

	s->backlog_before = q;
	s->lost_before = lost;
	s->has_before = true;
	s->has_rate = false;
	if (!had_before)
		return false;
	rate = estmred_scale(f, estmred_sub(f, q, before), 1000000, us);
	s->rate_before = rate;
	s->has_rate = true;
	if (!had_rate)
		return false;
	acceleration = estmred_scale(f, estmred_sub(f, rate, rate_before), 1000000, us);
	relative = estmred_div(f, rate, e->settings.capacity);
	d->growth =
		estmred_add(f, estmred_div_round(estmred_mul(f, current_rtt, acceleration), 1000),
			    estmred_mul(f, estmred_plus(relative, ESTMRED_ONE), rate));
	if (e->settings.count_drops)
		d->growth = estmred_add(
			f, d->growth,
			estmred_scale(f, estmred_sub(f, lost, lost_before), 1000000, us));
	lag = (u64)estmred_div_round(estmred_times(rtt, 1000),
				     e->settings.sampling_us << ESTMRED_SCALE);
	if (lag >= ESTMRED_SLOTS || lag >= s->written)
		return false;
	d->p = s->slots[(s->written - 1 - lag) % ESTMRED_SLOTS].p;
	d->quiet = s->slots[(s->written - 1 - lag) % ESTMRED_SLOTS].quiet;
	return true;
}

#endif
