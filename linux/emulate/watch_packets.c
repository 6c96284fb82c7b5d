// SPDX-License-Identifier: GPL-2.0
/*
 * watch_packets SECONDS OUT IN...: a record for each IPv4 packet that comes in by one of IN or leaves by OUT.
 *
 * A record is 16 bytes, in the machine's order: microseconds since the start (32 bits), a hash of the flow (32), a
 * hash of the packet that is the same wherever it passes (32), its length (16), 1 if it left (8), its protocol (8).
 * A packet is seen to leave when its device sends it, behind the queue: what came in and never left was dropped.
 */
#include <arpa/inet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netpacket/packet.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#define MOST_DEVICES 8
#define LOOKED_AT 96	/* bytes of a packet */
#define ROOM (16 << 20)

struct record {
	uint32_t us;
	uint32_t flow;
	uint32_t packet;
	uint16_t length;
	uint8_t left;
	uint8_t protocol;
};

static long long now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec * 1000000LL + t.tv_nsec / 1000;
}

/* FNV-1a. */
static uint32_t hash(uint32_t h, const unsigned char *of, size_t size)
{
	while (size--)
		h = (h ^ *of++) * 16777619u;
	return h;
}

/* What an IPv4 packet is, of which so many bytes are here; 0 if it is none. */
static int describe(const unsigned char *ip, ssize_t there, struct record *r)
{
	ssize_t header = (ip[0] & 15) * 4;
	ssize_t end = header + 28 < there ? header + 28 : there;
	int ports;

	if (there < 20 || ip[0] >> 4 != 4 || header < 20 || header > there)
		return 0;
	r->protocol = ip[9];
	ports = (ip[9] == IPPROTO_TCP || ip[9] == IPPROTO_UDP) && header + 4 <= there;
	/* Addresses, ports, protocol. */
	r->flow = hash(2166136261u, ip + 12, 8);
	r->flow = hash(r->flow, ip + 9, 1);
	if (ports)
		r->flow = hash(r->flow, ip + header, 4);
	/* Its number and what it carries; TTL and checksum change on the way. */
	r->packet = hash(r->flow, ip + 2, 4);
	r->packet = hash(r->packet, ip + header, end - header);
	return 1;
}

static int listen_on(const char *device)
{
	struct sockaddr_ll at = {
		.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL),
		.sll_ifindex = if_nametoindex(device),
	};
	int fd = socket(AF_PACKET, SOCK_DGRAM, 0);
	int room = ROOM, on = 1;

	if (fd < 0 || !at.sll_ifindex || setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on)) ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)) ||
	    bind(fd, (struct sockaddr *)&at, sizeof(at))) {
		fprintf(stderr, "watch_packets: %s: expected a device, as root\n", device);
		exit(1);
	}
	return fd;
}

/* All that waits at a socket. */
static void drain(int fd, int leaves, long long begin)
{
	unsigned char data[LOOKED_AT], control[64];
	struct sockaddr_ll from;

	for (;;) {
		struct iovec part = { .iov_base = data, .iov_len = sizeof(data) };
		struct msghdr m = {
			.msg_name = &from, .msg_namelen = sizeof(from), .msg_iov = &part, .msg_iovlen = 1,
			.msg_control = control, .msg_controllen = sizeof(control),
		};
		ssize_t length = recvmsg(fd, &m, MSG_TRUNC | MSG_DONTWAIT);
		struct record r = { .left = leaves };
		struct timespec t = { 0 };

		if (length < 0)
			return;
		if ((from.sll_pkttype == PACKET_OUTGOING) != leaves)
			continue;
		if (!describe(data, length < LOOKED_AT ? length : LOOKED_AT, &r))
			continue;
		for (struct cmsghdr *c = CMSG_FIRSTHDR(&m); c; c = CMSG_NXTHDR(&m, c))
			if (c->cmsg_type == SO_TIMESTAMPNS)
				memcpy(&t, CMSG_DATA(c), sizeof(t));
		r.us = t.tv_sec * 1000000LL + t.tv_nsec / 1000 - begin;
		r.length = length;
		fwrite(&r, sizeof(r), 1, stdout);
	}
}

int main(int argc, char **argv)
{
	int at[MOST_DEVICES];
	long long begin, end;
	int count = argc - 2;

	if (argc < 4 || count > MOST_DEVICES) {
		fprintf(stderr, "watch_packets SECONDS OUT IN...\n");
		return 2;
	}
	begin = now_us();
	end = begin + 1000000LL * atof(argv[1]);
	for (int i = 0; i < count; i++)
		at[i] = listen_on(argv[i + 2]);
	while (now_us() < end) {
		struct timespec pause = { .tv_nsec = 20000000 };

		/* Packets carry their times and wait in the socket; looking rarely costs the machine less. */
		nanosleep(&pause, NULL);
		for (int i = 0; i < count; i++)
			drain(at[i], i == 0, begin);
	}
	return 0;
}
