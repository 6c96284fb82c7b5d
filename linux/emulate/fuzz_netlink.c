// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz_netlink INTERFACE COUNT SEED: asks the kernel to add or change a queue
 * discipline estmred with attributes that are wrong in every way that comes to
 * mind, and says how many it took. Each answer must be one that a kernel gives
 * to a wrong request.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <linux/netlink.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <net/if.h>

#include "pkt_estmred.h"

static uint64_t state;

static uint64_t next(void)
{
	uint64_t z = state += 0x9E3779B97F4A7C15ull;

	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
	z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
	return z ^ (z >> 31);
}

static unsigned int below(unsigned int n)
{
	return next() % n;
}

/* A number of any magnitude. */
static uint64_t any(void)
{
	return next() >> below(64);
}

struct request {
	struct nlmsghdr n;
	struct tcmsg t;
	char attributes[8192];
};

static struct rtattr *add(struct request *r, int type, const void *data, int length)
{
	struct rtattr *attr = (struct rtattr *)((char *)&r->n + NLMSG_ALIGN(r->n.nlmsg_len));

	attr->rta_type = type;
	attr->rta_len = RTA_LENGTH(length);
	if (length)
		memcpy(RTA_DATA(attr), data, length);
	r->n.nlmsg_len = NLMSG_ALIGN(r->n.nlmsg_len) + RTA_ALIGN(attr->rta_len);
	return attr;
}

/* An option whose length fits its type three times of four. */
static void add_option(struct request *r)
{
	static const uint32_t usual[] = { 0,	 1,	2,     3,      21,	  1000,
					  16383, 16384, 50000, 100000, UINT32_MAX };
	char data[512] = { 0 };
	uint64_t word = below(3) ? usual[below(11)] : any();
	int type = below(8) ? below(TCA_ESTMRED_MAX + 1) : below(70);
	int length = 4;

	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = below(8) ? 0 : next();
	if (type == TCA_ESTMRED_PARMS) {
		struct tc_red_qopt parms = {
			.limit = any(), .qth_min = any(), .qth_max = any(),
			.Wlog = next() >> below(64), .Plog = below(64), .Scell_log = below(40),
			.flags = below(20),
		};

		memcpy(data, &parms, sizeof(parms));
		length = sizeof(parms);
	} else if (type == TCA_ESTMRED_STAB) {
		length = 256;
	} else {
		memcpy(data, &word, sizeof(word));
		if (type == TCA_ESTMRED_BANDWIDTH || type == TCA_ESTMRED_START_FLOWS ||
		    type == TCA_ESTMRED_START_LOAD)
			length = 8;
	}
	add(r, type, data, below(4) ? length : (int)below(300));
}

/* What makes a request whole, so that a part of them is taken. */
static void add_base(struct request *r)
{
	struct tc_red_qopt parms = {
		.limit = 60000,
		.qth_min = 15000,
		.qth_max = 45000,
		.Wlog = 4,
		.Plog = 19,
		.Scell_log = 11,
	};
	uint64_t bandwidth = 12500000;
	uint32_t avpkt = 1000, delay = 50000;
	char stab[256] = { 0 };

	add(r, TCA_ESTMRED_PARMS, &parms, sizeof(parms));
	add(r, TCA_ESTMRED_STAB, stab, sizeof(stab));
	add(r, TCA_ESTMRED_BANDWIDTH, &bandwidth, sizeof(bandwidth));
	add(r, TCA_ESTMRED_AVPKT, &avpkt, sizeof(avpkt));
	add(r, TCA_ESTMRED_DELAY, &delay, sizeof(delay));
}

static int ask(int fd, struct request *r, int interface)
{
	static const int flags[] = { 0, NLM_F_CREATE, NLM_F_CREATE | NLM_F_REPLACE, NLM_F_REPLACE };
	char answer[16384];
	struct rtattr *options;
	struct nlmsghdr *n = (struct nlmsghdr *)answer;
	int options_left;

	memset(r, 0, sizeof(*r));
	r->n.nlmsg_len = NLMSG_LENGTH(sizeof(r->t));
	r->n.nlmsg_type = RTM_NEWQDISC;
	r->n.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | flags[below(4)];
	r->t.tcm_ifindex = interface;
	r->t.tcm_parent = TC_H_ROOT;
	r->t.tcm_handle = below(2) ? 0 : 0x10000;
	add(r, TCA_KIND, "estmred", 8);
	options = add(r, TCA_OPTIONS, NULL, 0);
	if (below(4))
		add_base(r);
	for (options_left = below(6); options_left; options_left--)
		add_option(r);
	options->rta_len = (char *)&r->n + r->n.nlmsg_len - (char *)options;
	if (send(fd, r, r->n.nlmsg_len, 0) < 0 ||
	    recv(fd, answer, sizeof(answer), 0) < (ssize_t)NLMSG_LENGTH(4)) {
		perror("netlink");
		exit(1);
	}
	if (n->nlmsg_type != NLMSG_ERROR)
		return 1;
	return ((struct nlmsgerr *)NLMSG_DATA(n))->error;
}

int main(int argc, char **argv)
{
	static struct request r;
	int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
	int interface = argc > 3 ? if_nametoindex(argv[1]) : 0;
	long count = argc > 3 ? atol(argv[2]) : 0, taken = 0;

	if (!interface || fd < 0)
		return 2;
	state = strtoull(argv[3], NULL, 0);
	for (long i = 0; i < count; i++) {
		int error = ask(fd, &r, interface);

		if (error == 0)
			taken++;
		else if (error != -EINVAL && error != -ERANGE && error != -EEXIST &&
			 error != -ENOENT && error != -EOPNOTSUPP && error != -EMSGSIZE) {
			printf("request %ld: unexpected answer %d\n", i, error);
			return 1;
		}
	}
	printf("asked %ld, some taken %d, some refused %d\n", count, taken > 0, taken < count);
	return 0;
}
