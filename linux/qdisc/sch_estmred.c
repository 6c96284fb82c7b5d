// SPDX-License-Identifier: GPL-2.0-only
/*
 * ESTMRED: Random Early Detection that estimates the share of traffic which does
 * not respond to it.
 *
 * The queue is RED as the kernel has it (red.h), counted in bytes, in a queue of
 * its own. The estimator (estmred_core.h) sees each packet that arrives and what
 * becomes of it; it costs a few additions a packet and some divisions every
 * third of a round trip, all under the lock that the qdisc holds anyway.
 *
 * Z. Zhao, "Modeling and Estimation Techniques for Understanding Heterogeneous
 * Traffic Behavior", PhD dissertation, Texas A&M University, 2004, chapter III.
 */
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/skbuff.h>
#include <linux/string.h>
#include <net/inet_ecn.h>
#include <net/netlink.h>
#include <net/pkt_sched.h>
#include <net/red.h>

#include "estmred_core.h"
#include "pkt_estmred.h"

#define ESTMRED_ADAPT_US	(500 * USEC_PER_MSEC)

/* How the share moves RED's thresholds towards the limit (the idea that opens chapter IV). */
struct estmred_tune {
	u32 above;	/* share up to which they stay, scaled; 0: they always stay */
	u32 band;	/* how far beyond it they have reached the limit */
};

struct estmred_sched {
	u32			limit;		/* bytes */
	u32			qth_min;	/* thresholds as they were given, bytes */
	u32			qth_max;
	u32			moved;		/* of the way to the limit, scaled */
	struct estmred_tune	tune;
	unsigned char		flags;
	struct red_parms	parms;
	struct red_vars		vars;
	struct red_stats	stats;
	u64			adapted_us;
	u64			estimated_us;
	struct estmred_config	config;		/* its form is 0 when off */
	struct estmred_core	core;
};

/* The fields of the configuration that are plain numbers of 32 bits. */
static const struct {
	u16 type;
	u16 offset;
} estmred_fields[] = {
	{ TCA_ESTMRED_FORM, offsetof(struct estmred_config, form) },
	{ TCA_ESTMRED_AVPKT, offsetof(struct estmred_config, avpkt) },
	{ TCA_ESTMRED_DELAY, offsetof(struct estmred_config, delay) },
	{ TCA_ESTMRED_RTT, offsetof(struct estmred_config, rtt) },
	{ TCA_ESTMRED_SAMPLING, offsetof(struct estmred_config, sampling) },
	{ TCA_ESTMRED_INTERVAL, offsetof(struct estmred_config, interval) },
	{ TCA_ESTMRED_CLOCK, offsetof(struct estmred_config, clock) },
	{ TCA_ESTMRED_COUNT_DROPS, offsetof(struct estmred_config, count_drops) },
	{ TCA_ESTMRED_GAMMA1, offsetof(struct estmred_config, gamma1) },
	{ TCA_ESTMRED_GAMMA2, offsetof(struct estmred_config, gamma2) },
	{ TCA_ESTMRED_BACKLOG_ALPHA, offsetof(struct estmred_config, backlog_alpha) },
	{ TCA_ESTMRED_SIGNAL_ALPHA, offsetof(struct estmred_config, signal_alpha) },
	{ TCA_ESTMRED_DROP_ALPHA, offsetof(struct estmred_config, drop_alpha) },
	{ TCA_ESTMRED_AVERAGE_ALPHA, offsetof(struct estmred_config, average_alpha) },
	{ TCA_ESTMRED_PZTHD, offsetof(struct estmred_config, pzthd) },
	{ TCA_ESTMRED_OFF, offsetof(struct estmred_config, off) },
	{ TCA_ESTMRED_START_ELSEWHERE, offsetof(struct estmred_config, start_elsewhere) },
};

static const struct nla_policy estmred_policy[TCA_ESTMRED_MAX + 1] = {
	[TCA_ESTMRED_UNSPEC] = { .strict_start_type = TCA_ESTMRED_UNSPEC + 1 },
	[TCA_ESTMRED_PARMS] = NLA_POLICY_EXACT_LEN(sizeof(struct tc_red_qopt)),
	[TCA_ESTMRED_STAB] = NLA_POLICY_EXACT_LEN(RED_STAB_SIZE),
	[TCA_ESTMRED_MAX_P] = { .type = NLA_U32 },
	[TCA_ESTMRED_FORM] = NLA_POLICY_MAX(NLA_U32, ESTMRED_FORM_MULTI_HOP),
	[TCA_ESTMRED_BANDWIDTH] = { .type = NLA_U64 },
	[TCA_ESTMRED_AVPKT] = { .type = NLA_U32 },
	[TCA_ESTMRED_DELAY] = { .type = NLA_U32 },
	[TCA_ESTMRED_RTT] = { .type = NLA_U32 },
	[TCA_ESTMRED_SAMPLING] = { .type = NLA_U32 },
	[TCA_ESTMRED_INTERVAL] = { .type = NLA_U32 },
	[TCA_ESTMRED_CLOCK] = { .type = NLA_U32 },
	[TCA_ESTMRED_COUNT_DROPS] = NLA_POLICY_MAX(NLA_U32, 1),
	[TCA_ESTMRED_GAMMA1] = { .type = NLA_U32 },
	[TCA_ESTMRED_GAMMA2] = { .type = NLA_U32 },
	[TCA_ESTMRED_BACKLOG_ALPHA] = { .type = NLA_U32 },
	[TCA_ESTMRED_SIGNAL_ALPHA] = { .type = NLA_U32 },
	[TCA_ESTMRED_DROP_ALPHA] = { .type = NLA_U32 },
	[TCA_ESTMRED_AVERAGE_ALPHA] = { .type = NLA_U32 },
	[TCA_ESTMRED_PZTHD] = { .type = NLA_U32 },
	[TCA_ESTMRED_OFF] = { .type = NLA_U32 },
	[TCA_ESTMRED_START_FLOWS] = { .type = NLA_U64 },
	[TCA_ESTMRED_START_LOAD] = { .type = NLA_U64 },
	[TCA_ESTMRED_START_ELSEWHERE] = { .type = NLA_U32 },
	[TCA_ESTMRED_TUNE_ABOVE] = NLA_POLICY_MAX(NLA_U32, ESTMRED_ONE),
	[TCA_ESTMRED_TUNE_BAND] = NLA_POLICY_MAX(NLA_U32, ESTMRED_ONE),
};

static const char *const estmred_messages[] = {
	[ESTMRED_BAD_BANDWIDTH] = "estmred: bandwidth: expected 1000 to 2^40 bytes/s",
	[ESTMRED_BAD_AVPKT] = "estmred: avpkt: expected 1 to 65535 bytes",
	[ESTMRED_BAD_DELAY] = "estmred: delay: expected 5 us to 500 s one way",
	[ESTMRED_BAD_RTT] = "estmred: rtt: expected 10 us to 1000 s",
	[ESTMRED_BAD_CLOCK] = "estmred: clock: expected at most 1 s",
	[ESTMRED_BAD_SAMPLING] =
		"estmred: sampling: expected, in whole ticks of the clock, 1/100 to all of a round trip",
	[ESTMRED_BAD_INTERVAL] = "estmred: interval: expected 1 to 65535 sampling intervals",
	[ESTMRED_BAD_FORM] = "estmred: form: expected 0, 1 or 2",
	[ESTMRED_BAD_GAMMA1] = "estmred: gamma1: expected at most 131072",
	[ESTMRED_BAD_GAMMA2] = "estmred: gamma2: expected a number above 0 and below 2",
	[ESTMRED_BAD_ALPHA] = "estmred: forgetting factors: expected numbers from 0 to below 1",
	[ESTMRED_BAD_START] = "estmred: start values: out of range",
};

static u64 estmred_now_us(const struct estmred_sched *q)
{
	u64 now = div_u64(ktime_get_ns(), NSEC_PER_USEC);
	u32 into_tick;

	if (!q->config.clock)
		return now;
	div_u64_rem(now, q->config.clock, &into_tick);
	return now - into_tick;
}

/* Between given and limit, so many 2^14ths of the way. */
static u32 estmred_threshold(const struct estmred_sched *q, u32 given)
{
	return given >= q->limit ? given :
				   given + (((u64)(q->limit - given) * q->moved) >> ESTMRED_SCALE);
}

/* Puts RED's thresholds where they belong; red_set_parms() would have started it anew. */
static void estmred_place(struct estmred_sched *q)
{
	struct red_parms *p = &q->parms;
	u32 low = estmred_threshold(q, q->qth_min);
	u32 high = estmred_threshold(q, q->qth_max);
	u32 delta = max_t(u32, high - low, 1);

	p->qth_min = low << p->Wlog;
	p->qth_max = high << p->Wlog;
	p->qth_delta = delta;
	p->max_P_reciprocal = reciprocal_value(max_t(u32, p->max_P / delta, 1));
	p->target_min = (low + 2 * (delta / 5)) << p->Wlog;
	p->target_max = (low + 3 * (delta / 5)) << p->Wlog;
}

/* In proportion to the share within the band. What is not known yet moves nothing. */
static void estmred_tune_by(struct estmred_sched *q, s32 share)
{
	u32 moved;

	if (!q->tune.above || share < 0 || (q->core.estimate.flags & ESTMRED_WARMING_UP))
		return;
	if (share <= q->tune.above)
		moved = 0;
	else if (share - q->tune.above >= q->tune.band)
		moved = ESTMRED_ONE;
	else
		moved = ((share - q->tune.above) << ESTMRED_SCALE) / q->tune.band;
	if (moved == q->moved)
		return;
	q->moved = moved;
	estmred_place(q);
}

/* Tells the estimator of a packet that arrived when the queue was as long as backlog. */
static void estmred_observe(struct estmred_sched *q, u32 backlog, u32 len, bool dropped,
			    bool marked)
{
	struct estmred_sample sample = {
		.backlog = backlog,
		.arrived = len,
		.dropped = dropped ? len : 0,
		.marked = marked ? len : 0,
	};
	u64 now;

	if (!q->config.form || estmred_sleeps(&q->core, &sample))
		return;
	now = estmred_now_us(q);
	if (estmred_take(&q->core, now, &sample)) {
		q->estimated_us = now;
		estmred_tune_by(q, q->core.estimate.average);
	}
}

/* Adaptive RED, at the first packet that comes half a second after the last time. */
static void estmred_adapt(struct estmred_sched *q)
{
	u64 now;

	if (likely(!(q->flags & TC_RED_ADAPTATIVE)))
		return;
	now = div_u64(ktime_get_ns(), NSEC_PER_USEC);
	if (now - q->adapted_us >= ESTMRED_ADAPT_US) {
		red_adaptative_algo(&q->parms, &q->vars);
		q->adapted_us = now;
	}
}

/* What RED does with a packet that it has chosen: false when it is to be dropped. */
static bool estmred_notify(struct estmred_sched *q, struct sk_buff *skb, bool forced, bool *marked)
{
	bool ecn = (q->flags & TC_RED_ECN) && !(forced && (q->flags & TC_RED_HARDDROP));

	if (ecn && INET_ECN_set_ce(skb)) {
		*marked = true;
		if (forced)
			q->stats.forced_mark++;
		else
			q->stats.prob_mark++;
		return true;
	}
	if (ecn && (q->flags & TC_RED_NODROP))
		return true;
	if (forced)
		q->stats.forced_drop++;
	else
		q->stats.prob_drop++;
	return false;
}

static int estmred_enqueue(struct sk_buff *skb, struct Qdisc *sch, struct sk_buff **to_free)
{
	struct estmred_sched *q = qdisc_priv(sch);
	u32 backlog = sch->qstats.backlog;
	u32 len = qdisc_pkt_len(skb);
	bool marked = false;
	int action;

	q->vars.qavg = red_calc_qavg(&q->parms, &q->vars, backlog);
	if (red_is_idling(&q->vars))
		red_end_of_idle_period(&q->vars);
	estmred_adapt(q);

	/* All of the way to the limit it is drop-tail. */
	action = q->moved == ESTMRED_ONE ? RED_DONT_MARK :
					   red_action(&q->parms, &q->vars, q->vars.qavg);
	if (action != RED_DONT_MARK) {
		qdisc_qstats_overlimit(sch);
		if (!estmred_notify(q, skb, action == RED_HARD_MARK, &marked)) {
			estmred_observe(q, backlog, len, true, false);
			qdisc_drop(skb, sch, to_free);
			return NET_XMIT_CN;
		}
	}
	if (unlikely((u64)backlog + len > q->limit)) {
		q->stats.pdrop++;
		estmred_observe(q, backlog, len, true, false);
		return qdisc_drop(skb, sch, to_free);
	}
	estmred_observe(q, backlog, len, false, marked);
	return qdisc_enqueue_tail(skb, sch);
}

static struct sk_buff *estmred_dequeue(struct Qdisc *sch)
{
	struct estmred_sched *q = qdisc_priv(sch);
	struct sk_buff *skb = qdisc_dequeue_head(sch);

	if (!skb && !red_is_idling(&q->vars))
		red_start_of_idle_period(&q->vars);
	return skb;
}

static void estmred_reset(struct Qdisc *sch)
{
	struct estmred_sched *q = qdisc_priv(sch);

	qdisc_reset_queue(sch);
	red_restart(&q->vars);
	if (q->config.form) {
		struct estmred_settings settings = q->core.settings;

		estmred_begin(&q->core, &settings);
	}
}

static void estmred_read_config(struct nlattr **tb, struct estmred_config *config)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(estmred_fields); i++) {
		struct nlattr *attr = tb[estmred_fields[i].type];

		if (attr)
			*(u32 *)((char *)config + estmred_fields[i].offset) = nla_get_u32(attr);
	}
	if (tb[TCA_ESTMRED_BANDWIDTH])
		config->bandwidth = nla_get_u64(tb[TCA_ESTMRED_BANDWIDTH]);
	if (tb[TCA_ESTMRED_START_FLOWS])
		config->start_flows = nla_get_u64(tb[TCA_ESTMRED_START_FLOWS]);
	if (tb[TCA_ESTMRED_START_LOAD])
		config->start_load = nla_get_u64(tb[TCA_ESTMRED_START_LOAD]);
}

/*
 * What is wrong with a configuration. One that is off is checked as if it were
 * on, once it says enough of the link: a value is refused when it is given.
 */
static enum estmred_fault estmred_prepare(const struct estmred_config *config,
					  struct estmred_settings *settings)
{
	struct estmred_config on = *config;

	if (!on.form) {
		if (!on.bandwidth || !on.avpkt || !(on.delay || on.rtt))
			return ESTMRED_OK;
		on.form = ESTMRED_FORM_BASIC;
	}
	return estmred_resolve(&on, settings);
}

/* Puts settings of the estimator in place; a change of them starts it anew. */
static void estmred_set_config(struct estmred_sched *q, const struct estmred_config *config,
			       const struct estmred_settings *settings)
{
	if (!memcmp(config, &q->config, sizeof(*config)))
		return;
	q->config = *config;
	q->estimated_us = 0;
	if (config->form)
		estmred_begin(&q->core, settings);
	else
		memset(&q->core, 0, sizeof(q->core));
}

static void estmred_set_red(struct estmred_sched *q, const struct tc_red_qopt *opt, u8 *stab,
			    u32 max_p)
{
	q->limit = opt->limit;
	q->flags = opt->flags;
	red_set_parms(&q->parms, opt->qth_min, opt->qth_max, opt->Wlog, opt->Plog, opt->Scell_log,
		      stab, max_p);
	red_set_vars(&q->vars);
	q->qth_min = opt->qth_min;
	q->qth_max = opt->qth_max;
}

static void estmred_set_tune(struct estmred_sched *q, struct nlattr **tb)
{
	if (tb[TCA_ESTMRED_TUNE_ABOVE])
		q->tune.above = nla_get_u32(tb[TCA_ESTMRED_TUNE_ABOVE]);
	if (tb[TCA_ESTMRED_TUNE_BAND])
		q->tune.band = nla_get_u32(tb[TCA_ESTMRED_TUNE_BAND]);
	if (!q->tune.above || !q->config.form)
		q->moved = 0;
	estmred_place(q);
}

static int estmred_check_red(const struct tc_red_qopt *opt, u8 *stab,
			     struct netlink_ext_ack *extack)
{
	if (opt->flags & ~(TC_RED_HISTORIC_FLAGS | TC_RED_NODROP)) {
		NL_SET_ERR_MSG_MOD(extack, "unknown flag");
		return -EINVAL;
	}
	if (!opt->limit) {
		NL_SET_ERR_MSG_MOD(extack, "limit: expected at least 1 byte");
		return -EINVAL;
	}
	/* 255 cells must fit into 32 bits. */
	if (opt->Scell_log > 23 || opt->Plog > 31 || !opt->qth_max ||
	    !red_check_params(opt->qth_min, opt->qth_max, opt->Wlog, opt->Scell_log, stab)) {
		NL_SET_ERR_MSG_MOD(
			extack,
			"min, max and burst: expected min <= max, both below 2^(31 - ewma)");
		return -EINVAL;
	}
	return red_validate_flags(opt->flags, extack);
}

static int estmred_change(struct Qdisc *sch, struct nlattr *opt, struct netlink_ext_ack *extack)
{
	struct estmred_sched *q = qdisc_priv(sch);
	struct nlattr *tb[TCA_ESTMRED_MAX + 1];
	struct estmred_settings settings = {};
	struct estmred_config config = q->config;
	struct tc_red_qopt *red = NULL;
	enum estmred_fault fault;
	u8 *stab = NULL;
	u32 max_p;
	int err;

	err = nla_parse(tb, TCA_ESTMRED_MAX, nla_data(opt), nla_len(opt), estmred_policy, extack);
	if (err < 0)
		return err;
	if (tb[TCA_ESTMRED_STAB])
		stab = nla_data(tb[TCA_ESTMRED_STAB]);
	if (tb[TCA_ESTMRED_PARMS]) {
		red = nla_data(tb[TCA_ESTMRED_PARMS]);
		err = estmred_check_red(red, stab, extack);
		if (err < 0)
			return err;
	}
	if (!q->limit && (!red || !stab)) {
		NL_SET_ERR_MSG_MOD(extack, "limit, min and max are needed");
		return -EINVAL;
	}
	estmred_read_config(tb, &config);
	fault = estmred_prepare(&config, &settings);
	if (fault) {
		if (extack)
			extack->_msg = estmred_messages[fault];
		return -EINVAL;
	}
	max_p = tb[TCA_ESTMRED_MAX_P] ? nla_get_u32(tb[TCA_ESTMRED_MAX_P]) : 0;

	sch_tree_lock(sch);
	if (red)
		estmred_set_red(q, red, stab, max_p);
	estmred_set_config(q, &config, &settings);
	estmred_set_tune(q, tb);
	if (!sch->q.qlen)
		red_start_of_idle_period(&q->vars);
	sch_tree_unlock(sch);
	return 0;
}

static int estmred_init(struct Qdisc *sch, struct nlattr *opt, struct netlink_ext_ack *extack)
{
	struct estmred_sched *q = qdisc_priv(sch);

	if (!opt) {
		NL_SET_ERR_MSG_MOD(extack, "limit, min and max are needed");
		return -EINVAL;
	}
	estmred_defaults(&q->config);
	q->config.form = 0;
	q->tune.band = ESTMRED_ONE / 10;
	q->vars.qcount = -1;
	return estmred_change(sch, opt, extack);
}

static int estmred_dump_config(struct sk_buff *skb, const struct estmred_sched *q)
{
	const struct estmred_config *config = &q->config;
	int i;

	for (i = 0; i < ARRAY_SIZE(estmred_fields); i++) {
		const char *field = (const char *)config + estmred_fields[i].offset;

		if (nla_put_u32(skb, estmred_fields[i].type, *(const u32 *)field))
			return -EMSGSIZE;
	}
	if (nla_put_u64_64bit(skb, TCA_ESTMRED_BANDWIDTH, config->bandwidth, TCA_ESTMRED_PAD) ||
	    nla_put_u64_64bit(skb, TCA_ESTMRED_START_FLOWS, config->start_flows, TCA_ESTMRED_PAD) ||
	    nla_put_u64_64bit(skb, TCA_ESTMRED_START_LOAD, config->start_load, TCA_ESTMRED_PAD) ||
	    nla_put_u32(skb, TCA_ESTMRED_TUNE_ABOVE, q->tune.above) ||
	    nla_put_u32(skb, TCA_ESTMRED_TUNE_BAND, q->tune.band))
		return -EMSGSIZE;
	return 0;
}

static int estmred_dump(struct Qdisc *sch, struct sk_buff *skb)
{
	struct estmred_sched *q = qdisc_priv(sch);
	struct tc_red_qopt opt = {
		.limit = q->limit,
		.flags = q->flags,
		.qth_min = q->qth_min,
		.qth_max = q->qth_max,
		.Wlog = q->parms.Wlog,
		.Plog = q->parms.Plog,
		.Scell_log = q->parms.Scell_log,
	};
	struct nlattr *nest = nla_nest_start_noflag(skb, TCA_OPTIONS);

	if (!nest)
		return -EMSGSIZE;
	if (nla_put(skb, TCA_ESTMRED_PARMS, sizeof(opt), &opt) ||
	    nla_put_u32(skb, TCA_ESTMRED_MAX_P, q->parms.max_P) ||
	    estmred_dump_config(skb, q)) {
		nla_nest_cancel(skb, nest);
		return -EMSGSIZE;
	}
	return nla_nest_end(skb, nest);
}

static void estmred_tell(const struct estmred_sched *q, struct tc_estmred_xstats *st)
{
	const struct estmred_estimate *estimate = &q->core.estimate;

	st->state = q->core.asleep ? TC_ESTMRED_ASLEEP : TC_ESTMRED_ESTIMATES;
	st->estimates = q->core.estimates;
	st->sleeps = q->core.sleeps;
	if (q->core.estimates)
		st->age_us = div_u64(ktime_get_ns(), NSEC_PER_USEC) - q->estimated_us;
	st->arrived = estimate->arrived;
	st->flows = estimate->n_s;
	st->load = estimate->z0;
	st->rtt_ms = estimate->rtt_ms;
	memcpy(st->beta, q->core.beta, sizeof(st->beta));
	st->share = estimate->share;
	st->average = estimate->average;
	st->excitation = estimate->excitation;
	st->quality = estimate->flags;
}

static int estmred_dump_stats(struct Qdisc *sch, struct gnet_dump *d)
{
	struct estmred_sched *q = qdisc_priv(sch);
	struct tc_estmred_xstats st = { .share = -1, .average = -1 };

	/* The estimate is several numbers, which belong together. */
	sch_tree_lock(sch);
	if (q->config.form)
		estmred_tell(q, &st);
	st.prob_drop = q->stats.prob_drop;
	st.forced_drop = q->stats.forced_drop;
	st.pdrop = q->stats.pdrop;
	st.prob_mark = q->stats.prob_mark;
	st.forced_mark = q->stats.forced_mark;
	st.average_backlog = q->vars.qavg >> q->parms.Wlog;
	st.max_p = q->parms.max_P;
	st.min_now = q->parms.qth_min >> q->parms.Wlog;
	st.max_now = q->parms.qth_max >> q->parms.Wlog;
	sch_tree_unlock(sch);
	return gnet_stats_copy_app(d, &st, sizeof(st));
}

static struct Qdisc_ops estmred_qdisc_ops __read_mostly = {
	.id		= "estmred",
	.priv_size	= sizeof(struct estmred_sched),
	.enqueue	= estmred_enqueue,
	.dequeue	= estmred_dequeue,
	.peek		= qdisc_peek_head,
	.init		= estmred_init,
	.reset		= estmred_reset,
	.change		= estmred_change,
	.dump		= estmred_dump,
	.dump_stats	= estmred_dump_stats,
	.owner		= THIS_MODULE,
};

static int __init estmred_module_init(void)
{
	return register_qdisc(&estmred_qdisc_ops);
}

static void __exit estmred_module_exit(void)
{
	unregister_qdisc(&estmred_qdisc_ops);
}

module_init(estmred_module_init)
module_exit(estmred_module_exit)
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("RED that estimates the share of non-responsive traffic");
