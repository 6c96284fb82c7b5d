/* CUBIC (RFC 9438) as a shared library; see aimd.c for how it is built. */

#include "parshall_control.h"

typedef struct {
    parshall_window window;
    double c, beta;
    double w_max, w_prior;
    bool in_epoch;
    int64_t lasted_ps, counted_ps;
    double k, plateau, w_est;
} state;

static const parshall_parameter parameters[] = {
    {"c", 0.4, "how steep the curve is (section 5.1)"},
    {"beta", 0.7, "what is left of the window after a loss (section 4.6)"},
    {NULL, 0.0, NULL},
};

static double least(double a, double b) { return a < b ? a : b; }
static double most(double a, double b) { return a > b ? a : b; }

/* Section 4.2: the curve starts at the reduced window and has its plateau where the loss was. */
static void start_epoch(state *own, int64_t now_ps)
{
    parshall_window *w = &own->window;
    own->in_epoch = true;
    own->lasted_ps = 0;
    own->counted_ps = now_ps;
    own->plateau = most(own->w_max, w->cwnd);
    own->k = w->host->cbrt((own->plateau - w->cwnd) / own->c);
    own->w_est = w->cwnd;
}

/* W_cubic(t), equation 1. */
static double curve(const state *own, double t)
{
    double x = t - own->k;
    return own->c * x * x * x + own->plateau;
}

/* Section 4.3: as fast as Reno on average, until W_est is back at the window before the loss. */
static double reno_gain(const state *own)
{
    return own->w_est >= own->w_prior ? 1.0 : 3.0 * (1.0 - own->beta) / (1.0 + own->beta);
}

static int32_t on_ack(void *flow, const parshall_ack *ack)
{
    state *own = flow;
    parshall_window *w = &own->window;
    double t, target;
    if (!ack->may_grow) {
        if (ack->kind == 0 && !ack->window_limited)
            own->counted_ps = ack->now_ps;
        return 0;
    }
    if (w->cwnd < w->ssthresh) {
        own->counted_ps = ack->now_ps;
        w->cwnd = least(w->cwnd + ack->slow_start, most(w->ssthresh, w->cwnd + 1.0));
        return 0;
    }
    if (!own->in_epoch)
        start_epoch(own, ack->now_ps);
    own->lasted_ps += ack->now_ps - own->counted_ps;
    own->counted_ps = ack->now_ps;
    t = (double)own->lasted_ps / 1e12;
    own->w_est += reno_gain(own) * ack->growth / w->cwnd;
    if (curve(own, t) < own->w_est) {
        w->cwnd = most(w->cwnd, own->w_est);
        return 0;
    }
    target = least(most(curve(own, t + ack->rtt), w->cwnd), 1.5 * w->cwnd);
    w->cwnd += (target - w->cwnd) / w->cwnd * ack->growth;
    return 0;
}

static double on_loss(void *flow, const parshall_loss *loss)
{
    state *own = flow;
    double window = least(own->window.cwnd, loss->in_use);
    own->in_epoch = false;
    own->w_prior = window;
    own->w_max = window < own->w_max ? window * (1.0 + own->beta) / 2.0 : window;
    return window * own->beta;
}

/* Section 4.8: the next curve has its plateau where congestion avoidance begins. */
static double on_timeout(void *flow, const parshall_loss *loss)
{
    state *own = flow;
    double window = on_loss(flow, loss);
    own->w_max = 0.0;
    return window;
}

/* Section 4.2: silence does not count. */
static int32_t on_restart(void *flow, const parshall_moment *moment)
{
    state *own = flow;
    own->counted_ps = moment->now_ps;
    return 0;
}

static const parshall_control_table table = {
    .version = PARSHALL_CONTROL_VERSION,
    .name = "cubic",
    .state_size = sizeof(state),
    .parameters = parameters,
    .on_ack = on_ack,
    .on_loss = on_loss,
    .on_timeout = on_timeout,
    .on_restart = on_restart,
};

const parshall_control_table *parshall_control(void) { return &table; }
