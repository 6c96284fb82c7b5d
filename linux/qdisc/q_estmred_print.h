/* SPDX-License-Identifier: GPL-2.0 */
/* What tc prints of a queue discipline estmred, as text and as JSON. */
#ifndef Q_ESTMRED_PRINT_H
#define Q_ESTMRED_PRINT_H

static double real(__s64 scaled)
{
	return scaled / (double)ESTMRED_ONE;
}

static __u64 word_of(struct rtattr *attr)
{
	__u64 wide = 0;
	__u32 narrow = 0;

	if (!attr)
		return 0;
	if (RTA_PAYLOAD(attr) >= sizeof(wide)) {
		memcpy(&wide, RTA_DATA(attr), sizeof(wide));
		return wide;
	}
	if (RTA_PAYLOAD(attr) >= sizeof(narrow))
		memcpy(&narrow, RTA_DATA(attr), sizeof(narrow));
	return narrow;
}

/* A time: as tc writes it in text, whole nanoseconds in JSON. */
static void print_time(const char *key, const char *format, __u64 us)
{
	char text[64];

	print_color_u64(PRINT_JSON, COLOR_NONE, key, NULL, us * 1000);
	print_color_string(PRINT_FP, COLOR_NONE, NULL, format, sprint_time64(us * 1000, text));
}

static void print_red(struct rtattr **tb)
{
	struct tc_red_qopt red;
	__u32 max_p = (__u32)word_of(tb[TCA_ESTMRED_MAX_P]);

	memcpy(&red, RTA_DATA(tb[TCA_ESTMRED_PARMS]), sizeof(red));
	print_color_size(PRINT_ANY, COLOR_NONE, "limit", "limit %s ", red.limit);
	print_color_size(PRINT_ANY, COLOR_NONE, "min", "min %s ", red.qth_min);
	print_color_size(PRINT_ANY, COLOR_NONE, "max", "max %s ", red.qth_max);
	print_color_size(PRINT_ANY, COLOR_NONE, "avpkt", "avpkt %s ",
			 word_of(tb[TCA_ESTMRED_AVPKT]));
	tc_red_print_flags(red.flags);
	if (!show_details)
		return;
	print_color_uint(PRINT_ANY, COLOR_NONE, "ewma", "ewma %u ", red.Wlog);
	print_color_float(PRINT_ANY, COLOR_NONE, "probability", "probability %lg ",
			  max_p / 4294967296.0);
	print_color_uint(PRINT_ANY, COLOR_NONE, "Scell_log", "Scell_log %u ", red.Scell_log);
}

static void print_setting(const struct keyword *k, __u64 value)
{
	char format[64];

	if (!value && k->none) {
		snprintf(format, sizeof(format), "%s %%s ", k->word);
		print_color_string(PRINT_ANY, COLOR_NONE, k->word, format, k->none);
		return;
	}
	snprintf(format, sizeof(format), "%s %s ", k->word,
		 k->kind == TIME ? "%s" : k->kind == COUNT ? "%u" : "%.4g");
	if (k->kind == TIME)
		print_time(k->word, format, value);
	else if (k->kind == COUNT)
		print_color_uint(PRINT_ANY, COLOR_NONE, k->word, format, (unsigned int)value);
	else
		print_color_float(PRINT_ANY, COLOR_NONE, k->word, format, real((__s64)value));
}

static int print_qopt(struct qdisc_util *qu, FILE *f, struct rtattr *opt)
{
	static const char * const forms[] = { "off", "one-hop", "multi-hop" };
	struct rtattr *tb[TCA_ESTMRED_MAX + 1];
	__u64 form;
	size_t i;

	if (!opt)
		return 0;
	parse_rtattr(tb, TCA_ESTMRED_MAX, RTA_DATA(opt), RTA_PAYLOAD(opt));
	if (!tb[TCA_ESTMRED_PARMS] ||
	    RTA_PAYLOAD(tb[TCA_ESTMRED_PARMS]) < sizeof(struct tc_red_qopt))
		return -1;
	print_red(tb);
	form = word_of(tb[TCA_ESTMRED_FORM]);
	if (form)
		print_color_rate(false, PRINT_ANY, COLOR_NONE, "bandwidth", "bandwidth %s ",
				 word_of(tb[TCA_ESTMRED_BANDWIDTH]));
	/* The first keyword is the delay. */
	for (i = 0; form && i < (show_details ? KEYWORDS : 1); i++)
		print_setting(&keywords[i], word_of(tb[keywords[i].type]));
	if (form && show_details)
		print_color_string(PRINT_ANY, COLOR_NONE, "count-drops", "count-drops %s ",
				   word_of(tb[TCA_ESTMRED_COUNT_DROPS]) ? "on" : "off");
	print_color_string(PRINT_ANY, COLOR_NONE, "estimate", "estimate %s ",
			   forms[form < 3 ? form : 0]);
	return 0;
}

static const char * const doubts[] = {
	"low-excitation", "empty-queue", "not-congested", "no-drops", "warming-up",
	"bad-sample", "out-of-range", "extrapolated", "start-dependent", "saturated",
};

static void print_quality(__u32 quality)
{
	char text[256] = "";
	size_t i;

	open_json_array(PRINT_JSON, "quality");
	for (i = 0; i < sizeof(doubts) / sizeof(*doubts); i++) {
		if (!(quality & 1u << i))
			continue;
		print_color_string(PRINT_JSON, COLOR_NONE, NULL, NULL, doubts[i]);
		if (*text)
			strcat(text, ",");
		strcat(text, doubts[i]);
	}
	close_json_array(PRINT_JSON, NULL);
	print_color_string(PRINT_FP, COLOR_NONE, NULL, " quality %s", *text ? text : "good");
}

static void print_share(const char *key, const char *format, __s32 share)
{
	if (share >= 0)
		print_color_float(PRINT_ANY, COLOR_NONE, key, format, real(share));
}

static void print_parameters(const struct tc_estmred_xstats *st)
{
	int i;

	print_color_string(PRINT_FP, COLOR_NONE, NULL, " %s", "parameters");
	open_json_array(PRINT_JSON, "parameters");
	for (i = 0; i < 3; i++)
		print_color_float(PRINT_ANY, COLOR_NONE, NULL, " %.4f", real(st->beta[i]));
	close_json_array(PRINT_JSON, NULL);
	print_color_float(PRINT_ANY, COLOR_NONE, "excitation", " excitation %.4f",
			  real(st->excitation));
}

static void print_estimate(const struct tc_estmred_xstats *st)
{
	open_json_object("estimate");
	print_color_string(PRINT_JSON, COLOR_NONE, "state", NULL,
			   st->state == TC_ESTMRED_ASLEEP ? "asleep" : "estimating");
	print_color_string(PRINT_FP, COLOR_NONE, NULL, "\n %s", "estimate");
	if (st->state == TC_ESTMRED_ASLEEP)
		print_color_string(PRINT_FP, COLOR_NONE, NULL, " %s", "asleep");
	if (st->estimates) {
		/* What the document's figure calls estm: the average, scaled. */
		if (st->average >= 0)
			print_color_uint(PRINT_ANY, COLOR_NONE, "estm", " estm %u",
					 (unsigned int)st->average);
		print_share("average", " average %.4f", st->average);
		print_share("share", " share %.4f", st->share);
		print_quality(st->quality);
		print_color_float(PRINT_ANY, COLOR_NONE, "flows", " flows %.2f", real(st->flows));
		print_color_float(PRINT_ANY, COLOR_NONE, "load", " load %.2fp", real(st->load));
		print_time("rtt", " rtt %s", (__u64)(real(st->rtt_ms) * 1000));
		print_time("age", " age %s", st->age_us);
		print_color_u64(PRINT_ANY, COLOR_NONE, "arrived", " arrived %llub", st->arrived);
	}
	print_color_u64(PRINT_ANY, COLOR_NONE, "estimates", " estimates %llu", st->estimates);
	print_color_u64(PRINT_ANY, COLOR_NONE, "sleeps", " sleeps %llu", st->sleeps);
	if (show_details)
		print_parameters(st);
	close_json_object();
}

static int print_xstats(struct qdisc_util *qu, FILE *f, struct rtattr *xstats)
{
	struct tc_estmred_xstats st = { .share = -1, .average = -1 };
	size_t size;

	if (!xstats)
		return 0;
	/* A kernel older or newer than this: what both know. */
	size = RTA_PAYLOAD(xstats);
	memcpy(&st, RTA_DATA(xstats), size < sizeof(st) ? size : sizeof(st));
	print_color_uint(PRINT_ANY, COLOR_NONE, "marked", "  marked %u",
			 st.prob_mark + st.forced_mark);
	print_color_uint(PRINT_ANY, COLOR_NONE, "early", " early %u",
			 st.prob_drop + st.forced_drop);
	print_color_uint(PRINT_ANY, COLOR_NONE, "pdrop", " pdrop %u", st.pdrop);
	print_color_uint(PRINT_ANY, COLOR_NONE, "forced", " forced %u",
			 st.forced_drop + st.forced_mark);
	print_color_size(PRINT_ANY, COLOR_NONE, "average_backlog", " average %s",
			 st.average_backlog);
	if (st.max_now && show_details) {
		print_color_size(PRINT_ANY, COLOR_NONE, "min_now", " min %s", st.min_now);
		print_color_size(PRINT_ANY, COLOR_NONE, "max_now", " max %s", st.max_now);
	}
	if (st.state != TC_ESTMRED_OFF)
		print_estimate(&st);
	return 0;
}

#endif
