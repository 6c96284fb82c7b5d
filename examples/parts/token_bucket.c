/* A token bucket as a marker, in a shared library: a packet without tokens is red and takes none.
 *
 *     cc -O2 -fPIC -shared -ffp-contract=off -I "$(python -m parshall.own.header)" token_bucket.c -lm -o token_bucket.so
 */

#include <math.h>

#include "parshall_marker.h"

typedef struct {
    parshall_edge edge;
    double cir;
    double cbs_bytes;
    double level;
    double last;
} state;

static const parshall_parameter parameters[] = {
    {"cir", 500000.0, "committed rate, in bit/s"},
    {"cbs_bytes", 9000.0, "committed burst, in bytes"},
    {NULL, 0.0, NULL},
};

static int32_t on_start(void *edge)
{
    state *own = edge;
    own->level = own->cbs_bytes;
    return 0;
}

/* Tokens that have come by a time, one by one (RFC 2697); one that is due but for an error of rounding is there. */
static double tokens(const state *own, double time)
{
    return floor(own->cir / 8.0 * time * (1.0 + 4.0 * 2.220446049250313e-16));
}

static int32_t colour(void *edge, const parshall_metered_packet *packet)
{
    state *own = edge;
    double filled = own->level + (tokens(own, packet->now) - tokens(own, own->last));
    own->level = filled <= own->cbs_bytes ? filled : own->cbs_bytes;
    own->last = packet->now;
    if (own->level - (double)packet->metered < 0.0)
        return PARSHALL_RED;
    own->level -= (double)packet->metered;
    return PARSHALL_GREEN;
}

static const parshall_marker_table table = {
    .version = PARSHALL_MARKER_VERSION,
    .name = "token_bucket",
    .state_size = sizeof(state),
    .parameters = parameters,
    .on_start = on_start,
    .colour = colour,
};

const parshall_marker_table *parshall_marker(void) { return &table; }
