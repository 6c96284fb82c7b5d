/* A queue that marks each packet that finds so many waiting, as a shared library:
 *
 *     cc -O2 -fPIC -shared -ffp-contract=off -I "$(python -m parshall.own.header)" step_mark.c -o step_mark.so
 */

#include "parshall_queue.h"

typedef struct {
    parshall_port port;
    double mark_from;
    double limit;
} state;

static const parshall_parameter parameters[] = {
    {"mark_from", 20.0, "packets that wait from which on packets are marked"},
    {"limit", 100.0, "most packets that wait"},
    {NULL, 0.0, NULL},
};

static int32_t on_arrival(void *port, const parshall_queued_packet *packet)
{
    const state *own = port;
    if (packet->packets >= own->limit)
        return PARSHALL_DROP;
    if (packet->packets < own->mark_from)
        return PARSHALL_PASS;
    return packet->ecn_capable ? PARSHALL_MARK : PARSHALL_DROP;
}

static const parshall_queue_table table = {
    .version = PARSHALL_QUEUE_VERSION,
    .name = "step_mark",
    .state_size = sizeof(state),
    .parameters = parameters,
    .on_arrival = on_arrival,
};

const parshall_queue_table *parshall_queue(void) { return &table; }
