/* An exponentially weighted mean as a forecaster in a shared library:
 *
 *     cc -O2 -fPIC -shared -ffp-contract=off -I "$(python -m parshall.own.header)" ewma.c -o ewma.so
 */

#include "parshall_forecaster.h"

typedef struct {
    parshall_series series;
    double gain;
    double level;
    bool seen;
} state;

static const parshall_parameter parameters[] = {
    {"gain", 1.0 / 8.0, "weight of the newest sample"},
    {NULL, 0.0, NULL},
};

static int32_t update(void *series, double x)
{
    state *own = series;
    own->level = own->seen ? own->level + own->gain * (x - own->level) : x;
    own->seen = true;
    return 0;
}

static int32_t forecast(void *series, double *forecast)
{
    const state *own = series;
    if (!own->seen)
        return 1;
    *forecast = own->level;
    return 0;
}

static const parshall_forecaster_table table = {
    .version = PARSHALL_FORECASTER_VERSION,
    .name = "ewma",
    .state_size = sizeof(state),
    .parameters = parameters,
    .update = update,
    .forecast = forecast,
};

const parshall_forecaster_table *parshall_forecaster(void) { return &table; }
