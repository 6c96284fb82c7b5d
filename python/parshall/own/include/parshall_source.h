/* The interface of Parshall's compiled sources of traffic. Made by python -m parshall.own.header. */

#ifndef PARSHALL_SOURCE_H
#define PARSHALL_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PARSHALL_SOURCE_VERSION 1

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

/* Answers of a source, and what it is told. The state of every compiled source begins with them; the engine
 * sets all before each call and reads them afterwards. */
typedef struct parshall_application {
    /* Packets of a transfer that begins now; 0 unless it is set. */
    int64_t packets_now;
    /* 1 if that transfer has a new connection; 0 unless it is set. */
    int64_t fresh_now;
    /* Seconds until on_time shall be called; infinity, as before each call, leaves what was said before. */
    double wake_in;
    /* Bytes of data in a packet. */
    int64_t payload_bytes;
    /* Functions that the engine lends. */
    const parshall_host *host;
    /* The source, for functions of the host that ask for it. */
    void *flow;
} parshall_application;

/* A transfer that is complete, the one that began first of those under way. */
typedef struct parshall_done {
    /* When it was, in seconds. */
    double now;
    /* Seconds since it was written. */
    double took;
    /* Number of the transfer, from 0. */
    int64_t number;
    /* Packets that it had. */
    int64_t packets;
} parshall_done;

/* A source: what a library's function parshall_source() returns. A function that is NULL does nothing. Those
 * that return an int return 0, or the number of what went wrong, which ends the run. The functions of one
 * flow are called by one thread at a time; those of several flows may be called by several. */
typedef struct parshall_source_table {
    /* PARSHALL_SOURCE_VERSION. */
    uint32_t version;
    /* 1 if the destination asks for each transfer, one at a time, and hears of its end, else 0. */
    uint32_t requests;
    /* Name in messages. */
    const char *name;
    /* Bytes of the state of a flow. It begins with an application, then the parameters as doubles in the
     * order of their list; the rest is zero before on_start. It is neither moved nor freed by the source. */
    size_t state_size;
    const parshall_parameter *parameters;
    /* The flow is made; it starts later. */
    int32_t (*on_start)(void *state);
    /* The flow starts, or the time that wake_in named has come. */
    int32_t (*on_time)(void *state, double now);
    /* The transfer that began first of those under way is complete. Over UDP nobody hears of that. */
    int32_t (*on_done)(void *state, const parshall_done *done);
} parshall_source_table;

/* The one function that a library has to have. */
const parshall_source_table *parshall_source(void);

#ifdef __cplusplus
}
#endif

#endif
