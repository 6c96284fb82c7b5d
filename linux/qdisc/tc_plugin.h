/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a plug-in needs of tc. iproute2 has no headers for others; tc exports
 * these functions to what it loads, and their form is the same from iproute2
 * 5.9 (2020) on.
 */
#ifndef TC_PLUGIN_H
#define TC_PLUGIN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <linux/netlink.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>

struct qdisc_util {
	struct qdisc_util *next;
	const char *id;
	int (*parse_qopt)(struct qdisc_util *qu, int argc, char **argv, struct nlmsghdr *n,
			  const char *dev);
	int (*print_qopt)(struct qdisc_util *qu, FILE *f, struct rtattr *opt);
	int (*print_xstats)(struct qdisc_util *qu, FILE *f, struct rtattr *xstats);
	int (*parse_copt)(struct qdisc_util *qu, int argc, char **argv, struct nlmsghdr *n,
			  const char *dev);
	int (*print_copt)(struct qdisc_util *qu, FILE *f, struct rtattr *opt);
	int (*has_block)(struct qdisc_util *qu, struct rtattr *opt, __u32 block, bool *p_has);
};

enum output_type { PRINT_FP = 1, PRINT_JSON = 2, PRINT_ANY = 4 };

/* Which of tc's colours: none. */
#define COLOR_NONE 6

extern int show_details;

int addattr_l(struct nlmsghdr *n, int maxlen, int type, const void *data, int alen);
int addattr32(struct nlmsghdr *n, int maxlen, int type, __u32 data);
int addattr64(struct nlmsghdr *n, int maxlen, int type, __u64 data);
struct rtattr *addattr_nest(struct nlmsghdr *n, int maxlen, int type);
int addattr_nest_end(struct nlmsghdr *n, struct rtattr *nest);
int parse_rtattr(struct rtattr *tb[], int max, struct rtattr *rta, int len);

int get_size(unsigned int *size, const char *str);
int get_rate64(__u64 *rate, const char *str);
int get_time64(__s64 *nanoseconds, const char *str);
int get_unsigned(unsigned int *value, const char *str, int base);

int tc_red_eval_P(unsigned int qmin, unsigned int qmax, double probability);
int tc_red_eval_ewma(unsigned int qmin, unsigned int burst, unsigned int avpkt);
int tc_red_eval_idle_damping(int wlog, unsigned int avpkt, unsigned int bps, __u8 *stab);
void tc_red_print_flags(__u32 flags);

int print_color_string(enum output_type t, int color, const char *key, const char *fmt,
		       const char *value);
int print_color_uint(enum output_type t, int color, const char *key, const char *fmt,
		     unsigned int value);
int print_color_u64(enum output_type t, int color, const char *key, const char *fmt,
		    uint64_t value);
int print_color_float(enum output_type t, int color, const char *key, const char *fmt,
		      double value);
int print_color_bool(enum output_type t, int color, const char *key, const char *fmt, bool value);
int print_color_size(enum output_type t, int color, const char *key, const char *fmt, __u32 size);
int print_color_rate(bool use_iec, enum output_type t, int color, const char *key, const char *fmt,
		     unsigned long long rate);
char *sprint_time64(__s64 nanoseconds, char *buffer);
void open_json_object(const char *key);
void close_json_object(void);
void open_json_array(enum output_type t, const char *key);
void close_json_array(enum output_type t, const char *delimiter);
bool is_json_context(void);

#endif
