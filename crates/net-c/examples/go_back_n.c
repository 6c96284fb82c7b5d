/* A transport of its own over a lossy link: go-back-N with a window of 32, one timer, and 200,000 bytes to bring over.
 *
 * cc -std=c11 -O2 -I include examples/go_back_n.c -L ../../target/release -lparshall_net -o go_back_n
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parshall_net.h"

enum { WINDOW = 32, CHUNK = 1000, CHUNKS = 200, HEADER = 4 };
static const uint64_t TIMEOUT = 150 * PARSHALL_MS;

static const char SCENARIO[] =
    "duration = '20 s'\n"
    "flows = []\n"
    "hosts = ['client', 'server']\n"
    "[[links]]\n"
    "between = ['client', 'server']\n"
    "rate = '5 Mbit/s'\n"
    "delay = '20 ms'\n"
    "loss = { kind = 'bernoulli', probability = 0.02 }\n"
    "queue = { kind = 'droptail', limit_packets = 20 }\n";

struct transfer {
    parshall_net *net;
    uint32_t client, server;
    /* First chunk without an acknowledgement, and next one to be sent. */
    uint32_t first, next;
    /* Chunk that the server waits for. */
    uint32_t expected;
    uint32_t sent, timeouts;
    unsigned char data[CHUNKS * CHUNK], received[CHUNKS * CHUNK];
};

static void check(parshall_net *net, int32_t code)
{
    if (code < 0) {
        fprintf(stderr, "%s\n", parshall_net_error(net));
        exit(1);
    }
}

static void put_number(unsigned char *place, uint32_t number)
{
    for (int i = 0; i < HEADER; i++)
        place[i] = (unsigned char)(number >> 8 * i);
}

static uint32_t get_number(const unsigned char *place)
{
    uint32_t number = 0;
    for (int i = 0; i < HEADER; i++)
        number |= (uint32_t)place[i] << 8 * i;
    return number;
}

/* Sends a chunk, or an acknowledgement, which is a number alone. */
static void send_number(struct transfer *it, uint32_t from, uint32_t number, const unsigned char *chunk)
{
    unsigned char bytes[HEADER + CHUNK];
    put_number(bytes, number);
    if (chunk)
        memcpy(bytes + HEADER, chunk, CHUNK);
    parshall_datagram datagram = { .bytes = bytes, .length = chunk ? sizeof bytes : HEADER };
    check(it->net, parshall_net_send(it->net, from, PARSHALL_NOW, &datagram));
}

static void fill_window(struct transfer *it)
{
    for (; it->next < CHUNKS && it->next < it->first + WINDOW; it->next++, it->sent++)
        send_number(it, it->client, it->next, it->data + it->next * CHUNK);
}

static void start_timer(struct transfer *it)
{
    if (it->first == CHUNKS)
        check(it->net, parshall_net_cancel_wake(it->net, it->client));
    else
        check(it->net, parshall_net_wake(it->net, it->client, parshall_net_now(it->net) + TIMEOUT));
}

static void arrived_at_server(struct transfer *it, const unsigned char *bytes)
{
    if (get_number(bytes) == it->expected) {
        memcpy(it->received + it->expected * CHUNK, bytes + HEADER, CHUNK);
        it->expected++;
    }
    send_number(it, it->server, it->expected, NULL);
}

static void arrived_at_client(struct transfer *it, const unsigned char *bytes)
{
    uint32_t acknowledged = get_number(bytes);
    if (acknowledged > it->first) {
        it->first = acknowledged;
        start_timer(it);
        fill_window(it);
    }
}

static void run(struct transfer *it)
{
    parshall_event event;
    int32_t kind = PARSHALL_WAKE;
    fill_window(it);
    start_timer(it);
    while (it->first < CHUNKS && (kind = parshall_net_next(it->net, &event)) > 0) {
        if (kind == PARSHALL_WAKE) {
            it->timeouts++;
            it->next = it->first;
            fill_window(it);
            start_timer(it);
        } else if (kind == PARSHALL_ARRIVAL && event.endpoint == it->server) {
            arrived_at_server(it, event.datagram.bytes);
        } else if (kind == PARSHALL_ARRIVAL) {
            arrived_at_client(it, event.datagram.bytes);
        }
    }
    check(it->net, kind);
}

int main(void)
{
    static struct transfer it;
    uint32_t ends[2];
    uint64_t digest;
    for (size_t i = 0; i < sizeof it.data; i++)
        it.data[i] = (unsigned char)(i * i >> 3);

    parshall_net *net = it.net = parshall_net_new();
    check(net, parshall_net_load_text(net, SCENARIO));
    check(net, parshall_net_set_seed(net, 7));
    check(net, parshall_net_set_traced(net));
    check(net, parshall_net_attach(net, "transfer", "client", "server", ends));
    check(net, parshall_net_build(net));
    it.client = ends[0];
    it.server = ends[1];
    run(&it);

    printf("%s after %.6f s, %" PRIu32 " packets, %" PRIu32 " timeouts\n",
           memcmp(it.data, it.received, sizeof it.data) == 0 ? "complete" : "incomplete",
           (double)parshall_net_now(net) / PARSHALL_S, it.sent, it.timeouts);
    check(net, parshall_net_trace_digest(net, &digest));
    printf("trace %016" PRIx64 "\n", digest);
    parshall_net_free(net);
    return 0;
}
