/* Bursts and silences of random length in a shared library, as on_off.py has them:
 *
 *     cc -O2 -fPIC -shared -ffp-contract=off -I "$(python -m parshall.own.header)" on_off.c -o on_off.so
 */

#include "parshall_source.h"

typedef struct {
    parshall_application app;
    double rate, on, off;
    double left;
} state;

static const parshall_parameter parameters[] = {
    {"rate", 1e6, "bits of data a second in a burst"},
    {"on", 0.5, "mean length of a burst, in seconds"},
    {"off", 0.5, "mean length of a silence, in seconds"},
    {NULL, 0.0, NULL},
};

static double length(state *own, double mean)
{
    return -mean * own->app.host->log(1.0 - own->app.host->random(own->app.flow));
}

static int32_t on_time(void *source, double now)
{
    state *own = source;
    const double gap = 8.0 * (double)own->app.payload_bytes / own->rate;
    (void)now;
    own->app.wake_in = gap;
    if (own->left > 0.0) {
        own->app.packets_now = 1;
        own->left -= 1.0;
    }
    if (own->left <= 0.0) {
        own->app.wake_in = gap + length(own, own->off);
        own->left = length(own, own->on) / gap;
    }
    return 0;
}

static const parshall_source_table table = {
    .version = PARSHALL_SOURCE_VERSION,
    .requests = 0,
    .name = "on-off",
    .state_size = sizeof(state),
    .parameters = parameters,
    .on_time = on_time,
};

const parshall_source_table *parshall_source(void) { return &table; }
