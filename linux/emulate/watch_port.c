// SPDX-License-Identifier: GPL-2.0
/*
 * watch_port DEVICE KIND MILLISECONDS SECONDS INCOMING...: a line for each interval, with what has been counted.
 *
 *     time bytes packets drops backlog_bytes backlog_packets
 *     estimates share average load quality      of estmred; zeros of other kinds
 *     bytes packets                             that came in by each of the INCOMING devices
 *
 * Times are microseconds since the start. The queue discipline of KIND on DEVICE is asked by netlink, devices by
 * /proc/net/dev, whose bytes count Ethernet's headers.
 */
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <linux/gen_stats.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include "pkt_estmred.h"

#define NS 1000000000LL

struct seen {
	struct gnet_stats_basic basic;
	struct gnet_stats_queue queue;
	struct tc_estmred_xstats estimate;
};

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * NS + t.tv_nsec;
}

static void sleep_until(long long ns)
{
	struct timespec t = { .tv_sec = ns / NS, .tv_nsec = ns % NS };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
}

static void take(void *to, size_t size, const struct rtattr *from)
{
	size_t there = RTA_PAYLOAD(from);

	memcpy(to, RTA_DATA(from), there < size ? there : size);
}

/* Statistics of a message, if it is about a discipline of that kind. */
static int look_at(struct nlmsghdr *n, const char *kind, struct seen *seen)
{
	struct tcmsg *t = NLMSG_DATA(n);
	int length = n->nlmsg_len - NLMSG_LENGTH(sizeof(*t));
	int ours = 0;

	for (struct rtattr *a = TCA_RTA(t); RTA_OK(a, length); a = RTA_NEXT(a, length)) {
		if (a->rta_type == TCA_KIND)
			ours = !strcmp(RTA_DATA(a), kind);
		if (a->rta_type != TCA_STATS2 || !ours)
			continue;
		int left = RTA_PAYLOAD(a);

		for (struct rtattr *s = RTA_DATA(a); RTA_OK(s, left); s = RTA_NEXT(s, left)) {
			if (s->rta_type == TCA_STATS_BASIC)
				take(&seen->basic, sizeof(seen->basic), s);
			if (s->rta_type == TCA_STATS_QUEUE)
				take(&seen->queue, sizeof(seen->queue), s);
			if (s->rta_type == TCA_STATS_APP && !strcmp(kind, "estmred"))
				take(&seen->estimate, sizeof(seen->estimate), s);
		}
	}
	return ours;
}

static int ask(int fd, int device, const char *kind, struct seen *seen)
{
	struct {
		struct nlmsghdr n;
		struct tcmsg t;
	} request = {
		.n = {
			.nlmsg_len = sizeof(request), .nlmsg_type = RTM_GETQDISC,
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
		},
		.t = { .tcm_ifindex = device },
	};
	static char answer[1 << 15];
	int found = 0;

	if (send(fd, &request, sizeof(request), 0) < 0)
		return 0;
	for (;;) {
		int length = recv(fd, answer, sizeof(answer), 0);

		if (length <= 0)
			return 0;
		for (struct nlmsghdr *n = (void *)answer; NLMSG_OK(n, length); n = NLMSG_NEXT(n, length)) {
			if (n->nlmsg_type == NLMSG_DONE || n->nlmsg_type == NLMSG_ERROR)
				return found;
			if (((struct tcmsg *)NLMSG_DATA(n))->tcm_ifindex == device)
				found |= look_at(n, kind, seen);
		}
	}
}

/* Bytes and packets that came in by each device, in the order of their names. */
static void print_incoming(int count, char **names)
{
	static char text[1 << 14];
	FILE *file = fopen("/proc/net/dev", "r");
	size_t length = file ? fread(text, 1, sizeof(text) - 1, file) : 0;

	text[length] = 0;
	if (file)
		fclose(file);
	for (int i = 0; i < count; i++) {
		unsigned long long bytes = 0, packets = 0;
		char name[IFNAMSIZ + 2];
		char *line;

		snprintf(name, sizeof(name), "%s:", names[i]);
		line = strstr(text, name);
		if (line)
			sscanf(line + strlen(name), "%llu %llu", &bytes, &packets);
		printf(" %llu %llu", bytes, packets);
	}
}

int main(int argc, char **argv)
{
	long long begin, interval, end;
	int fd, device;

	if (argc < 5) {
		fprintf(stderr, "watch_port DEVICE KIND MILLISECONDS SECONDS INCOMING...\n");
		return 2;
	}
	device = if_nametoindex(argv[1]);
	interval = 1000000LL * atof(argv[3]);
	fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
	if (!device || interval <= 0 || fd < 0) {
		fprintf(stderr, "watch_port: %s: expected a device\n", argv[1]);
		return 1;
	}
	begin = now();
	end = begin + NS * atof(argv[4]);
	for (long long due = begin; due <= end; due += interval) {
		struct seen seen = { .estimate = { .share = -1, .average = -1 } };

		sleep_until(due);
		if (!ask(fd, device, argv[2], &seen)) {
			fprintf(stderr, "watch_port: %s has no queue discipline %s\n", argv[1], argv[2]);
			return 1;
		}
		printf("%lld %llu %u %u %u %u %llu %d %d %lld %u", (now() - begin) / 1000,
		       (unsigned long long)seen.basic.bytes, seen.basic.packets, seen.queue.drops,
		       seen.queue.backlog, seen.queue.qlen, (unsigned long long)seen.estimate.estimates,
		       seen.estimate.share, seen.estimate.average, (long long)seen.estimate.load,
		       seen.estimate.quality);
		print_incoming(argc - 5, argv + 5);
		printf("\n");
	}
	return 0;
}
