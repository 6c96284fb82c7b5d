/* Vegas's window (Brakmo and Peterson 1995) as a shared library; see aimd.c for how it is built. */

#include <math.h>

#include "parshall_control.h"

typedef struct {
    parshall_window window;
    double alpha, beta, gamma;
    double base_rtt, least_rtt;
    int64_t round_ps;
    bool grows;
} state;

static const parshall_parameter parameters[] = {
    {"alpha", 1.0, "packets in queues below which the window grows"},
    {"beta", 3.0, "above which it shrinks"},
    {"gamma", 1.0, "above which slow start ends"},
    {NULL, 0.0, NULL},
};

static double least(double a, double b) { return a < b ? a : b; }
static double most(double a, double b) { return a > b ? a : b; }

/* It ends when a packet is acknowledged that was sent from that instant on. */
static void start_round(state *own, int64_t now_ps)
{
    own->least_rtt = INFINITY;
    own->round_ps = now_ps;
}

static int32_t on_start(void *flow)
{
    state *own = flow;
    own->base_rtt = INFINITY;
    start_round(own, 0);
    own->grows = true;
    return 0;
}

/* Once per round trip. */
static void decide(state *own, double rtt)
{
    parshall_window *w = &own->window;
    double queued = w->cwnd * (1.0 - own->base_rtt / rtt);
    if (w->cwnd < w->ssthresh) {
        own->grows = !own->grows;
        if (queued > own->gamma) {
            w->cwnd = most(least(w->cwnd * own->base_rtt / rtt + 1.0, w->cwnd), 2.0);
            w->ssthresh = least(w->cwnd, w->ssthresh);
        }
    } else if (queued > own->beta) {
        w->cwnd = most(w->cwnd - 1.0, 2.0);
        w->ssthresh = least(w->ssthresh, w->cwnd);
    } else if (queued < own->alpha) {
        w->cwnd += 1.0;
    }
}

static int32_t on_ack(void *flow, const parshall_ack *ack)
{
    state *own = flow;
    parshall_window *w = &own->window;
    if (!ack->may_grow)
        return 0;
    own->base_rtt = least(own->base_rtt, ack->rtt);
    own->least_rtt = least(own->least_rtt, ack->rtt);
    if (own->grows && w->cwnd < w->ssthresh)
        w->cwnd = least(w->cwnd + ack->slow_start, most(w->ssthresh, w->cwnd + 1.0));
    if (ack->now_ps - llround(1e12 * ack->rtt) >= own->round_ps) {
        decide(own, own->least_rtt);
        start_round(own, ack->now_ps);
    }
    return 0;
}

/* Rounds begin anew, and the window grows in the next. */
static double on_timeout(void *flow, const parshall_loss *loss)
{
    state *own = flow;
    start_round(own, 0);
    own->grows = true;
    return loss->in_use / 2.0;
}

static int32_t on_restart(void *flow, const parshall_moment *moment)
{
    (void)moment;
    start_round(flow, 0);
    return 0;
}

static const parshall_control_table table = {
    .version = PARSHALL_CONTROL_VERSION,
    .name = "vegas",
    .state_size = sizeof(state),
    .parameters = parameters,
    .on_start = on_start,
    .on_ack = on_ack,
    .on_timeout = on_timeout,
    .on_restart = on_restart,
};

const parshall_control_table *parshall_control(void) { return &table; }
