/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Settings of the estimator: as an operator gives them, and as the arithmetic
 * wants them. crates/estimators/src/nonresponsive/estmred/config.rs is the same.
 */
#ifndef ESTMRED_SETTINGS_H
#define ESTMRED_SETTINGS_H

#include "estmred_fixed.h"

enum estmred_form {
	ESTMRED_FORM_BASIC = 1,		/* one congested hop, eq. 2.14 */
	ESTMRED_FORM_MULTI_HOP = 2,	/* further ones, eq. 2.23 */
};

/* Those said to be scaled are times 2^14. */
struct estmred_config {
	u64 bandwidth;		/* what the link sends, bytes/s */
	u32 avpkt;		/* mean packet, bytes */
	u32 delay;		/* one way without this queue, us */
	u32 rtt;		/* R0 in us; 0: follows the queue */
	u32 sampling;		/* us; 0: a third of a round trip */
	u32 interval;		/* sampling intervals to an estimate */
	u32 clock;		/* us that a tick lasts; 0: as fine as it is */
	u32 form;		/* enum estmred_form */
	u32 count_drops;	/* not 0: drops are in the queue's balance (2.18) */
	u32 gamma1;		/* scaled, as is all that follows but pzthd and off */
	u32 gamma2;
	u32 backlog_alpha;
	u32 signal_alpha;
	u32 drop_alpha;
	u32 average_alpha;
	u32 pzthd;		/* quiet sampling intervals until (2.17); 0: never */
	u32 off;		/* quiet sampling intervals until it sleeps; 0: never */
	u64 start_flows;	/* 0: from start_load, in windows of 6.3 packets */
	u64 start_load;		/* packets in a round trip; 0: half of the capacity */
	u32 start_elsewhere;	/* mean drop probability at other hops */
};

/* The field that is out of range. */
enum estmred_fault {
	ESTMRED_OK,
	ESTMRED_BAD_BANDWIDTH,
	ESTMRED_BAD_AVPKT,
	ESTMRED_BAD_DELAY,
	ESTMRED_BAD_RTT,
	ESTMRED_BAD_CLOCK,
	ESTMRED_BAD_SAMPLING,
	ESTMRED_BAD_INTERVAL,
	ESTMRED_BAD_FORM,
	ESTMRED_BAD_GAMMA1,
	ESTMRED_BAD_GAMMA2,
	ESTMRED_BAD_ALPHA,
	ESTMRED_BAD_START,
};

/* What the document prints (II.B, III.A, III.C), and what it leaves open. */
static inline void estmred_defaults(struct estmred_config *c)
{
	memset(c, 0, sizeof(*c));
	c->interval = 21;			/* 7 RTT */
	c->form = ESTMRED_FORM_BASIC;
	c->gamma1 = 5 * ESTMRED_ONE;
	c->gamma2 = 7373;			/* 0.45 */
	c->backlog_alpha = 3768;		/* 0.23 */
	c->signal_alpha = 13107;		/* 0.8 */
	c->drop_alpha = 9830;			/* 0.6 */
	c->average_alpha = 15974;		/* 0.975 */
	c->pzthd = 3;
	c->off = 210;				/* 70 RTT */
	c->start_elsewhere = 164;		/* 0.01 */
}

struct estmred_settings {
	s64 mean_packet_bytes;
	s64 sampling_us;
	s64 capacity;		/* packets/s, scaled */
	s64 propagation;	/* ms, scaled: a round trip without the queue */
	s64 rtt;		/* ms, scaled; 0: follows the queue */
	s64 gamma1;
	s64 gamma2;
	s64 backlog_alpha;
	s64 signal_alpha;
	s64 drop_alpha;
	s64 average_alpha;
	s64 beta[3];
	u32 zero_drops_after;
	u32 sleep_after;
	u32 estimation_samples;
	u32 until_filled;	/* samples until filters and differences are */
	bool multi_hop;
	bool count_drops;
};

/* Samples until less than a hundredth of a filter's first value is left. */
static inline u32 estmred_memory(s64 alpha)
{
	s64 left = ESTMRED_ONE;
	u32 samples = 0;

	while (left > ESTMRED_ONE / 100 && alpha > 0) {
		left = (left * alpha) >> ESTMRED_SCALE;
		samples++;
	}
	return samples;
}

static inline bool estmred_alphas_fit(const struct estmred_config *c)
{
	return c->backlog_alpha < ESTMRED_ONE && c->signal_alpha < ESTMRED_ONE &&
	       c->drop_alpha < ESTMRED_ONE && c->average_alpha < ESTMRED_ONE;
}

/* How far apart samples are, in whole ticks; 0 where that does not fit a round trip. */
static inline s64 estmred_sampling(const struct estmred_config *c, s64 round_trip)
{
	s64 sampling = c->sampling ? c->sampling : max_t(s64, div64_s64(round_trip, 3), 1);

	if (c->clock)
		sampling = div64_s64(sampling + c->clock - 1, c->clock) * c->clock;
	return sampling <= round_trip && sampling * 100 >= round_trip ? sampling : 0;
}

static inline enum estmred_fault estmred_check(const struct estmred_config *c)
{
	if (c->bandwidth < 1000 || c->bandwidth > (u64)1 << 40)
		return ESTMRED_BAD_BANDWIDTH;
	if (c->avpkt < 1 || c->avpkt > 65535)
		return ESTMRED_BAD_AVPKT;
	if (c->delay > 500000000 || (c->delay < 5 && !c->rtt))
		return ESTMRED_BAD_DELAY;
	if (c->rtt > 1000000000 || (c->rtt && c->rtt < 10))
		return ESTMRED_BAD_RTT;
	if (c->clock > 1000000)
		return ESTMRED_BAD_CLOCK;
	if (c->sampling > 1000000000)
		return ESTMRED_BAD_SAMPLING;
	if (c->interval < 1 || c->interval > 65535)
		return ESTMRED_BAD_INTERVAL;
	if (c->form != ESTMRED_FORM_BASIC && c->form != ESTMRED_FORM_MULTI_HOP)
		return ESTMRED_BAD_FORM;
	if (c->gamma1 > (u32)1 << 31)
		return ESTMRED_BAD_GAMMA1;
	if (c->gamma2 < 1 || c->gamma2 >= 2 * ESTMRED_ONE)
		return ESTMRED_BAD_GAMMA2;
	if (!estmred_alphas_fit(c))
		return ESTMRED_BAD_ALPHA;
	if (c->start_flows > (u64)1 << 44 || c->start_load > (u64)1 << 44 ||
	    c->start_elsewhere > ESTMRED_ONE)
		return ESTMRED_BAD_START;
	return ESTMRED_OK;
}

/* Start values of N_s, z0^2 / N_s and z0^2 S_P / N_s^2. */
static inline enum estmred_fault estmred_start(const struct estmred_config *c, s64 round_trip,
					       struct estmred_settings *s)
{
	struct estmred_fixed f = { 0 };
	s64 load = c->start_load ? (s64)c->start_load :
				   estmred_scale(&f, s->capacity, round_trip, 2000000);
	s64 flows = c->start_flows ? (s64)c->start_flows : estmred_scale(&f, load, 1000, 6325);

	s->beta[0] = max_t(s64, flows, 1);
	s->beta[1] = estmred_mul(&f, load, estmred_div(&f, load, s->beta[0]));
	s->beta[2] = estmred_mul(&f, s->beta[1], c->start_elsewhere);
	return f.saturated ? ESTMRED_BAD_START : ESTMRED_OK;
}

/* Settings of a configuration; they are whole only if the answer is ESTMRED_OK. */
static inline enum estmred_fault estmred_resolve(const struct estmred_config *c,
						 struct estmred_settings *s)
{
	enum estmred_fault fault = estmred_check(c);
	s64 round_trip = c->rtt ? (s64)c->rtt : 2 * (s64)c->delay;

	if (fault)
		return fault;
	memset(s, 0, sizeof(*s));
	s->mean_packet_bytes = c->avpkt;
	s->sampling_us = estmred_sampling(c, round_trip);
	if (!s->sampling_us)
		return ESTMRED_BAD_SAMPLING;
	s->capacity = estmred_div_round((s64)c->bandwidth * ESTMRED_ONE, c->avpkt);
	s->propagation = estmred_div_round(2 * (s64)c->delay * ESTMRED_ONE, 1000);
	s->rtt = estmred_div_round((s64)c->rtt * ESTMRED_ONE, 1000);
	s->gamma1 = c->gamma1;
	s->gamma2 = c->gamma2;
	s->backlog_alpha = c->backlog_alpha;
	s->signal_alpha = c->signal_alpha;
	s->drop_alpha = c->drop_alpha;
	s->average_alpha = c->average_alpha;
	s->zero_drops_after = c->pzthd ? c->pzthd : U32_MAX;
	s->sleep_after = c->off ? c->off : U32_MAX;
	s->estimation_samples = c->interval;
	s->multi_hop = c->form == ESTMRED_FORM_MULTI_HOP;
	s->count_drops = c->count_drops != 0;
	s->until_filled = estmred_memory(max(s->backlog_alpha, s->signal_alpha)) +
			  (u32)div64_s64(round_trip, s->sampling_us) + 2;
	if (s->count_drops)
		s->until_filled = max(s->until_filled, estmred_memory(s->drop_alpha) + 2);
	return estmred_start(c, round_trip, s);
}

#endif
