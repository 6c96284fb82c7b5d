/* The interface of Parshall's compiled queues. Made by python -m parshall.own.header. */

#ifndef PARSHALL_QUEUE_H
#define PARSHALL_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PARSHALL_QUEUE_VERSION 1

/* Answers about a packet. */
enum { PARSHALL_PASS = 0, PARSHALL_MARK = 1, PARSHALL_DROP = 2, PARSHALL_PUSH_OUT = 3 };

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

/* Shared state of a queue and the engine. The state of every compiled queue begins with it; the engine sets
 * it before each call and reads it afterwards. */
typedef struct parshall_port {
    /* Class that an arriving packet joins, or that one is pushed out of, 0 to 1023; 0 unless it is set. */
    int64_t into;
    /* Rate of the link at first, in bit/s; nominal, where a recorded capacity takes its place. */
    double rate;
    /* Functions that the engine lends; see there. */
    const parshall_host *host;
    /* The queue, for functions of the host that ask for it. */
    void *flow;
} parshall_port;

/* A packet that arrives at a queue, or is about to leave it. */
typedef struct parshall_queued_packet {
    /* Time at which the queue is asked, in seconds. */
    double now;
    /* In picoseconds, without rounding. */
    int64_t now_ps;
    /* Seconds that it has waited. */
    double waited;
    /* In picoseconds, without rounding. */
    int64_t waited_ps;
    /* Its bytes. */
    int64_t size;
    /* Number of its flow, not negative, with another one for the ACKs; the flow's name alone decides it. */
    int64_t flow;
    /* Its code point (RFC 2474). */
    int64_t dscp;
    /* Class in which it waits; 0 for one that arrives. */
    int64_t class_id;
    /* Other packets that wait, in all classes; the one in transmission does not. */
    int64_t packets;
    /* Bytes of these. */
    int64_t bytes;
    /* Bytes of the packet in transmission; 0 while the link is free, as it is at each departure. */
    int64_t on_link;
    /* True if it may be marked in place of a drop (RFC 3168). */
    bool ecn_capable;
    /* True if it carries a mark. */
    bool marked;
    /* True for an ACK. */
    bool ack;
} parshall_queued_packet;

/* An instant. */
typedef struct parshall_instant {
    /* In seconds. */
    double now;
    /* In picoseconds, without rounding. */
    int64_t now_ps;
} parshall_instant;

/* A queue: what a library's function parshall_queue() returns. A function that is NULL does nothing. Those
 * that return an int return 0 (on_arrival, next_class and on_departure their answer), or the number of what
 * went wrong, which ends the run. The functions of one port are called by one thread at a time; those of
 * several ports may be called by several. */
typedef struct parshall_queue_table {
    /* PARSHALL_QUEUE_VERSION. */
    uint32_t version;
    /* 0. */
    uint32_t reserved;
    /* Name in messages. */
    const char *name;
    /* Bytes of the state of a port. It begins with a port, then the parameters as doubles in the order of
     * their list; the rest is zero before on_start. It is neither moved nor freed by the queue. */
    size_t state_size;
    const parshall_parameter *parameters;
    /* The run begins. */
    int32_t (*on_start)(void *state);
    /* Decides about a packet that arrives: it passes, or is marked, into the class that into is set to; it
     * is dropped; or the first packet of that class is pushed out, and this is asked again. */
    int32_t (*on_arrival)(void *state, const parshall_queued_packet *packet);
    /* Returns the class whose turn it is, as the link is free and packets wait; -1 for the first in which
     * some do. It is not asked while no packet has been in a class but 0. */
    int32_t (*next_class)(void *state, const parshall_instant *moment);
    /* Decides about a packet that is about to leave: it passes, or is marked, or it is dropped, and the next
     * one is looked for. */
    int32_t (*on_departure)(void *state, const parshall_queued_packet *packet);
    /* The link is free, and nothing waits. */
    int32_t (*on_idle)(void *state, const parshall_instant *moment);
} parshall_queue_table;

/* The one function that a library has to have. */
const parshall_queue_table *parshall_queue(void);

#ifdef __cplusplus
}
#endif

#endif
