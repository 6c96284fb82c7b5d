// SPDX-License-Identifier: GPL-2.0
/*
 * tc's side of the queue discipline estmred: a plug-in that tc loads by itself
 * from its library folder, or from TC_LIB_DIR.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tc_plugin.h"

#include "estmred_core.h"
#include "pkt_estmred.h"

#define ROOM	2048	/* of the netlink message */

static void explain(FILE *to)
{
	fprintf(to,
		"Usage: ... estmred limit BYTES min BYTES max BYTES avpkt BYTES [ burst PACKETS ]\n"
		"	[ probability P ] [ adaptive ] [ ecn ] [ harddrop ] [ nodrop ]\n"
		"	[ bandwidth RATE ] [ delay TIME ] [ estimate { one-hop | multi-hop | off } ]\n"
		"	[ rtt { TIME | queue } ] [ sampling { TIME | auto } ] [ interval SAMPLES ]\n"
		"	[ clock { TIME | fine } ] [ count-drops { on | off } ] [ gamma1 X ] [ gamma2 X ]\n"
		"	[ backlog-alpha X ] [ signal-alpha X ] [ drop-alpha X ] [ average-alpha X ]\n"
		"	[ pzthd SAMPLES ] [ sleep SAMPLES ] [ start-flows X ] [ start-load PACKETS ]\n"
		"	[ start-elsewhere P ] [ tune-above { SHARE | never } ] [ tune-band X ]\n"
		"It estimates if delay (one way) and bandwidth are given. See tc-estmred(8).\n");
}

static int bad(const char *field, const char *value, const char *expected)
{
	fprintf(stderr, "estmred: %s: got \"%s\", expected %s\n", field, value, expected);
	return -1;
}

/* Everything that a command line can say. */
struct request {
	struct tc_red_qopt red;
	unsigned int avpkt;
	unsigned int burst;
	double probability;
	__u64 bandwidth;
	bool red_given;
	bool delay_given;
	bool form_given;
	bool given[TCA_ESTMRED_MAX + 1];
	__u64 value[TCA_ESTMRED_MAX + 1];
};

static void keep(struct request *r, int type, __u64 value)
{
	r->given[type] = true;
	r->value[type] = value;
}

/* A decimal number, not NaN, from low to high. */
static bool number(const char *text, double low, double high, double *value)
{
	char *end;

	*value = strtod(text, &end);
	return end != text && !*end && *value >= low && *value <= high;
}

/* Words that stand alone. */
static bool take_flag(struct request *r, const char *word)
{
	static const struct {
		const char *word;
		unsigned char flag;
	} flags[] = {
		{ "ecn", TC_RED_ECN },
		{ "harddrop", TC_RED_HARDDROP },
		{ "nodrop", TC_RED_NODROP },
		{ "adaptive", TC_RED_ADAPTATIVE },
		{ "adaptative", TC_RED_ADAPTATIVE },
	};
	size_t i;

	for (i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		if (!strcmp(word, flags[i].word)) {
			r->red.flags |= flags[i].flag;
			r->red_given = true;
			return true;
		}
	return false;
}

enum kind { SIZE, TIME, COUNT, SCALED };

/* Words that are followed by a value which goes to the kernel as a number. */
static const struct keyword {
	const char *word;
	int type;
	enum kind kind;
	const char *none;	/* the word for 0 */
	double low, high;	/* of SCALED */
} keywords[] = {
	{ "delay", TCA_ESTMRED_DELAY, TIME, NULL, 0, 0 },
	{ "rtt", TCA_ESTMRED_RTT, TIME, "queue", 0, 0 },
	{ "sampling", TCA_ESTMRED_SAMPLING, TIME, "auto", 0, 0 },
	{ "interval", TCA_ESTMRED_INTERVAL, COUNT, NULL, 0, 0 },
	{ "clock", TCA_ESTMRED_CLOCK, TIME, "fine", 0, 0 },
	{ "gamma1", TCA_ESTMRED_GAMMA1, SCALED, NULL, 0, 131072 },
	{ "gamma2", TCA_ESTMRED_GAMMA2, SCALED, NULL, 0, 2 },
	{ "backlog-alpha", TCA_ESTMRED_BACKLOG_ALPHA, SCALED, NULL, 0, 1 },
	{ "signal-alpha", TCA_ESTMRED_SIGNAL_ALPHA, SCALED, NULL, 0, 1 },
	{ "drop-alpha", TCA_ESTMRED_DROP_ALPHA, SCALED, NULL, 0, 1 },
	{ "average-alpha", TCA_ESTMRED_AVERAGE_ALPHA, SCALED, NULL, 0, 1 },
	{ "pzthd", TCA_ESTMRED_PZTHD, COUNT, "never", 0, 0 },
	{ "sleep", TCA_ESTMRED_OFF, COUNT, "never", 0, 0 },
	{ "start-flows", TCA_ESTMRED_START_FLOWS, SCALED, "auto", 0, 1e9 },
	{ "start-load", TCA_ESTMRED_START_LOAD, SCALED, "auto", 0, 1e9 },
	{ "start-elsewhere", TCA_ESTMRED_START_ELSEWHERE, SCALED, NULL, 0, 1 },
	{ "tune-above", TCA_ESTMRED_TUNE_ABOVE, SCALED, "never", 0, 1 },
	{ "tune-band", TCA_ESTMRED_TUNE_BAND, SCALED, NULL, 0, 1 },
};

#define KEYWORDS (sizeof(keywords) / sizeof(*keywords))

static int take_keyword(struct request *r, const struct keyword *k, const char *text)
{
	unsigned int count;
	__s64 nanoseconds;
	double x;

	if (k->none && !strcmp(text, k->none)) {
		keep(r, k->type, 0);
		return 0;
	}
	switch (k->kind) {
	case TIME:
		if (get_time64(&nanoseconds, text) || nanoseconds < 1000 ||
		    nanoseconds > 1000 * (__s64)1000000000)
			return bad(k->word, text, "a time from 1us to 1000s, such as 50ms");
		keep(r, k->type, (nanoseconds + 500) / 1000);
		return 0;
	case COUNT:
		if (get_unsigned(&count, text, 10))
			return bad(k->word, text, "a whole number");
		keep(r, k->type, count);
		return 0;
	default:
		if (!number(text, k->low, k->high, &x)) {
			char expected[80];

			snprintf(expected, sizeof(expected), "a number from %g to %g", k->low,
				 k->high);
			return bad(k->word, text, expected);
		}
		keep(r, k->type, llround(x * ESTMRED_ONE));
		return 0;
	}
}

static int take_size(const char *word, const char *text, unsigned int *size)
{
	if (get_size(size, text) || !*size)
		return bad(word, text, "a size, such as 60kB");
	return 0;
}

static int take_form(struct request *r, const char *text)
{
	static const char * const forms[] = { "off", "one-hop", "multi-hop" };
	unsigned int i;

	for (i = 0; i < 3; i++)
		if (!strcmp(text, forms[i])) {
			keep(r, TCA_ESTMRED_FORM, i);
			r->form_given = true;
			return 0;
		}
	return bad("estimate", text, "one-hop, multi-hop or off");
}

static int take_on_off(struct request *r, const char *text)
{
	bool on = !strcmp(text, "on");

	if (!on && strcmp(text, "off"))
		return bad("count-drops", text, "on or off");
	keep(r, TCA_ESTMRED_COUNT_DROPS, on);
	return 0;
}

/* A word and its value; 1 where there is no such word. */
static int take_pair(struct request *r, const char *word, const char *text)
{
	size_t i;

	for (i = 0; i < KEYWORDS; i++)
		if (!strcmp(word, keywords[i].word)) {
			r->delay_given |= keywords[i].type == TCA_ESTMRED_DELAY;
			return take_keyword(r, &keywords[i], text);
		}
	if (!strcmp(word, "estimate"))
		return take_form(r, text);
	if (!strcmp(word, "count-drops"))
		return take_on_off(r, text);
	if (!strcmp(word, "bandwidth")) {
		if (get_rate64(&r->bandwidth, text) || !r->bandwidth)
			return bad(word, text, "a rate, such as 100Mbit");
		keep(r, TCA_ESTMRED_BANDWIDTH, r->bandwidth);
		return 0;
	}
	if (!strcmp(word, "avpkt")) {
		if (take_size(word, text, &r->avpkt))
			return -1;
		keep(r, TCA_ESTMRED_AVPKT, r->avpkt);
		return 0;
	}
	r->red_given = true;
	if (!strcmp(word, "limit"))
		return take_size(word, text, &r->red.limit);
	if (!strcmp(word, "min"))
		return take_size(word, text, &r->red.qth_min);
	if (!strcmp(word, "max"))
		return take_size(word, text, &r->red.qth_max);
	if (!strcmp(word, "burst"))
		return get_unsigned(&r->burst, text, 0) ? bad(word, text, "a number of packets")
							: 0;
	if (!strcmp(word, "probability"))
		return number(text, 0, 1, &r->probability)
			       ? 0
			       : bad(word, text, "a number from 0 to 1");
	return 1;
}

static int missing(const char *what)
{
	fprintf(stderr, "estmred: %s\n", what);
	return -1;
}

/* RED's numbers from those of the command line, as tc-red(8) does it. */
static int finish_red(struct request *r, __u8 *stab)
{
	struct tc_red_qopt *red = &r->red;
	__u64 bandwidth = r->bandwidth ? r->bandwidth : 1250000;
	int wlog, scell, plog;

	if (!red->limit || !r->avpkt)
		return missing("limit and avpkt are needed, such as limit 60kB avpkt 1000");
	if (!red->qth_max)
		red->qth_max = red->limit / 4;
	if (!red->qth_min)
		red->qth_min = red->qth_max / 3;
	if (red->qth_min > red->qth_max || red->qth_max > red->limit)
		return missing("expected min <= max <= limit");
	if (!r->burst)
		r->burst = (2 * (__u64)red->qth_min + red->qth_max) / (3 * (__u64)r->avpkt);
	wlog = tc_red_eval_ewma(red->qth_min, r->burst, r->avpkt);
	if (wlog < 0)
		return missing("burst is too small: expected more than min / avpkt packets");
	if (wlog >= 10)
		fprintf(stderr,
			"estmred: warning: burst %u gives the average a memory of %u packets\n",
			r->burst, 1u << wlog);
	plog = tc_red_eval_P(red->qth_min, red->qth_max, r->probability);
	if (plog < 0)
		return missing("probability is too small for min and max");
	if (bandwidth > 0xffffffffull)
		bandwidth = 0xffffffffull;
	scell = tc_red_eval_idle_damping(wlog, r->avpkt, bandwidth, stab);
	if (scell < 0)
		return missing("idle damping cannot be computed for this bandwidth and avpkt");
	red->Wlog = wlog;
	red->Plog = plog;
	red->Scell_log = scell;
	return 0;
}

static bool is_64_bits(int type)
{
	return type == TCA_ESTMRED_BANDWIDTH || type == TCA_ESTMRED_START_FLOWS ||
	       type == TCA_ESTMRED_START_LOAD;
}

static int put(struct nlmsghdr *n, const struct request *r, const __u8 *stab, bool red)
{
	struct rtattr *tail = addattr_nest(n, ROOM, TCA_OPTIONS);
	int type;

	if (red) {
		addattr_l(n, ROOM, TCA_ESTMRED_PARMS, &r->red, sizeof(r->red));
		addattr_l(n, ROOM, TCA_ESTMRED_STAB, stab, 256);
		addattr32(n, ROOM, TCA_ESTMRED_MAX_P, (__u32)(r->probability * 4294967295.0));
	}
	for (type = TCA_ESTMRED_FORM; type <= TCA_ESTMRED_MAX; type++) {
		if (!r->given[type])
			continue;
		if (is_64_bits(type))
			addattr64(n, ROOM, type, r->value[type]);
		else
			addattr32(n, ROOM, type, r->value[type]);
	}
	addattr_nest_end(n, tail);
	return 0;
}

static int parse_qopt(struct qdisc_util *qu, int argc, char **argv, struct nlmsghdr *n,
		      const char *dev)
{
	struct request r = { .probability = 0.02 };
	bool adds = n->nlmsg_flags & NLM_F_CREATE;
	__u8 stab[256];

	for (; argc > 0; argc--, argv++) {
		int err;

		if (take_flag(&r, *argv))
			continue;
		if (!strcmp(*argv, "help")) {
			explain(stderr);
			return -1;
		}
		err = take_pair(&r, *argv, argc > 1 ? argv[1] : "");
		if (err > 0) {
			fprintf(stderr, "estmred: what is \"%s\"?\n", *argv);
			explain(stderr);
		}
		if (err)
			return -1;
		argc--;
		argv++;
	}
	if ((adds || r.red_given) && finish_red(&r, stab))
		return -1;
	if (adds && !r.form_given && r.delay_given)
		keep(&r, TCA_ESTMRED_FORM, ESTMRED_FORM_BASIC);
	return put(n, &r, stab, adds || r.red_given);
}

#include "q_estmred_print.h"

struct qdisc_util estmred_qdisc_util = {
	.id = "estmred",
	.parse_qopt = parse_qopt,
	.print_qopt = print_qopt,
	.print_xstats = print_xstats,
};
