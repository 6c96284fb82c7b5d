/* Networks in simulated time for transports in C. Made by PARSHALL_WRITE=1 cargo test -p parshall-net-c header. */

#ifndef PARSHALL_NET_H
#define PARSHALL_NET_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A network, of which only pointers are used. One thread at a time uses it; other networks may be used by
 * other threads meanwhile.
 * Functions that return an int32_t return 0 or a positive number, or one of PARSHALL_ERROR_*, which are
 * negative; parshall_net_error has the text. Texts are UTF-8 and end with a zero. What pointers lead to
 * that functions return belongs to the network. */
typedef struct parshall_net parshall_net;

/* Version of this interface. It rises when a program has to be compiled again. */
#define PARSHALL_NET_VERSION 1u

/* Picoseconds of a nanosecond. All instants are picoseconds since the start of the scenario. */
#define PARSHALL_NS UINT64_C(1000)

/* Picoseconds of a microsecond. */
#define PARSHALL_US UINT64_C(1000000)

/* Picoseconds of a millisecond. */
#define PARSHALL_MS UINT64_C(1000000000)

/* Picoseconds of a second. */
#define PARSHALL_S UINT64_C(1000000000000)

/* For parshall_net_send: at the present instant. */
#define PARSHALL_NOW UINT64_C(0)

/* An instant that never comes. */
#define PARSHALL_NEVER UINT64_MAX

/* No error. */
#define PARSHALL_OK 0

/* An argument is NULL, not UTF-8, or out of its range. */
#define PARSHALL_ERROR_ARGUMENT (-1)

/* The call does not fit the state of the network: sent before it was built, for example, or after it was
 * finished. */
#define PARSHALL_ERROR_STATE (-2)

/* The scenario cannot be read or cannot be run, or has no such host or flow. */
#define PARSHALL_ERROR_SCENARIO (-3)

/* An endpoint did what it may not do: sent more than the MTU or in the past, for example. */
#define PARSHALL_ERROR_ENDPOINT (-4)

/* The simulation ended before its end. What was recorded up to then can still be had. */
#define PARSHALL_ERROR_RUN (-5)

/* The recording has no such table, column, flow, port or capture. */
#define PARSHALL_ERROR_LOOKUP (-6)

/* A fault of this library. */
#define PARSHALL_ERROR_INTERNAL (-7)

/* Kind of an event: the end of the scenario. For parshall_net_next_before: no event before that instant. */
#define PARSHALL_END 0

/* Kind of an event: a datagram has arrived. */
#define PARSHALL_ARRIVAL 1

/* Kind of an event: the time that parshall_net_wake asked for has come. */
#define PARSHALL_WAKE 2

/* Kind of an event: a datagram went no further. A real endpoint would not be told. */
#define PARSHALL_DROPPED 3

/* Content of a datagram: the payload of UDP. 28 bytes of headers go with it. */
#define PARSHALL_UDP 0

/* Content of a datagram: a whole IPv4 or IPv6 packet. */
#define PARSHALL_IP 1

/* Content of a datagram: no bytes, nothing but a size. */
#define PARSHALL_SIZE 2

/* ECN: the transport does not use it. */
#define PARSHALL_NOT_ECT 0

/* ECN: ECT(1). */
#define PARSHALL_ECT1 1

/* ECN: ECT(0). */
#define PARSHALL_ECT0 2

/* ECN: congestion experienced. */
#define PARSHALL_CE 3

/* Cause of a drop: the queue of a port had no room, or its algorithm dropped the packet. */
#define PARSHALL_BY_QUEUE 0

/* Cause of a drop: the queue of a port dropped the packet at random before it was full. */
#define PARSHALL_BY_EARLY_DROP 1

/* Cause of a drop: the conditioner of a port discarded it. */
#define PARSHALL_BY_CONDITIONER 2

/* Cause of a drop: it was lost on a link. */
#define PARSHALL_BY_LINK 3

/* Cause of a drop: it was larger than the path MTU. */
#define PARSHALL_BY_PATH_MTU 4

/* Cause of a drop: another one. */
#define PARSHALL_BY_OTHER 5

/* Protocol of two endpoints: UDP. */
#define PARSHALL_AS_UDP 0

/* Protocol of two endpoints: TCP. */
#define PARSHALL_AS_TCP 1

/* Type of a column: double; NaN where there is no value. */
#define PARSHALL_F64 0

/* Type of a column: uint64_t. */
#define PARSHALL_U64 1

/* Type of a column: int64_t. */
#define PARSHALL_I64 2

/* Type of a column: int32_t. */
#define PARSHALL_I32 3

/* Type of a column: uint8_t. */
#define PARSHALL_U8 4

/* Type of a column: uint8_t, 0 or 1. */
#define PARSHALL_BOOL 5

/* A datagram. One whose bytes are all zero is an empty datagram of UDP, so that a designated initializer
 * needs to name only what is there. What an event has can be sent as it is. */
typedef struct parshall_datagram {
    /* Payload or packet; NULL for PARSHALL_SIZE. */
    const void *bytes;
    /* Number of these bytes; 0 for PARSHALL_SIZE. */
    size_t length;
    /* A number by which queues such as FQ-CoDel, and routers with equal paths, tell flows of two endpoints
     * apart; 0 for none. An IP packet has that of its addresses, protocol and ports, whatever stands here. */
    uint64_t key;
    /* A number of the caller's, which the datagram still has when it arrives. */
    uint64_t tag;
    /* Bytes on the wire, headers included. 0 stands for the length and 28 bytes of headers of UDP, or the
     * length of a packet. */
    uint32_t wire_bytes;
    /* Bytes that count as delivered; 0 for all but the headers. */
    uint32_t payload_bytes;
    /* PARSHALL_UDP, PARSHALL_IP or PARSHALL_SIZE. */
    uint8_t content;
    /* The two bits of ECN. Those of an IP packet are in its header, whatever stands here. */
    uint8_t ecn;
    /* Code point of differentiated services, 0 to 63 (RFC 2474). That of an IP packet is in its header,
     * whatever stands here. */
    uint8_t dscp;
    /* 0. */
    uint8_t reserved[5];
} parshall_datagram;

/* Something that concerns the endpoints. */
typedef struct parshall_event {
    /* PARSHALL_END, PARSHALL_ARRIVAL, PARSHALL_WAKE or PARSHALL_DROPPED. */
    int32_t kind;
    /* The endpoint that a datagram has reached, that is woken, or that had sent what was dropped. */
    uint32_t endpoint;
    /* Now. */
    uint64_t at;
    /* When the datagram was sent. */
    uint64_t sent_at;
    /* Why it was dropped. */
    int32_t cause;
    /* 0. */
    int32_t reserved;
    /* The datagram, with ECN bits and code point as it arrives. Its bytes stay where they are until the
     * next event is asked for, or the network is finished or freed. */
    parshall_datagram datagram;
} parshall_event;

/* Makes a network without a scenario. parshall_net_free frees it, in any state. */
parshall_net *parshall_net_new(void);

/* Frees a network, and all that its functions have returned pointers to. NULL is ignored. */
void parshall_net_free(parshall_net *net);

/* Returns one line about the last call that failed: the function, the value, what was expected. It is
 * empty if none has failed. It stays where it is until the next call that fails. */
const char *parshall_net_error(const parshall_net *net);

/* Returns PARSHALL_NET_VERSION of the library, to be compared with that of the header. */
uint32_t parshall_net_version(void);

/* Returns the version of the engine. Libraries with the same one give the same results, to the last bit. */
const char *parshall_engine_version(void);

/* Reads a scenario from a file: TOML, or JSON if its name ends in .json. Files that it names are looked
 * for beside it. It takes the place of a scenario that was read before and not built. */
int32_t parshall_net_load(parshall_net *net, const char *path);

/* Reads a scenario from a text in TOML. Files that it names are looked for in the working directory. */
int32_t parshall_net_load_text(parshall_net *net, const char *toml);

/* Sets the seed of all random numbers. At first it is 1. */
int32_t parshall_net_set_seed(parshall_net *net, uint64_t seed);

/* Sets the MTU of the endpoints' own links, in bytes: to send a larger datagram is an error. At first it
 * is 65535. */
int32_t parshall_net_set_mtu(parshall_net *net, uint32_t bytes);

/* Keeps a trace of all that endpoints send and receive, for parshall_net_trace_digest. */
int32_t parshall_net_set_traced(parshall_net *net);

/* Attaches two endpoints, at two hosts, that send datagrams to each other, as a new flow of this name. A
 * node at the end of a single link becomes a host if it is none. The numbers of the endpoints go into an
 * array of two, that of the source first. */
int32_t parshall_net_attach(parshall_net *net,
                            const char *name,
                            const char *source,
                            const char *destination,
                            uint32_t endpoints[2]);

/* Puts two endpoints in the place of a flow of the scenario, at its source and its destination. The rest
 * is as with parshall_net_attach. */
int32_t parshall_net_replace(parshall_net *net, const char *flow, uint32_t endpoints[2]);

/* Sets the path MTU between an endpoint and the other one of its pair, in bytes: larger datagrams vanish
 * on the way. At first there is none. */
int32_t parshall_net_set_path_mtu(parshall_net *net, uint32_t endpoint, uint32_t bytes);

/* Sets what the datagrams of an endpoint and the other one of its pair count as where estimators and
 * series tell TCP from UDP: PARSHALL_AS_UDP, which it is at first, or PARSHALL_AS_TCP. */
int32_t parshall_net_set_protocol(parshall_net *net, uint32_t endpoint, int32_t protocol);

/* Makes the network, at rest, at instant 0. After an error it has no scenario. */
int32_t parshall_net_build(parshall_net *net);

/* Sends a datagram from an endpoint to the other one of its pair. It leaves at an instant, in picoseconds,
 * or at once for PARSHALL_NOW. Datagrams of one instant leave in the order of the calls. The bytes are
 * copied. */
int32_t parshall_net_send(parshall_net *net,
                          uint32_t endpoint,
                          uint64_t at,
                          const parshall_datagram *datagram);

/* Asks for PARSHALL_WAKE at an instant, in picoseconds, in place of the one that was asked for before. For
 * an instant that has passed it comes at once, or, if the endpoint has been woken just now, a nanosecond
 * later. PARSHALL_NEVER asks for none. */
int32_t parshall_net_wake(parshall_net *net, uint32_t endpoint, uint64_t at);

/* Takes back what was asked for by parshall_net_wake. */
int32_t parshall_net_cancel_wake(parshall_net *net, uint32_t endpoint);

/* Goes on to the next event, writes it, and returns its kind: PARSHALL_END, which is 0 and comes again
 * when asked again, or a positive one. After an error, which is negative, nothing has been written. */
int32_t parshall_net_next(parshall_net *net, parshall_event *event);

/* Goes on to the next event before an instant, in picoseconds, and otherwise does as parshall_net_next.
 * Returns PARSHALL_END if there is none; then it is that instant, and what happens at it has not happened. */
int32_t parshall_net_next_before(parshall_net *net, uint64_t limit, parshall_event *event);

/* Returns the earliest instant at which anything can happen, in the network or at an endpoint, in
 * picoseconds; PARSHALL_NEVER if nothing will, or after an error. */
uint64_t parshall_net_next_at(parshall_net *net);

/* Returns the simulated time, in picoseconds; PARSHALL_NEVER after an error. */
uint64_t parshall_net_now(parshall_net *net);

/* Returns the end of the scenario, in picoseconds; PARSHALL_NEVER after an error. */
uint64_t parshall_net_end(parshall_net *net);

/* Writes a hash of all that endpoints have sent and received: times, sizes, endpoints, ECN bits. Equal
 * runs have equal ones. The network is one with parshall_net_set_traced, in operation or finished. */
int32_t parshall_net_trace_digest(parshall_net *net, uint64_t *digest);

/* Ends the run at the present instant. The recording of what happened before can be read from then on. */
int32_t parshall_net_finish(parshall_net *net);

/* Returns the index of a flow, which is its row in the table flows; two endpoints are a flow of their
 * name. Negative after an error, and for two endpoints that sent nothing. */
int64_t parshall_net_flow(parshall_net *net, const char *name);

/* Returns the index of a port, which is its row in the table ports: "a->b" for the direction of a link
 * from a to b, or the name of a link for its forward direction. Negative after an error. */
int64_t parshall_net_port(parshall_net *net, const char *name);

/* Returns the values of a column, and writes their number. Tables are flows and ports, and those that the
 * scenario's record asks for. NULL after an error, and if the column is of another type. */
const uint64_t *parshall_net_u64(parshall_net *net, const char *table, const char *column, size_t *count);

/* Does as parshall_net_u64 for real numbers, of which times are in seconds. NaN stands where there is no
 * value. */
const double *parshall_net_f64(parshall_net *net, const char *table, const char *column, size_t *count);

/* Does as parshall_net_u64 for any type, which is written too: PARSHALL_F64 and so on. */
const void *parshall_net_column(parshall_net *net,
                                const char *table,
                                const char *column,
                                size_t *count,
                                int32_t *value_type);

/* Returns the capture of a port, and writes its length: a file in the format that the scenario asks for,
 * with the bytes that datagrams carried. The scenario's record.pcap names the ports. NULL after an error. */
const void *parshall_net_capture(parshall_net *net, const char *port, size_t *length);

#ifdef __cplusplus
}
#endif

#endif
