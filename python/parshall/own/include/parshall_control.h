/* The interface of Parshall's compiled congestion controls. Made by python -m parshall.control.header. */

#ifndef PARSHALL_CONTROL_H
#define PARSHALL_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PARSHALL_CONTROL_VERSION 1

/* Kinds of ACKs: parshall_ack.kind. */
enum { PARSHALL_NEW = 0, PARSHALL_PARTIAL = 1, PARSHALL_DUPLICATE = 2, PARSHALL_OLD = 3 };

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

/* Answer of a control. The state of every compiled control begins with it; the engine sets it before each
 * call and reads it afterwards. */
typedef struct parshall_window {
    /* Congestion window, in packets. */
    double cwnd;
    /* Slow start threshold, in packets. */
    double ssthresh;
    /* Packets a second that may leave; 0 leaves that to the sender. */
    double pacing_rate;
    /* When on_timer shall be called, in seconds; infinity for not at all. It is forgotten when it is. */
    double wake_at;
    /* Functions that the engine lends; see there. */
    const parshall_host *host;
    /* The flow, for functions of the host that ask for it. */
    void *flow;
} parshall_window;

/* State of a connection that a control gets with an ACK. Packets are numbered from 0. What cannot be known
 * yet is NaN. */
typedef struct parshall_ack {
    /* When it came, in seconds. */
    double now;
    /* Time of the ACK in picoseconds, without rounding. */
    int64_t now_ps;
    /* Seconds since the last packet that it answers was sent. */
    double rtt;
    /* Smoothed round-trip time, in seconds. */
    double srtt;
    /* Least round-trip time so far, in seconds. */
    double min_rtt;
    /* Packets a second that were delivered since the packet that it reports was sent. */
    double delivery_rate;
    /* Packets that it acknowledges and that count for growth: all, or one an ACK. */
    double growth;
    /* Packets that count for growth in slow start: growth, or less where packets beyond a gap were counted
     * before. */
    double slow_start;
    /* Highest packet acknowledged. */
    int64_t high_ack;
    /* Next packet to be sent. */
    int64_t next_seq;
    /* Packets sent that have neither left the network nor are thought to be lost. */
    int64_t in_flight;
    /* Packets delivered so far. */
    int64_t delivered;
    /* Packets that had been delivered when the packet that it reports was sent. */
    int64_t prior_delivered;
    /* Packets that it acknowledges for the first time, cumulatively. */
    int64_t acked;
    /* Packets that it reports for the first time, cumulatively or beyond a gap. */
    int64_t newly_delivered;
    /* Packets that it makes the sender think lost. */
    int64_t newly_lost;
    /* Kind of the ACK: 0 for new data, 1 for part of a repair, 2 for a duplicate, 3 for an old one. */
    int64_t kind;
    /* True if it reports a mark. */
    bool ecn_echo;
    /* True if cwnd limited the sender. */
    bool window_limited;
    /* True if the window may grow: new data outside recovery, no mark, and a window that is used. */
    bool may_grow;
    /* True if the application's data or the receiver's window limited delivery_rate. */
    bool app_limited;
    /* True if the sender repairs losses. */
    bool in_recovery;
} parshall_ack;

/* State of a connection that a control gets at a loss, a mark or a timeout. */
typedef struct parshall_loss {
    /* When it was noticed, in seconds. */
    double now;
    /* Time in picoseconds, without rounding. */
    int64_t now_ps;
    /* Packets in use: in flight, or the window, as the options of the transport have it. */
    double in_use;
} parshall_loss;

/* An instant: of a start after silence, or of the control's own timer. */
typedef struct parshall_moment {
    /* In seconds. */
    double now;
    /* In picoseconds, without rounding. */
    int64_t now_ps;
} parshall_moment;

/* A control: what a library's function parshall_control() returns. A function that is NULL does nothing, or
 * what RFC 5681 asks for after a loss. Those that return an int return 0, or the number of what went wrong,
 * which ends the run. The functions of one flow are called by one thread at a time; those of several flows
 * may be called by several. */
typedef struct parshall_control_table {
    /* PARSHALL_CONTROL_VERSION. */
    uint32_t version;
    /* 1 if receivers report marks packet by packet (RFC 8257, section 3.2), else 0. */
    uint32_t exact_echo;
    /* Name in messages. */
    const char *name;
    /* Bytes of the state of a flow. It begins with a window, then the parameters as doubles in the order of
     * their list; the rest is zero before on_start. It is neither moved nor freed by the control. */
    size_t state_size;
    const parshall_parameter *parameters;
    /* The flow begins; cwnd is its initial window. */
    int32_t (*on_start)(void *state);
    /* An ACK has come, any. */
    int32_t (*on_ack)(void *state, const parshall_ack *ack);
    /* Duplicate ACKs have shown a loss. Returns the window after it, in packets. */
    double (*on_loss)(void *state, const parshall_loss *loss);
    /* A mark has been reported. Returns the window after it; without it, on_loss is asked. */
    double (*on_mark)(void *state, const parshall_loss *loss);
    /* The timer has expired. Returns where slow start shall end; without it, on_loss is asked. */
    double (*on_timeout)(void *state, const parshall_loss *loss);
    /* The sender is about to send after a time with nothing in flight. */
    int32_t (*on_restart)(void *state, const parshall_moment *moment);
    /* The time wake_at has come. */
    int32_t (*on_timer)(void *state, const parshall_moment *moment);
} parshall_control_table;

/* The one function that a library has to have. */
const parshall_control_table *parshall_control(void);

#ifdef __cplusplus
}
#endif

#endif
