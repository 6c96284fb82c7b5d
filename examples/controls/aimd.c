/* AIMD (RFC 5681) as a shared library:
 *
 *     cc -O2 -fPIC -shared -ffp-contract=off -I "$(python -m parshall.control.header)" aimd.c -o aimd.so
 */

#include "parshall_control.h"

typedef struct {
    parshall_window window;
    double increase;
    double left;
} state;

static const parshall_parameter parameters[] = {
    {"increase", 1.0, "packets a round trip up"},
    {"left", 0.5, "of the window after a loss"},
    {NULL, 0.0, NULL},
};

static double least(double a, double b) { return a < b ? a : b; }
static double most(double a, double b) { return a > b ? a : b; }

static int32_t on_ack(void *flow, const parshall_ack *ack)
{
    state *own = flow;
    parshall_window *w = &own->window;
    if (!ack->may_grow)
        return 0;
    if (w->cwnd < w->ssthresh)
        w->cwnd = least(w->cwnd + ack->slow_start, most(w->ssthresh, w->cwnd + 1.0));
    else
        w->cwnd += own->increase * ack->growth / w->cwnd;
    return 0;
}

static double on_loss(void *flow, const parshall_loss *loss)
{
    const state *own = flow;
    return own->left * loss->in_use;
}

static const parshall_control_table table = {
    .version = PARSHALL_CONTROL_VERSION,
    .name = "aimd",
    .state_size = sizeof(state),
    .parameters = parameters,
    .on_ack = on_ack,
    .on_loss = on_loss,
};

const parshall_control_table *parshall_control(void) { return &table; }
