/* The interface of Parshall's compiled filters of retransmission timeouts. Made by python -m
 * parshall.own.header. */

#ifndef PARSHALL_RTO_H
#define PARSHALL_RTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PARSHALL_RTO_VERSION 1

#ifndef PARSHALL_PART
#define PARSHALL_PART

/* Functions that the engine lends: they give the same bits in every form of a part. */
typedef struct parshall_host {
    /* Cube root. */
    double (*cbrt)(double x);
    /* x to the power of y. */
    double (*pow)(double x, double y);
    /* e to the power of x. */
    double (*exp)(double x);
    /* Natural logarithm. */
    double (*log)(double x);
    /* A random number from 0 to below 1, of the part's own stream. */
    double (*random)(void *flow);
    /* An estimator of the library's for this part, which the engine frees with it: "ewma" with its gain,
     * "median" or "mad" with its window. NULL for any other name. To be called in on_start. */
    void *(*estimator)(void *flow, const char *name, double parameter);
    /* Takes in a sample and returns the value after it; a sample that is no finite number is left out. */
    double (*update)(void *estimator, double sample);
    /* The value of an estimator; NaN if it has none yet. */
    double (*value)(void *estimator);
} parshall_host;

/* A parameter; a list of them ends with one whose name is NULL. */
typedef struct parshall_parameter {
    const char *name;
    /* Its default. */
    double value;
    const char *meaning;
} parshall_parameter;

#endif

/* Shared state of a filter of timeouts and the engine. The state of every compiled filter begins with it;
 * the engine sets it before each call and reads it afterwards. */
typedef struct parshall_filter {
    /* Smoothed round-trip time for recordings and the granularity of clocks, in seconds; NaN, as at first,
     * for none. */
    double srtt;
    /* Deviation of the round-trip time for recordings, in seconds; NaN, as at first, for none. */
    double rttvar;
    /* Backoff factor, which the engine applies to the timeout: 1 after a sample, doubled by each timeout. */
    double backoff;
    /* 1 if the sample is one of the same round trip as that before, else 0. */
    int64_t amid_round;
    /* Functions that the engine lends; see there. */
    const parshall_host *host;
    /* The filter, for functions of the host that ask for it. */
    void *flow;
} parshall_filter;

/* A filter of timeouts: what a library's function parshall_rto() returns. A function that is NULL does
 * nothing. Those that return an int return 0, or the number of what went wrong, which ends the run. The
 * functions of one sender are called by one thread at a time; those of several senders may be called by
 * several. */
typedef struct parshall_rto_table {
    /* PARSHALL_RTO_VERSION. */
    uint32_t version;
    /* 0. */
    uint32_t reserved;
    /* Name in messages. */
    const char *name;
    /* Bytes of the state of a sender. It begins with a filter, then the parameters as doubles in the order
     * of their list; the rest is zero before on_start. It is neither moved nor freed by the filter. The
     * engine may copy it byte by byte: of pointers it holds none but those that the host gave. */
    size_t state_size;
    const parshall_parameter *parameters;
    /* The sender begins. */
    int32_t (*on_start)(void *state);
    /* A packet that was sent once has been acknowledged. */
    int32_t (*on_sample)(void *state, double rtt);
    /* The timer has expired; backoff is the factor from now on. */
    int32_t (*on_timeout)(void *state);
    /* A timeout was early, or may have been, and its round trip is withheld (Karn). */
    int32_t (*on_early_timeout)(void *state);
    /* Returns the timeout before any rule, in seconds; asked for after each of the others, from the first
     * sample on. A library has to have it. */
    double (*rto)(void *state);
} parshall_rto_table;

/* The one function that a library has to have. */
const parshall_rto_table *parshall_rto(void);

#ifdef __cplusplus
}
#endif

#endif
