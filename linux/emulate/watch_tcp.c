// SPDX-License-Identifier: GPL-2.0
/*
 * watch_tcp CONTROL SECONDS MOST BYTES [AT_MS ACTION]...: one TCP connection, packet by packet.
 *
 * The connection goes from the network namespace "sender" to 10.0.2.2 in "receiver", begins at once and sends BYTES (-1:
 * without end). At AT_MS an ACTION is done: "+N" sends N bytes more, anything else is a command for a shell in the
 * namespace "router". Times are microseconds since the start.
 *
 * Says of packets at the device "in" of the router, for the first MOST of them, in the order of their times:
 *   sent US SEQ PAYLOAD FLAGS ECN	from the sender; SEQ counts from its SYN, FLAGS are 12 bits in hexadecimal
 *   ack US ACK FLAGS ECN		to the sender
 * and of the sender, looked at every millisecond, whenever it has changed:
 *   cwnd US CWND SSTHRESH		in packets; SSTHRESH -1 is infinite
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/tcp.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netpacket/packet.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { PORT = 5000, CHUNK = 1 << 16, UNSENT = 1 << 18, LOOK_NS = 1000000, LOOKED_AT = 96, SEEN = 4000 };
enum { SENDER, ROUTER, RECEIVER };
enum { TIMER, LISTENER, TAKING, SENDING, TAP };

struct packet {
	int64_t us;
	uint32_t number;
	int acks, payload, flags, ecn;
};

static int spaces[3], poller, sender, taker;
static long long left;
static int64_t begin;
static struct packet seen[SEEN];
static int most, count;

static void fail(const char *what)
{
	printf("@@ watch_tcp: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int64_t nanoseconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int in_space(int space, int family, int type, int protocol)
{
	int fd;

	if (setns(spaces[space], CLONE_NEWNET) < 0)
		fail("setns");
	fd = socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, protocol);
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

static int open_tap(void)
{
	int fd = in_space(ROUTER, AF_PACKET, SOCK_DGRAM, htons(ETH_P_ALL)), on = 1, room = 16 << 20;
	struct sockaddr_ll at = {
		.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL), .sll_ifindex = if_nametoindex("in"),
	};

	if (!at.sll_ifindex || setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on)) ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)) ||
	    bind(fd, (struct sockaddr *)&at, sizeof(at)))
		fail("in");
	return fd;
}

static int open_listener(void)
{
	struct sockaddr_in here = { .sin_family = AF_INET, .sin_port = htons(PORT) };
	int fd = in_space(RECEIVER, AF_INET, SOCK_STREAM, 0), on = 1;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, (struct sockaddr *)&here, sizeof(here)) || listen(fd, 1))
		fail("listen");
	return fd;
}

static int start(const char *control)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(PORT) };
	struct linger at_once = { .l_onoff = 1 };
	int fd = in_space(SENDER, AF_INET, SOCK_STREAM, 0), unsent = UNSENT, on = 1;

	inet_pton(AF_INET, "10.0.2.2", &to.sin_addr);
	if (setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, control, strlen(control)))
		fail(control);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
	setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent, sizeof(unsent));
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) && errno != EINPROGRESS)
		fail("connect");
	return fd;
}

/* Writes what may be written; left < 0 is without end. */
static void fill(void)
{
	static char zeros[CHUNK];
	ssize_t written;

	while (left) {
		written = write(sender, zeros, left < 0 || left > CHUNK ? CHUNK : left);
		if (written <= 0)
			return;
		if (left > 0)
			left -= written;
	}
}

static void take(void)
{
	/* MSG_TRUNC takes data without a copy. */
	while (recv(taker, NULL, 1 << 20, MSG_TRUNC) > 0)
		;
}

static uint32_t number_at(const unsigned char *bytes)
{
	uint32_t number;

	memcpy(&number, bytes, 4);
	return ntohl(number);
}

/* Keeps what waits at the tap. */
static void keep(int tap)
{
	unsigned char data[LOOKED_AT], control[64];
	struct sockaddr_ll from;

	for (;;) {
		struct iovec part = { .iov_base = data, .iov_len = sizeof(data) };
		struct msghdr m = {
			.msg_name = &from, .msg_namelen = sizeof(from), .msg_iov = &part, .msg_iovlen = 1,
			.msg_control = control, .msg_controllen = sizeof(control),
		};
		ssize_t length = recvmsg(tap, &m, MSG_TRUNC | MSG_DONTWAIT);
		const unsigned char *tcp = data + (data[0] & 15) * 4;
		struct timespec t = { 0 };
		struct packet *p = &seen[count];

		if (length < 0)
			return;
		if (length < 40 || data[0] >> 4 != 4 || data[9] != IPPROTO_TCP || count == most)
			continue;
		for (struct cmsghdr *c = CMSG_FIRSTHDR(&m); c; c = CMSG_NXTHDR(&m, c))
			if (c->cmsg_type == SO_TIMESTAMPNS)
				memcpy(&t, CMSG_DATA(c), sizeof(t));
		p->us = (t.tv_sec * 1000000000LL + t.tv_nsec - begin) / 1000;
		p->acks = from.sll_pkttype == PACKET_OUTGOING;
		p->number = number_at(tcp + (p->acks ? 8 : 4));
		p->payload = ntohs(*(uint16_t *)(data + 2)) - (tcp - data) - (tcp[12] >> 4) * 4;
		p->flags = (tcp[12] & 15) << 8 | tcp[13];
		p->ecn = data[1] & 3;
		count++;
	}
}

static void show(void)
{
	uint32_t first = 0;

	for (int i = count - 1; i >= 0; i--)
		if (!seen[i].acks && seen[i].flags & 2)
			first = seen[i].number;
	for (int i = 0; i < count; i++) {
		struct packet *p = &seen[i];

		if (p->acks)
			printf("ack %lld %u %03x %d\n", (long long)p->us, p->number - first, p->flags, p->ecn);
		else
			printf("sent %lld %u %d %03x %d\n", (long long)p->us, p->number - first, p->payload,
			       p->flags, p->ecn);
	}
}

static void look(void)
{
	static int cwnd = -1, ssthresh = -1;
	struct tcp_info info = { 0 };
	socklen_t length = sizeof(info);
	int now_ssthresh;

	getsockopt(sender, IPPROTO_TCP, TCP_INFO, &info, &length);
	now_ssthresh = info.tcpi_snd_ssthresh >= 0x7fffffff ? -1 : (int)info.tcpi_snd_ssthresh;
	if ((int)info.tcpi_snd_cwnd == cwnd && now_ssthresh == ssthresh)
		return;
	cwnd = info.tcpi_snd_cwnd;
	ssthresh = now_ssthresh;
	printf("cwnd %lld %d %d\n", (long long)(nanoseconds() - begin) / 1000, cwnd, ssthresh);
}

static void act(const char *action)
{
	if (*action == '+') {
		left += atoll(action + 1);
		fill();
		return;
	}
	fflush(stdout);
	if (setns(spaces[ROUTER], CLONE_NEWNET) || system(action))
		printf("@@ watch_tcp: %s failed\n", action);
}

static void open_spaces(void)
{
	const char *names[] = { "/run/netns/sender", "/run/netns/router", "/run/netns/receiver" };

	for (int i = 0; i < 3; i++) {
		spaces[i] = open(names[i], O_RDONLY | O_CLOEXEC);
		if (spaces[i] < 0)
			fail(names[i]);
	}
}

int main(int words, char **word)
{
	struct itimerspec every = { .it_interval.tv_nsec = LOOK_NS, .it_value.tv_nsec = LOOK_NS };
	int tap, listener, timer, next = 5;
	struct epoll_event events[8];
	int64_t end, now;
	uint64_t expired;

	if (words < 5 || words % 2 == 0)
		return 2;
	most = atoi(word[3]) < SEEN ? atoi(word[3]) : SEEN;
	left = atoll(word[4]);
	open_spaces();
	poller = epoll_create1(EPOLL_CLOEXEC);
	tap = open_tap();
	listener = open_listener();
	timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	timerfd_settime(timer, 0, &every, NULL);
	watch(tap, EPOLLIN, TAP);
	watch(listener, EPOLLIN, LISTENER);
	watch(timer, EPOLLIN, TIMER);
	begin = nanoseconds();
	end = begin + atof(word[2]) * 1e9;
	sender = start(word[1]);
	watch(sender, EPOLLOUT | EPOLLET, SENDING);
	while ((now = nanoseconds()) < end) {
		int ready = epoll_wait(poller, events, 8, -1);

		for (int i = 0; i < ready; i++) {
			uint32_t what = events[i].data.u32;

			if (what == TAP)
				keep(tap);
			else if (what == LISTENER && (taker = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0)
				watch(taker, EPOLLIN, TAKING);
			else if (what == TAKING)
				take();
			else if (what == SENDING)
				fill();
			else if (what == TIMER && read(timer, &expired, sizeof(expired)) > 0)
				look();
		}
		while (next < words && nanoseconds() >= begin + atoll(word[next]) * 1000000) {
			act(word[next + 1]);
			next += 2;
		}
	}
	keep(tap);
	show();
	return 0;
}
