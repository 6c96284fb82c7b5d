/* The timeout of RFC 6298 as a shared library:
 *
 *     cc -O2 -fPIC -shared -ffp-contract=off -I "$(python -m parshall.own.header)" jacobson.c -o jacobson.so
 */

#include <float.h>
#include <math.h>

#include "parshall_rto.h"

typedef struct {
    parshall_filter filter;
    double gain;
    double deviation_gain;
    double multiplier;
    bool seen;
} state;

static const parshall_parameter parameters[] = {
    {"gain", 1.0 / 8.0, "weight of a sample in srtt"},
    {"deviation_gain", 1.0 / 4.0, "weight of a sample in rttvar"},
    {"multiplier", 4.0, "deviations that are added"},
    {NULL, 0.0, NULL},
};

static int32_t on_sample(void *sender, double rtt)
{
    state *own = sender;
    parshall_filter *f = &own->filter;
    if (!own->seen) {
        own->seen = true;
        f->srtt = rtt;
        f->rttvar = rtt / 2.0;
        return 0;
    }
    f->rttvar += own->deviation_gain * (fabs(rtt - f->srtt) - f->rttvar);
    if (f->rttvar < DBL_MIN)
        f->rttvar = 0.0;
    f->srtt += own->gain * (rtt - f->srtt);
    return 0;
}

static double rto(void *sender)
{
    const state *own = sender;
    return own->filter.srtt + own->multiplier * own->filter.rttvar;
}

static const parshall_rto_table table = {
    .version = PARSHALL_RTO_VERSION,
    .name = "jacobson",
    .state_size = sizeof(state),
    .parameters = parameters,
    .on_sample = on_sample,
    .rto = rto,
};

const parshall_rto_table *parshall_rto(void) { return &table; }
