// SPDX-License-Identifier: GPL-2.0
/*
 * send_cbr ADDRESS FLOWS RATE BYTES SECONDS SEED: UDP datagrams at a constant rate that asks nobody.
 *
 * FLOWS flows of RATE bit/s each, in datagrams of BYTES bytes of payload; the rate counts all headers. Flows
 * begin at random instants of the first second, and each sends a datagram every period. Prints how many were sent.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#define HEADERS 42	/* UDP, IP, Ethernet */
#define MOST_FLOWS 4096
#define MOST_BYTES 65507
#define NS 1000000000LL

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

int main(int argc, char **argv)
{
	static char data[MOST_BYTES];
	static struct { long long due; int fd; } flows[MOST_FLOWS];
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(9) };
	long long period, begin, end, sent = 0, refused = 0;
	int count, bytes;
	double rate;

	if (argc != 7 || inet_pton(AF_INET, argv[1], &to.sin_addr) != 1) {
		fprintf(stderr, "send_cbr ADDRESS FLOWS RATE BYTES SECONDS SEED\n");
		return 2;
	}
	count = atoi(argv[2]);
	rate = atof(argv[3]);
	bytes = atoi(argv[4]);
	if (count < 1 || count > MOST_FLOWS || rate <= 0 || bytes < 1 || bytes > MOST_BYTES) {
		fprintf(stderr, "send_cbr: expected 1 to %d flows of 1 to %d bytes\n", MOST_FLOWS, MOST_BYTES);
		return 2;
	}
	period = NS * 8 * (bytes + HEADERS) / rate;
	begin = now();
	end = begin + NS * atof(argv[5]);
	srand48(atol(argv[6]));
	for (int i = 0; i < count; i++) {
		flows[i].fd = socket(AF_INET, SOCK_DGRAM, 0);
		if (flows[i].fd < 0) {
			perror("send_cbr");
			return 1;
		}
		flows[i].due = begin + NS * drand48();
	}
	for (;;) {
		int next = 0;

		for (int i = 1; i < count; i++)
			if (flows[i].due < flows[next].due)
				next = i;
		if (flows[next].due >= end)
			break;
		sleep_until(flows[next].due);
		/* Packets can be told apart. */
		memcpy(data, &sent, bytes < (int)sizeof(sent) ? bytes : (int)sizeof(sent));
		/* Not connected, so that nobody's answer that nobody listens is an error of ours. */
		if (sendto(flows[next].fd, data, bytes, 0, (struct sockaddr *)&to, sizeof(to)) == bytes)
			sent++;
		else
			refused++;
		flows[next].due += period;
	}
	printf("sent %lld refused %lld\n", sent, refused);
	return 0;
}
