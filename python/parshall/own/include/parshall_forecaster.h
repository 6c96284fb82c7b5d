/* The interface of Parshall's compiled forecasters. Made by python -m parshall.own.header. */

#ifndef PARSHALL_FORECASTER_H
#define PARSHALL_FORECASTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PARSHALL_FORECASTER_VERSION 1

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

/* Shared state of a forecaster and the engine. The state of every compiled forecaster begins with it; the
 * engine sets it before each call. */
typedef struct parshall_series {
    /* Functions that the engine lends; see there. */
    const parshall_host *host;
    /* The forecaster, for functions of the host that ask for it. */
    void *flow;
} parshall_series;

/* A forecaster: what a library's function parshall_forecaster() returns. A function that is NULL does
 * nothing. Those that return an int return 0 (of one that sets a number, 1 says that there is none yet), or
 * the number of what went wrong, which ends the run. The functions of one series are called by one thread at
 * a time; those of several series may be called by several. */
typedef struct parshall_forecaster_table {
    /* PARSHALL_FORECASTER_VERSION. */
    uint32_t version;
    /* 0. */
    uint32_t reserved;
    /* Name in messages. */
    const char *name;
    /* Bytes of the state of a series. It begins with a series, then the parameters as doubles in the order
     * of their list; the rest is zero before on_start. It is neither moved nor freed by the forecaster. The
     * engine may copy it byte by byte: of pointers it holds none but those that the host gave. */
    size_t state_size;
    const parshall_parameter *parameters;
    /* The series begins. */
    int32_t (*on_start)(void *state);
    /* Takes in a sample, a finite number. */
    int32_t (*update)(void *state, double x);
    /* Sets the next sample. A library has to have it. */
    int32_t (*forecast)(void *state, double *forecast);
    /* Sets the sample after so many more, 2 or more; without it, forecast is asked. */
    int32_t (*forecast_ahead)(void *state, int64_t steps, double *forecast_ahead);
} parshall_forecaster_table;

/* The one function that a library has to have. */
const parshall_forecaster_table *parshall_forecaster(void);

#ifdef __cplusplus
}
#endif

#endif
