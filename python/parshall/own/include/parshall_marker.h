/* The interface of Parshall's compiled markers. Made by python -m parshall.own.header. */

#ifndef PARSHALL_MARKER_H
#define PARSHALL_MARKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PARSHALL_MARKER_VERSION 1

/* Colours of packets, best first. */
enum { PARSHALL_GREEN = 0, PARSHALL_YELLOW = 1, PARSHALL_RED = 2 };

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

/* Exchange between a marker and the engine. The state of every compiled marker begins with it; the engine
 * sets it before each call. */
typedef struct parshall_edge {
    /* Functions that the engine lends; see there. */
    const parshall_host *host;
    /* The marker, for functions of the host that ask for it. */
    void *flow;
} parshall_edge;

/* A packet that arrives at an edge. */
typedef struct parshall_metered_packet {
    /* Time at which it arrives, in seconds. */
    double now;
    /* `now` in picoseconds, without rounding. */
    int64_t now_ps;
    /* Its bytes on the wire. */
    int64_t size;
    /* Bytes that count: all, or those behind the headers, as the rule has it. */
    int64_t metered;
    /* Number of its flow, not negative, with another one for the ACKs; it depends on the flow's name alone. */
    int64_t flow;
    /* Code point with which it arrives (RFC 2474). */
    int64_t dscp;
    /* Colour that this code point stands for: 0 for green, 1 for yellow, 2 for red. */
    int64_t arriving;
    /* True if it may be marked in place of a drop (RFC 3168). */
    bool ecn_capable;
    /* True for an ACK. */
    bool ack;
} parshall_metered_packet;

/* A marker: what a library's function parshall_marker() returns. A function that is NULL does nothing. Those
 * that return an int return 0 (colour its answer), or the number of what went wrong, which ends the run. The
 * functions of one rule are called by one thread at a time; those of several rules may be called by several. */
typedef struct parshall_marker_table {
    /* PARSHALL_MARKER_VERSION. */
    uint32_t version;
    /* 0. */
    uint32_t reserved;
    /* Name in messages. */
    const char *name;
    /* Bytes of the state of a rule. It begins with an edge, then the parameters as doubles in the order of
     * their list; the rest is zero before on_start. It is neither moved nor freed by the marker. */
    size_t state_size;
    const parshall_parameter *parameters;
    /* The run begins. */
    int32_t (*on_start)(void *state);
    /* Returns the colour of a packet. A library has to have it. */
    int32_t (*colour)(void *state, const parshall_metered_packet *packet);
} parshall_marker_table;

/* The one function that a library has to have. */
const parshall_marker_table *parshall_marker(void);

#ifdef __cplusplus
}
#endif

#endif
