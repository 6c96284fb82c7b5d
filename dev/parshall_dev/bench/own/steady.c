/* A source with a packet every millisecond, as steady.py has it. */

#include "parshall_source.h"

typedef struct {
    parshall_application app;
} state;

static int32_t on_time(void *source, double now)
{
    state *own = source;
    (void)now;
    own->app.packets_now = 1;
    own->app.wake_in = 0.001;
    return 0;
}

static const parshall_source_table table = {
    .version = PARSHALL_SOURCE_VERSION,
    .name = "steady",
    .state_size = sizeof(state),
    .on_time = on_time,
};

const parshall_source_table *parshall_source(void) { return &table; }
