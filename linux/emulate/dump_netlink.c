// SPDX-License-Identifier: GPL-2.0
/* dump_netlink: what the kernel answers to a question for all queue disciplines, in hexadecimal. */
#include <stdio.h>
#include <sys/socket.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>

int main(void)
{
	struct {
		struct nlmsghdr n;
		struct tcmsg t;
	} request = {
		.n = {
			.nlmsg_len = sizeof(request), .nlmsg_type = RTM_GETQDISC,
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
		},
	};
	static unsigned char answer[1 << 17];
	int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
	ssize_t length;

	if (fd < 0 || send(fd, &request, sizeof(request), 0) < 0)
		return 1;
	do {
		length = recv(fd, answer, sizeof(answer), 0);
		for (ssize_t i = 0; i < length; i++)
			printf("%02x%s", answer[i], i % 48 == 47 || i == length - 1 ? "\n" : "");
	} while (length > 0 && ((struct nlmsghdr *)answer)->nlmsg_type != NLMSG_DONE);
	return 0;
}
