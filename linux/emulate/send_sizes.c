// SPDX-License-Identifier: GPL-2.0
/* send_sizes ADDRESS: UDP datagrams of each size up to 1600 bytes, and in steps of 1009 up to 65507. */
#include <arpa/inet.h>
#include <stdio.h>
#include <sys/socket.h>

int main(int argc, char **argv)
{
	static char data[65508];
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(9) };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	long sent = 0, refused = 0;

	if (argc < 2 || fd < 0 || inet_pton(AF_INET, argv[1], &to.sin_addr) != 1)
		return 2;
	for (int size = 0; size < 65508; size += size < 1600 ? 1 : 1009) {
		if (sendto(fd, data, size, 0, (struct sockaddr *)&to, sizeof(to)) == size)
			sent++;
		else
			refused++;
	}
	printf("sizes %ld\n", sent + refused);
	return 0;
}
