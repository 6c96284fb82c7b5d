/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The share of traffic at a queue that does not respond to drops and marks, in
 * whole numbers (Z. Zhao, "Modeling and Estimation Techniques for Understanding
 * Heterogeneous Traffic Behavior", Texas A&M, 2004, chapters II and III).
 *
 * One sample for each packet that arrives; each RTT/3 a step of the recursion
 * (2.16), each 7 RTT an estimate. Constant time and memory, no allocation, no
 * floating point. crates/estimators/src/nonresponsive/estmred gives equal bits.
 */
#ifndef ESTMRED_CORE_H
#define ESTMRED_CORE_H

#include "estmred_signals.h"

/* z0 = sqrt(beta0 beta1); 0 where that has no meaning. */
static inline s64 estmred_load(struct estmred_core *e)
{
	if (e->beta[0] > 0 && e->beta[1] > 0)
		return estmred_geometric_mean(&e->fixed, e->beta[0], e->beta[1]);
	e->sums.flags |= ESTMRED_OUT_OF_RANGE;
	return 0;
}

/*
 * beta += e gamma2 W / (gamma1 + W^T W), eq. 2.16; divided last, so that the
 * small step keeps its digits.
 */
static inline void estmred_project(struct estmred_core *e, const struct estmred_dynamics *d,
				   s64 rtt)
{
	struct estmred_fixed *f = &e->fixed;
	s64 first = estmred_div(f, 1000 * ESTMRED_ONE, rtt);
	s64 w[3] = {
		first,
		-estmred_round_shift(estmred_mul(f, d->p, first), 1),
		-estmred_round_shift(first, 1),
	};
	int i, unknowns = e->settings.multi_hop ? 3 : 2;
	s64 error = d->growth, norm = e->settings.gamma1, gained;

	for (i = 0; i < unknowns; i++) {
		error = estmred_sub(f, error, estmred_mul(f, w[i], e->beta[i]));
		norm = estmred_add(f, norm, estmred_mul(f, w[i], w[i]));
	}
	gained = estmred_mul(f, error, e->settings.gamma2);
	for (i = 0; i < unknowns; i++)
		e->beta[i] = estmred_add(f, e->beta[i],
					 estmred_div(f, estmred_mul(f, gained, w[i]), norm));
	e->sums.regressions++;
	e->sums.p += d->p;
	e->sums.p_squared += d->p * d->p;
}

/* z(t + T) = z(t) + z' T while nothing is dropped, eq. 2.17. */
static inline s64 estmred_extrapolate(struct estmred_core *e, s64 growth, s64 us)
{
	s64 last = e->extrapolates ? e->extrapolated : estmred_load(e);
	s64 next = estmred_add(&e->fixed, last, estmred_scale(&e->fixed, growth, us, 1000000));

	e->sums.flags |= ESTMRED_EXTRAPOLATED | (next < 0 ? ESTMRED_OUT_OF_RANGE : 0);
	e->extrapolates = true;
	e->extrapolated = max_t(s64, next, 0);
	return e->extrapolated;
}

/* z0 after a sampling interval. */
static inline s64 estmred_follow(struct estmred_core *e, bool measured,
				 const struct estmred_dynamics *d, s64 rtt, s64 us)
{
	if (!measured) {
		e->sums.flags |= ESTMRED_WARMING_UP;
		return e->extrapolates ? e->extrapolated : estmred_load(e);
	}
	if (d->quiet >= e->settings.zero_drops_after)
		return estmred_extrapolate(e, d->growth, us);
	e->extrapolates = false;
	estmred_project(e, d, rtt);
	return estmred_load(e);
}

static inline void estmred_sum(struct estmred_core *e, const struct estmred_partial *ended,
			       s64 packets, s64 rtt, s64 z0, s64 us)
{
	struct estmred_sums *s = &e->sums;
	s64 offered = estmred_scale(&e->fixed, rtt, (s64)ended->arrived * 1000, us);

	s->usable++;
	s->empty += packets < ESTMRED_ONE / 2;
	s->us = estmred_plus(s->us, us);
	s->z0 = estmred_add(&e->fixed, s->z0, z0);
	s->offered = estmred_add(&e->fixed, s->offered, offered);
	s->rtt = estmred_add(&e->fixed, s->rtt, rtt);
	s->arrived = estmred_plus_u(s->arrived, ended->arrived);
	s->accepted =
		estmred_plus_u(s->accepted, ended->arrived - min(ended->dropped, ended->arrived));
	s->notified = estmred_plus_u(s->notified, ended->dropped + ended->marked);
	s->flags |= e->signals.until_filled ? ESTMRED_WARMING_UP : 0;
}

static inline void estmred_end_sample(struct estmred_core *e, const struct estmred_partial *ended,
				      s64 us)
{
	struct estmred_fixed *f = &e->fixed;
	struct estmred_signals *s = &e->signals;
	struct estmred_dynamics d = { 0 };
	s64 bytes, packets, current_rtt, rtt, lost;
	bool measured;

	e->sums.samples++;
	if (ended->bad) {
		e->sums.flags |= ESTMRED_BAD_SAMPLE;
		estmred_skip(s);
		return;
	}
	if (s->until_filled)
		s->until_filled--;
	bytes = estmred_div_round((s64)ended->backlog, (s64)ended->calls);
	packets = estmred_div_round(bytes << ESTMRED_SCALE, e->settings.mean_packet_bytes);
	s->backlog =
		estmred_filter(f, s->has_backlog, e->settings.backlog_alpha, s->backlog, packets);
	current_rtt = estmred_div(f, estmred_times(s->backlog, 1000), e->settings.capacity);
	current_rtt = max_t(s64, estmred_add(f, current_rtt, e->settings.propagation), 1);
	rtt = e->settings.rtt ? e->settings.rtt : current_rtt;
	lost = e->settings.count_drops ? estmred_lost(e, ended->dropped, current_rtt, us) : 0;
	s->has_backlog = true;
	estmred_take_signals(e, ended);
	measured = estmred_measure(e, s->backlog, lost, current_rtt, rtt, us, &d);
	estmred_sum(e, ended, packets, rtt, estmred_follow(e, measured, &d, rtt, us), us);
}

/* Var p / E[p^2]; the squares keep 28 bits after the point. */
static inline s64 estmred_excitation(struct estmred_fixed *f, const struct estmred_sums *s)
{
	s64 count = max_t(s64, s->regressions, 1);
	s64 mean = estmred_div_round(s->p, count);
	s64 mean_square = estmred_div_round(s->p_squared, count);

	if (!mean_square)
		return 0;
	return estmred_div(f, max_t(s64, mean_square - mean * mean, 0), mean_square);
}

static inline u32 estmred_findings(const struct estmred_core *e)
{
	const struct estmred_sums *s = &e->sums;
	s64 accepted = estmred_div_round((s64)min_t(u64, s->accepted, S64_MAX),
					 e->settings.mean_packet_bytes);
	s64 possible = div64_s64(
		estmred_times(estmred_round_shift(e->settings.capacity, ESTMRED_SCALE), s->us),
		1000000);
	u32 flags = e->settings.multi_hop ? ESTMRED_START_DEPENDENT : 0;

	if (s->empty * 10 >= s->usable)
		flags |= ESTMRED_EMPTY_QUEUE;
	if (estmred_times(accepted, 100) < estmred_times(possible, 95))
		flags |= ESTMRED_NOT_CONGESTED;
	if (!s->notified)
		flags |= ESTMRED_NO_DROPS;
	return flags;
}

/* 1 - z0 / (z + D); -1 where nothing arrived. */
static inline s64 estmred_share(struct estmred_core *e, s64 z0, s64 offered, u32 *flags)
{
	s64 share;

	if (offered <= 0)
		return -1;
	share = estmred_plus(ESTMRED_ONE, -estmred_div(&e->fixed, z0, offered));
	if (share < 0)
		*flags |= ESTMRED_OUT_OF_RANGE;
	return clamp_t(s64, share, 0, ESTMRED_ONE);
}

/*
 * An estimation interval's mean z0 and z + D, filtered into the average: about
 * 200 intervals, 140 s with the document's settings, until what was before is
 * forgotten (III.C).
 */
static inline void estmred_weigh(struct estmred_core *e, s64 z0, s64 offered)
{
	struct estmred_average *a = &e->average;

	a->z0 = estmred_filter(&e->fixed, a->exists, e->settings.average_alpha, a->z0, z0);
	a->offered = estmred_filter(&e->fixed, a->exists, e->settings.average_alpha, a->offered,
				    offered);
	a->exists = true;
}

static inline void estmred_close(struct estmred_core *e)
{
	struct estmred_sums *s = &e->sums;
	struct estmred_estimate *estimate = &e->estimate;
	s64 usable = max_t(s64, s->usable, 1);
	s64 offered = estmred_div_round(s->offered, e->settings.mean_packet_bytes);
	s64 z0 = estmred_div_round(s->z0, usable);
	u32 of_average = 0;

	if (s->usable)
		estmred_weigh(e, z0, estmred_div_round(offered, usable));
	estimate->flags = s->flags | estmred_findings(e);
	estimate->share = estmred_share(e, s->z0, offered, &estimate->flags);
	estimate->average = estmred_share(e, e->average.z0, e->average.offered, &of_average);
	estimate->n_s = e->beta[0];
	estimate->z0 = z0;
	estimate->rtt_ms = estmred_div_round(s->rtt, usable);
	estimate->arrived = s->arrived;
	estimate->excitation = estmred_excitation(&e->fixed, s);
	if (estimate->excitation < ESTMRED_ONE / 100)
		estimate->flags |= ESTMRED_LOW_EXCITATION;
	if (e->fixed.saturated)
		estimate->flags |= ESTMRED_SATURATED;
	e->fixed.saturated = false;
	e->estimates++;
	memset(s, 0, sizeof(*s));
}

/*
 * Without drops for long there is nothing to estimate: what was measured is
 * forgotten, the parameters are kept, and packets cost nothing until the next
 * drop or mark.
 */
static inline bool estmred_sleeps(struct estmred_core *e, const struct estmred_sample *sample)
{
	if (!e->asleep)
		return false;
	e->asleep = !(sample->dropped | sample->marked);
	return e->asleep;
}

/*
 * Takes in what happened since the last call, at a time in microseconds that
 * does not go back. True when it ended an estimation interval.
 */
static inline bool estmred_take(struct estmred_core *e, u64 now_us,
				const struct estmred_sample *sample)
{
	struct estmred_partial ended;
	u64 us;

	if (estmred_sleeps(e, sample))
		return false;
	if (!e->partial.began) {
		e->partial.began = true;
		e->partial.began_us = now_us;
	}
	estmred_collect(&e->partial, sample);
	us = now_us - min(e->partial.began_us, now_us);
	if (us < (u64)e->settings.sampling_us)
		return false;
	ended = e->partial;
	memset(&e->partial, 0, sizeof(e->partial));
	e->partial.began = true;
	e->partial.began_us = now_us;
	estmred_end_sample(e, &ended, (s64)min(us, ESTMRED_MOST_US));
	if (e->signals.quiet >= e->settings.sleep_after) {
		e->asleep = true;
		e->sleeps++;
		estmred_forget(e);
		return false;
	}
	if (e->sums.samples < e->settings.estimation_samples)
		return false;
	estmred_close(e);
	return true;
}

#endif
