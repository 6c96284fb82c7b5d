/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/* What the queue discipline estmred and its users say to each other by netlink. */
#ifndef PKT_ESTMRED_H
#define PKT_ESTMRED_H

#include <linux/types.h>

/* Options. "Scaled" is times 2^14. */
enum {
	TCA_ESTMRED_UNSPEC,
	TCA_ESTMRED_PARMS,		/* struct tc_red_qopt */
	TCA_ESTMRED_STAB,		/* 256 bytes, as TCA_RED_STAB */
	TCA_ESTMRED_MAX_P,		/* u32, 2^32 is 1 */
	TCA_ESTMRED_FORM,		/* u32: 0 off, 1 one hop, 2 several */
	TCA_ESTMRED_BANDWIDTH,		/* u64, bytes/s */
	TCA_ESTMRED_AVPKT,		/* u32, bytes */
	TCA_ESTMRED_DELAY,		/* u32, us one way */
	TCA_ESTMRED_RTT,		/* u32, us; 0: follows the queue */
	TCA_ESTMRED_SAMPLING,		/* u32, us; 0: a third of a round trip */
	TCA_ESTMRED_INTERVAL,		/* u32, sampling intervals */
	TCA_ESTMRED_CLOCK,		/* u32, us; 0: as fine as it is */
	TCA_ESTMRED_COUNT_DROPS,	/* u32, 0 or 1 */
	TCA_ESTMRED_GAMMA1,		/* u32, scaled; likewise the next ones */
	TCA_ESTMRED_GAMMA2,
	TCA_ESTMRED_BACKLOG_ALPHA,
	TCA_ESTMRED_SIGNAL_ALPHA,
	TCA_ESTMRED_DROP_ALPHA,
	TCA_ESTMRED_AVERAGE_ALPHA,
	TCA_ESTMRED_PZTHD,		/* u32, sampling intervals; 0: never */
	TCA_ESTMRED_OFF,		/* u32, sampling intervals; 0: never */
	TCA_ESTMRED_START_FLOWS,	/* u64, scaled; 0: from the load */
	TCA_ESTMRED_START_LOAD,		/* u64, scaled; 0: half of the capacity */
	TCA_ESTMRED_START_ELSEWHERE,	/* u32, scaled */
	TCA_ESTMRED_PAD,
	TCA_ESTMRED_TUNE_ABOVE,		/* u32, scaled share; 0: thresholds stay */
	TCA_ESTMRED_TUNE_BAND,		/* u32, scaled */
	__TCA_ESTMRED_MAX,
};

#define TCA_ESTMRED_MAX (__TCA_ESTMRED_MAX - 1)

enum tc_estmred_state {
	TC_ESTMRED_OFF,
	TC_ESTMRED_ESTIMATES,
	TC_ESTMRED_ASLEEP,	/* no drop or mark for long */
};

/* TCA_STATS_APP. New fields are appended. */
struct tc_estmred_xstats {
	__u64 estimates;	/* estimation intervals so far */
	__u64 sleeps;		/* how often it fell asleep */
	__u64 age_us;		/* since the last estimate */
	__u64 arrived;		/* bytes in that interval */
	__s64 flows;		/* N_s, scaled */
	__s64 load;		/* z0, packets in a round trip, scaled: mean */
	__s64 rtt_ms;		/* scaled: mean */
	__s64 beta[3];		/* parameters now, scaled */
	__s32 share;		/* scaled; -1: none */
	__s32 average;		/* scaled; -1: none */
	__u32 excitation;	/* scaled */
	__u32 quality;		/* reasons to doubt: ESTMRED_... of estmred_core.h */
	__u32 state;		/* enum tc_estmred_state */
	__u32 prob_drop;	/* packets dropped below the upper threshold */
	__u32 forced_drop;	/* above it */
	__u32 pdrop;		/* for want of room */
	__u32 prob_mark;
	__u32 forced_mark;
	__u32 average_backlog;	/* RED's, bytes */
	__u32 max_p;		/* now; 2^32 is 1 */
	__u32 min_now;		/* RED's thresholds as they are tuned, bytes */
	__u32 max_now;
};

#endif
