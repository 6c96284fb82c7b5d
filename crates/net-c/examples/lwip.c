/* TCP of lwIP in simulated time: two interfaces of one stack, with a narrow link between them, and a transfer of ten seconds.
 *
 * cc -std=gnu11 -O2 -I include $(pkg-config --cflags lwip) examples/lwip.c -L ../../target/release -lparshall_net -llwip -o lwip
 *
 * For lwIP 2.1 as Debian has it (liblwip-dev). Its thread is not started: this file has the loop.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <lwip/init.h>
#include <lwip/ip.h>
#include <lwip/netif.h>
#include <lwip/pbuf.h>
#include <lwip/tcp.h>
#include <lwip/timeouts.h>

#include "parshall_net.h"

enum { MTU = 1500, PORT = 80 };

static const char SCENARIO[] =
    "duration = '10 s'\n"
    "flows = []\n"
    "hosts = ['client', 'server']\n"
    "[[links]]\n"
    "name = 'narrow'\n"
    "between = ['client', 'server']\n"
    "rate = '8 Mbit/s'\n"
    "delay = '15 ms'\n"
    "queue = { kind = 'droptail', limit_packets = 20 }\n";

static parshall_net *net;
static uint32_t ends[2];
/* The interface of each endpoint. */
static struct netif hosts[2];
static uint64_t written, received;
static int damaged;

static void check(int32_t code)
{
    if (code < 0) {
        fprintf(stderr, "%s\n", parshall_net_error(net));
        exit(1);
    }
}

/* The clock of lwIP, in milliseconds. The library calls this function in place of its own, which asks the kernel. */
u32_t sys_now(void)
{
    return (u32_t)(parshall_net_now(net) / PARSHALL_MS);
}

/* A packet leaves an interface. */
static err_t output(struct netif *host, struct pbuf *packet, const ip4_addr_t *to)
{
    unsigned char bytes[MTU];
    (void)to;
    parshall_datagram datagram = {
        .bytes = bytes,
        .length = pbuf_copy_partial(packet, bytes, sizeof bytes, 0),
        .content = PARSHALL_IP,
    };
    check(parshall_net_send(net, ends[host - hosts], PARSHALL_NOW, &datagram));
    return ERR_OK;
}

/* A packet reaches an interface. */
static void input(struct netif *host, const parshall_datagram *datagram)
{
    struct pbuf *packet = pbuf_alloc(PBUF_RAW, (u16_t)datagram->length, PBUF_RAM);
    if (!packet)
        return;
    pbuf_take(packet, datagram->bytes, (u16_t)datagram->length);
    if (host->input(packet, host) != ERR_OK)
        pbuf_free(packet);
}

static err_t prepare(struct netif *host)
{
    host->name[0] = 'p';
    host->name[1] = 's';
    host->mtu = MTU;
    host->output = output;
    host->flags = NETIF_FLAG_LINK_UP;
    return ERR_OK;
}

static void add_host(struct netif *host, const char *address)
{
    ip4_addr_t own, mask, gateway;
    ip4addr_aton(address, &own);
    ip4addr_aton("255.255.255.0", &mask);
    ip4_addr_set_zero(&gateway);
    netif_add(host, &own, &mask, &gateway, NULL, prepare, ip_input);
    netif_set_up(host);
}

/* Byte number n of the transfer. */
static unsigned char byte_of(uint64_t n)
{
    return (unsigned char)(n * 31 >> 4);
}

static err_t fill(void *unused, struct tcp_pcb *pcb, u16_t acknowledged)
{
    unsigned char bytes[TCP_MSS];
    (void)unused, (void)acknowledged;
    while (tcp_sndbuf(pcb) >= sizeof bytes) {
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = byte_of(written + i);
        if (tcp_write(pcb, bytes, sizeof bytes, TCP_WRITE_FLAG_COPY) != ERR_OK)
            break;
        written += sizeof bytes;
    }
    return tcp_output(pcb);
}

static err_t connected(void *unused, struct tcp_pcb *pcb, err_t error)
{
    (void)error;
    tcp_sent(pcb, fill);
    return fill(unused, pcb, 0);
}

static err_t receive(void *unused, struct tcp_pcb *pcb, struct pbuf *data, err_t error)
{
    (void)unused, (void)error;
    if (!data)
        return tcp_close(pcb);
    for (struct pbuf *part = data; part; part = part->next)
        for (u16_t i = 0; i < part->len; i++)
            damaged |= ((unsigned char *)part->payload)[i] != byte_of(received++);
    tcp_recved(pcb, data->tot_len);
    pbuf_free(data);
    return ERR_OK;
}

static err_t accepted(void *unused, struct tcp_pcb *pcb, err_t error)
{
    (void)unused, (void)error;
    tcp_recv(pcb, receive);
    return ERR_OK;
}

static void connect_hosts(void)
{
    /* Both addresses are the stack's own. A connection that is bound to its interface leaves by it all the same. */
    struct tcp_pcb *listener = tcp_new(), *client = tcp_new();
    tcp_bind(listener, netif_ip_addr4(&hosts[1]), PORT);
    listener = tcp_listen(listener);
    tcp_bind_netif(listener, &hosts[1]);
    tcp_accept(listener, accepted);
    tcp_bind_netif(client, &hosts[0]);
    tcp_bind(client, netif_ip_addr4(&hosts[0]), 0);
    tcp_connect(client, netif_ip_addr4(&hosts[1]), PORT, connected);
}

static void run(void)
{
    parshall_event event;
    int32_t kind;
    do {
        /* lwIP's timers have no host: the first endpoint is woken for them. */
        uint64_t timer = (uint64_t)sys_now() + sys_timeouts_sleeptime();
        check(parshall_net_wake(net, ends[0], timer * PARSHALL_MS));
        kind = parshall_net_next(net, &event);
        check(kind);
        if (kind == PARSHALL_ARRIVAL)
            input(&hosts[event.endpoint == ends[1]], &event.datagram);
        sys_check_timeouts();
    } while (kind != PARSHALL_END);
}

int main(void)
{
    uint64_t digest;
    size_t count;
    net = parshall_net_new();
    check(parshall_net_load_text(net, SCENARIO));
    check(parshall_net_set_mtu(net, MTU));
    check(parshall_net_set_traced(net));
    check(parshall_net_attach(net, "lwip", "client", "server", ends));
    check(parshall_net_set_protocol(net, ends[0], PARSHALL_AS_TCP));
    check(parshall_net_build(net));
    lwip_init();
    add_host(&hosts[0], "10.0.1.1");
    add_host(&hosts[1], "10.0.2.1");
    connect_hosts();
    run();
    check(parshall_net_trace_digest(net, &digest));
    check(parshall_net_finish(net));

    int64_t port = parshall_net_port(net, "narrow");
    const double *delay = parshall_net_f64(net, "ports", "mean_delay", &count);
    const uint64_t *dropped = parshall_net_u64(net, "ports", "packets_dropped", &count);
    check(port < 0 || !delay || !dropped ? -1 : 0);
    printf("%s, %.3f Mbit/s, %.2f ms at the link, %" PRIu64 " drops\n", damaged ? "damaged" : "intact",
           8.0 * (double)received / 10e6, 1e3 * delay[port], dropped[port]);
    printf("trace %016" PRIx64 "\n", digest);
    parshall_net_free(net);
    return 0;
}
