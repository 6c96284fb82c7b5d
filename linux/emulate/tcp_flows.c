// SPDX-License-Identifier: GPL-2.0
/* tcp_flows CONTROL SECONDS START_US...: bulk TCP flows through a queue, and what became of them.
 *
 * A flow goes from the network namespace "sender" to 10.0.2.2 in "receiver" and sends from START_US on for as long as
 * the run lasts; its packets pass the queue discipline 10: of the device "out" in "router". All of it is one process
 * with one clock: a socket stays in the namespace that it was made in.
 *
 * Every 200 ms it notes "at BACKLOG SENT PACKETS DROPPED BYTES...": the mean backlog in bytes, looked at every 5 ms;
 * bytes and packets that the queue has sent and packets that it has dropped since the last line; bytes that the
 * receiver took from each flow. At the end it says of each flow "flow RETRANSMITTED ACKS DELIVERED SENT", in segments, and
 * of each counter of the sender's TCP that moved "counter NAME BY".
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/gen_stats.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/tcp.h>
#include <net/if.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum { MOST = 64, PORT = 5000, LOOK_US = 5000, LINE = 40, CHUNK = 1 << 16, UNSENT = 1 << 18, NAMED = 200 };

struct counters {
	uint64_t bytes, packets, backlog, drops;
};

struct line {
	uint64_t backlog, bytes, packets, drops, taken[MOST];
};

/* A line of names and a line of values from /proc/net/netstat, and where each word begins. */
struct named {
	char names[1 << 13], values[1 << 13];
	char *name[NAMED], *value[NAMED];
	int count;
};

/* What an event is about: the timer, the listening socket, or one end of a flow. */
enum { TIMER = 1000, LISTENER = 1001, RECEIVING = 100 };

static int spaces[3], flows, senders[MOST], receivers[MOST], queue_socket, queue_device, poller;
static uint64_t starts[MOST], taken[MOST];
static char zeros[CHUNK];

static void fail(const char *what)
{
	printf("@@ tcp_flows: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int in_space(int space, int family, int type, int protocol)
{
	int fd;

	if (setns(spaces[space], CLONE_NEWNET) < 0)
		fail("setns");
	fd = socket(family, type | SOCK_NONBLOCK, protocol);
	if (fd < 0)
		fail("socket");
	return fd;
}

static void watch(int fd, uint32_t events, uint32_t what)
{
	struct epoll_event event = { .events = events, .data.u32 = what };

	if (epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event) < 0)
		fail("epoll_ctl");
}

static int listen_for_flows(void)
{
	struct sockaddr_in here = { .sin_family = AF_INET, .sin_port = htons(PORT) };
	int fd = in_space(2, AF_INET, SOCK_STREAM, 0), one = 1;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, (struct sockaddr *)&here, sizeof(here)) < 0 || listen(fd, MOST) < 0)
		fail("listen");
	watch(fd, EPOLLIN, LISTENER);
	return fd;
}

static void accept_flow(int listener)
{
	struct sockaddr_in peer;
	socklen_t length = sizeof(peer);
	int fd = accept4(listener, (struct sockaddr *)&peer, &length, SOCK_NONBLOCK), flow;

	if (fd < 0)
		return;
	flow = ntohs(peer.sin_port) - PORT - 1;
	receivers[flow] = fd;
	watch(fd, EPOLLIN, RECEIVING + flow);
}

static void start_flow(int flow, const char *control)
{
	struct sockaddr_in from = { .sin_family = AF_INET, .sin_port = htons(PORT + 1 + flow) };
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(PORT) };
	int fd = in_space(0, AF_INET, SOCK_STREAM, 0), unsent = UNSENT, one = 1;
	struct linger at_once = { .l_onoff = 1 };

	inet_pton(AF_INET, "10.0.2.2", &to.sin_addr);
	if (setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, control, strlen(control)) < 0)
		fail(control);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
	setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent, sizeof(unsent));
	if (bind(fd, (struct sockaddr *)&from, sizeof(from)) < 0)
		fail("bind");
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) < 0 && errno != EINPROGRESS)
		fail("connect");
	senders[flow] = fd;
	watch(fd, EPOLLOUT, flow);
}

static void receive(int flow)
{
	ssize_t length;

	/* MSG_TRUNC takes data without a copy. */
	while ((length = recv(receivers[flow], NULL, 1 << 20, MSG_TRUNC)) > 0)
		taken[flow] += length;
}

/* Counters of the queue discipline 10: of the device. */
static struct counters look(void)
{
	static struct {
		struct nlmsghdr head;
		struct tcmsg about;
	} request;
	static char answer[1 << 14];
	struct counters found = { 0 };
	struct rtattr *each, *in;
	ssize_t length;
	int left, inner;

	request.head.nlmsg_len = sizeof(request);
	request.head.nlmsg_type = RTM_GETQDISC;
	request.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_ECHO;
	request.about.tcm_ifindex = queue_device;
	request.about.tcm_handle = 0x10 << 16;
	if (send(queue_socket, &request, sizeof(request), 0) < 0)
		fail("asking for the queue");
	length = recv(queue_socket, answer, sizeof(answer), 0);
	if (length <= 0 || ((struct nlmsghdr *)answer)->nlmsg_type != RTM_NEWQDISC)
		fail("the queue's answer");
	left = length - NLMSG_SPACE(sizeof(struct tcmsg));
	for (each = TCA_RTA(NLMSG_DATA(answer)); RTA_OK(each, left); each = RTA_NEXT(each, left)) {
		if ((each->rta_type & ~NLA_F_NESTED) != TCA_STATS2)
			continue;
		inner = RTA_PAYLOAD(each);
		for (in = RTA_DATA(each); RTA_OK(in, inner); in = RTA_NEXT(in, inner)) {
			if (in->rta_type == TCA_STATS_BASIC) {
				struct gnet_stats_basic *basic = RTA_DATA(in);

				found.bytes = basic->bytes;
				found.packets = basic->packets;
			} else if (in->rta_type == TCA_STATS_QUEUE) {
				struct gnet_stats_queue *queue = RTA_DATA(in);

				found.backlog = queue->backlog;
				found.drops = queue->drops;
			}
		}
	}
	return found;
}

static void note(struct line *line, struct counters now, struct counters *before)
{
	line->bytes = now.bytes - before->bytes;
	line->packets = now.packets - before->packets;
	line->drops = now.drops - before->drops;
	memcpy(line->taken, taken, sizeof(taken));
	memset(taken, 0, sizeof(taken));
	*before = now;
}

static void show(const struct line *lines, int count)
{
	for (int i = 0; i < count; i++) {
		printf("at %lu %lu %lu %lu", lines[i].backlog / LINE, lines[i].bytes, lines[i].packets,
		       lines[i].drops);
		for (int flow = 0; flow < flows; flow++)
			printf(" %lu", lines[i].taken[flow]);
		printf("\n");
	}
	for (int flow = 0; flow < flows; flow++) {
		struct tcp_info info = { 0 };
		socklen_t length = sizeof(info);

		getsockopt(senders[flow], IPPROTO_TCP, TCP_INFO, &info, &length);
		printf("flow %u %u %u %u\n", info.tcpi_total_retrans, info.tcpi_segs_in, info.tcpi_delivered,
		       info.tcpi_segs_out);
	}
}

static int split(char *line, char **words)
{
	int count = 0;

	for (char *word = strtok(line, " \n"); word && count < NAMED; word = strtok(NULL, " \n"))
		words[count++] = word;
	return count;
}

static void read_counters(struct named *found)
{
	FILE *file;
	int names, values;

	if (setns(spaces[0], CLONE_NEWNET) < 0)
		fail("setns");
	file = fopen("/proc/self/net/netstat", "r");
	if (!file || !fgets(found->names, sizeof(found->names), file) ||
	    !fgets(found->values, sizeof(found->values), file))
		fail("netstat");
	fclose(file);
	names = split(found->names, found->name);
	values = split(found->values, found->value);
	found->count = names < values ? names : values;
}

static void show_counters(const struct named *before, const struct named *now)
{
	for (int i = 1; i < now->count && i < before->count; i++) {
		long by = atol(now->value[i]) - atol(before->value[i]);

		if (by)
			printf("counter %s %ld\n", now->name[i], by);
	}
}

static void open_spaces(void)
{
	const char *names[] = { "/run/netns/sender", "/run/netns/router", "/run/netns/receiver" };

	for (int i = 0; i < 3; i++) {
		spaces[i] = open(names[i], O_RDONLY);
		if (spaces[i] < 0)
			fail(names[i]);
	}
	queue_socket = in_space(1, AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
	queue_device = if_nametoindex("out");
	if (!queue_device)
		fail("out");
}

static int start_clock(void)
{
	struct itimerspec every = { .it_interval.tv_nsec = LOOK_US * 1000, .it_value.tv_nsec = LOOK_US * 1000 };
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);

	if (fd < 0 || timerfd_settime(fd, 0, &every, NULL) < 0)
		fail("timer");
	return fd;
}

int main(int count, char **words)
{
	struct epoll_event events[32];
	static struct named counted, counted_now;
	struct counters before, now;
	struct line *lines;
	uint64_t ticks = 0, due = 0, last, expired;
	int started = 0, clock, listener;

	if (count < 4 || count - 3 > MOST)
		return 2;
	flows = count - 3;
	last = strtoul(words[2], NULL, 10) * 1000000 / LOOK_US;
	lines = calloc(last / LINE + 1, sizeof(*lines));
	for (int i = 0; i < flows; i++)
		starts[i] = strtoul(words[3 + i], NULL, 10);
	open_spaces();
	poller = epoll_create1(0);
	listener = listen_for_flows();
	read_counters(&counted);
	before = look();
	clock = start_clock();
	watch(clock, EPOLLIN, TIMER);
	while (ticks < last) {
		int ready = epoll_wait(poller, events, 32, -1);

		for (int i = 0; i < ready; i++) {
			uint32_t what = events[i].data.u32;

			if (what == LISTENER)
				accept_flow(listener);
			else if (what == TIMER && read(clock, &expired, sizeof(expired)) == sizeof(expired))
				due += expired;
			else if (what >= RECEIVING && what < TIMER)
				receive(what - RECEIVING);
			else if (what < RECEIVING)
				while (write(senders[what], zeros, CHUNK) == CHUNK)
					;
		}
		/* Late looks count as often as they were due. */
		for (now = due > ticks ? look() : before; ticks < due && ticks < last;) {
			lines[ticks / LINE].backlog += now.backlog;
			if (++ticks % LINE == 0)
				note(&lines[ticks / LINE - 1], now, &before);
		}
		/* Starts are in order, and as exact as the looks. */
		while (started < flows && starts[started] <= ticks * LOOK_US)
			start_flow(started++, words[1]);
	}
	show(lines, last / LINE);
	read_counters(&counted_now);
	show_counters(&counted, &counted_now);
	return 0;
}
