/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the estimator takes, says, and remembers.
 */
#ifndef ESTMRED_STATE_H
#define ESTMRED_STATE_H

#include "estmred_settings.h"

/* Sampling intervals that the delay line remembers; a power of 2. */
#define ESTMRED_SLOTS	128

/* More than any port holds or counts; what is above is taken for a fault. */
#define ESTMRED_MOST_BYTES	((u64)1 << 46)
#define ESTMRED_MOST_SUM	((u64)1 << 62)
#define ESTMRED_MOST_CALLS	((u64)1 << 32)
#define ESTMRED_MOST_US		((u64)1 << 40)

/* Reasons to doubt an estimate. */
#define ESTMRED_LOW_EXCITATION	0x001
#define ESTMRED_EMPTY_QUEUE	0x002
#define ESTMRED_NOT_CONGESTED	0x004
#define ESTMRED_NO_DROPS	0x008
#define ESTMRED_WARMING_UP	0x010
#define ESTMRED_BAD_SAMPLE	0x020
#define ESTMRED_OUT_OF_RANGE	0x040
#define ESTMRED_EXTRAPOLATED	0x080
#define ESTMRED_START_DEPENDENT	0x100
#define ESTMRED_SATURATED	0x200

/* A packet, or what happened since the last call, in bytes. */
struct estmred_sample {
	u64 backlog;	/* queue length now */
	u64 arrived;	/* dropped ones included */
	u64 dropped;
	u64 marked;
};

/* The last estimation interval; numbers are scaled. */
struct estmred_estimate {
	s64 share;		/* of arriving bytes that does not respond; -1: nothing arrived */
	s64 average;		/* the same, filtered by average_alpha; -1: none */
	s64 n_s;		/* responsive flows */
	s64 z0;			/* packets of theirs in a round trip: mean */
	s64 rtt_ms;		/* mean */
	s64 excitation;		/* Var p / E[p^2] */
	u64 arrived;		/* bytes */
	u32 flags;
};

/* The sampling interval under way. */
struct estmred_partial {
	bool began;
	bool bad;
	u64 began_us;
	u64 calls;
	u64 backlog;
	u64 arrived;
	u64 dropped;
	u64 marked;
};

struct estmred_slot {
	u32 p;		/* scaled */
	u32 quiet;	/* sampling intervals without a signal until then */
};

/* Filters, differences and the delay line. */
struct estmred_signals {
	s64 backlog;
	s64 p;
	s64 drops;
	s64 backlog_before;
	s64 rate_before;
	s64 lost_before;
	u64 written;
	u32 quiet;
	u32 until_filled;
	bool has_backlog;
	bool has_p;
	bool has_before;
	bool has_rate;
	struct estmred_slot slots[ESTMRED_SLOTS];
};

/* The estimation interval under way. */
struct estmred_sums {
	s64 usable;
	s64 empty;
	s64 us;
	s64 z0;
	s64 offered;	/* bytes in a round trip, z + D; the others are packets */
	s64 rtt;
	u64 arrived;
	u64 accepted;
	u64 notified;
	s64 regressions;
	s64 p;
	s64 p_squared;
	u32 samples;
	u32 flags;
};

/* z0 and z + D, filtered from one estimation interval to the next. */
struct estmred_average {
	s64 z0;
	s64 offered;
	bool exists;
};

struct estmred_core {
	struct estmred_settings settings;
	struct estmred_fixed fixed;
	struct estmred_partial partial;
	struct estmred_signals signals;
	struct estmred_sums sums;
	struct estmred_average average;
	struct estmred_estimate estimate;
	s64 beta[3];
	s64 extrapolated;
	bool extrapolates;
	bool asleep;
	u64 estimates;
	u64 sleeps;
};

/* What a sampling interval measured, scaled. */
struct estmred_dynamics {
	s64 growth;	/* chi, or chi + l', in packets/s */
	s64 p;		/* of a round trip ago */
	u32 quiet;
};

static inline void estmred_forget(struct estmred_core *e)
{
	memset(&e->partial, 0, sizeof(e->partial));
	memset(&e->signals, 0, sizeof(e->signals));
	memset(&e->sums, 0, sizeof(e->sums));
	memset(&e->average, 0, sizeof(e->average));
	e->signals.until_filled = e->settings.until_filled;
	e->extrapolates = false;
}

static inline void estmred_begin(struct estmred_core *e, const struct estmred_settings *s)
{
	memset(e, 0, sizeof(*e));
	e->settings = *s;
	memcpy(e->beta, s->beta, sizeof(e->beta));
	e->estimate.share = -1;
	e->estimate.average = -1;
	estmred_forget(e);
}

#endif
