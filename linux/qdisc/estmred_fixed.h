/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers scaled by 2^14 in 64-bit integers (Zhao 2004, III.A.2).
 *
 * Where a product or a scaled dividend would overflow, a smaller scale is used
 * for that operation and the result is brought back to 2^14 ("dynamic scale"):
 * it loses digits, not its magnitude. What does not fit even so is put at the
 * limit, and remembered. Results are rounded to the nearest number: a filter
 * that rounds down settles below its input.
 *
 * Compiles in the kernel and in user space, without undefined behaviour for any
 * input. crates/estimators/src/nonresponsive/fixed.rs has the same functions,
 * and a test compares the two bit by bit.
 */
#ifndef ESTMRED_FIXED_H
#define ESTMRED_FIXED_H

#ifdef __KERNEL__
#include <linux/types.h>
#include <linux/bitops.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/overflow.h>
#include <linux/string.h>
#else
#include "estmred_userspace.h"
#endif

#define ESTMRED_SCALE	14
#define ESTMRED_ONE	((s64)1 << ESTMRED_SCALE)

/* Remembers whether a result did not fit, and the last root. */
struct estmred_fixed {
	bool saturated;
	u64 root;
};

static inline u64 estmred_magnitude(s64 x)
{
	return x < 0 ? 0 - (u64)x : (u64)x;
}

/* How many bits the magnitude takes. */
static inline int estmred_bits(s64 x)
{
	return fls64(estmred_magnitude(x));
}

/* The limit that has the sign of x; 0 has none. */
static inline s64 estmred_limit(s64 x)
{
	return x > 0 ? S64_MAX : x < 0 ? -S64_MAX : 0;
}

/* -1, 0 or 1. */
static inline s64 estmred_sign(s64 x)
{
	return (x > 0) - (x < 0);
}

/* a + b, at the limits of s64 where it does not fit. */
static inline s64 estmred_plus(s64 a, s64 b)
{
	s64 sum;

	if (check_add_overflow(a, b, &sum))
		return b < 0 ? S64_MIN : S64_MAX;
	return sum;
}

static inline u64 estmred_plus_u(u64 a, u64 b)
{
	return a + b < a ? U64_MAX : a + b;
}

/* a b, at the limits of s64 where it does not fit. */
static inline s64 estmred_times(s64 a, s64 b)
{
	s64 product;

	if (check_mul_overflow(a, b, &product))
		return (a < 0) == (b < 0) ? S64_MAX : S64_MIN;
	return product;
}

/* x / 2^by, to the nearest; by is below 63. */
static inline s64 estmred_round_shift(s64 x, int by)
{
	if (by == 0)
		return x;
	return estmred_plus(x, (s64)1 << (by - 1)) >> by;
}

/* a / b, to the nearest; b is not 0. */
static inline s64 estmred_div_round(s64 a, s64 b)
{
	s64 half = (s64)(estmred_magnitude(b) / 2);

	a = estmred_plus(a, a < 0 ? -half : half);
	if (b == -1)
		return (s64)(0 - (u64)a);
	return div64_s64(a, b);
}

static inline s64 estmred_keep(struct estmred_fixed *f, bool fits, s64 x, s64 sign)
{
	if (fits)
		return x;
	f->saturated = true;
	return estmred_limit(sign);
}

static inline s64 estmred_grow(struct estmred_fixed *f, s64 x, int by)
{
	bool fits = estmred_bits(x) + by <= 63;

	return estmred_keep(f, fits, fits ? x * ((s64)1 << by) : 0, x);
}

static inline s64 estmred_mul_large(struct estmred_fixed *f, s64 a, s64 b)
{
	bool first = estmred_magnitude(a) > estmred_magnitude(b);
	s64 larger = first ? a : b;
	s64 smaller = first ? b : a;
	int excess = estmred_bits(larger) + estmred_bits(smaller) - 62;
	s64 product;

	if (excess < 0)
		excess = 0;
	if (excess > ESTMRED_SCALE + 2)
		return estmred_keep(f, false, 0, estmred_sign(a) * estmred_sign(b));
	product = estmred_times(estmred_round_shift(larger, excess), smaller);
	if (excess <= ESTMRED_SCALE)
		return estmred_round_shift(product, ESTMRED_SCALE - excess);
	return estmred_grow(f, product, excess - ESTMRED_SCALE);
}

/* a b */
static inline s64 estmred_mul(struct estmred_fixed *f, s64 a, s64 b)
{
	s64 product;

	if (check_mul_overflow(a, b, &product))
		return estmred_mul_large(f, a, b);
	return estmred_round_shift(product, ESTMRED_SCALE);
}

/* a / b; a division by 0 gives the limit of a's sign. */
static inline s64 estmred_div(struct estmred_fixed *f, s64 a, s64 b)
{
	int scale = 62 - min(estmred_bits(a), 62);
	s64 quotient;

	if (b == 0)
		return estmred_keep(f, false, 0, a);
	scale = min(scale, ESTMRED_SCALE);
	quotient = estmred_div_round(a * ((s64)1 << scale), b);
	if (scale == ESTMRED_SCALE)
		return quotient;
	return estmred_grow(f, quotient, ESTMRED_SCALE - scale);
}

/* a n / d with plain whole numbers n and d > 0. */
static inline s64 estmred_scale(struct estmred_fixed *f, s64 a, s64 n, s64 d)
{
	s64 product;
	bool fits;

	if (!check_mul_overflow(a, n, &product))
		return estmred_div_round(product, d);
	fits = !check_mul_overflow(estmred_div_round(a, d), n, &product);
	return estmred_keep(f, fits, product, estmred_sign(a) * estmred_sign(n));
}

static inline s64 estmred_add(struct estmred_fixed *f, s64 a, s64 b)
{
	s64 sum;
	bool fits = !check_add_overflow(a, b, &sum);

	return estmred_keep(f, fits, sum, a);
}

static inline s64 estmred_sub(struct estmred_fixed *f, s64 a, s64 b)
{
	s64 difference;
	bool fits = !check_sub_overflow(a, b, &difference);

	return estmred_keep(f, fits, difference, a);
}

/* alpha v + (1 - alpha) x, for alpha between 0 and 1. */
static inline s64 estmred_blend(struct estmred_fixed *f, s64 alpha, s64 v, s64 x)
{
	return estmred_add(f, x, estmred_mul(f, alpha, estmred_sub(f, v, x)));
}

/* The mean of root and n / root, never below the root of n rounded down. */
static inline u64 estmred_newton(u64 n, u64 root)
{
	return (root + div64_u64(n, root)) / 2;
}

/*
 * The greatest whole number whose square is at most n: Newton's steps from a
 * guess, which is first put between the powers of two around the root. After
 * the first step they go down until they no longer do; from that start fewer
 * than ten are needed, and two or three from a root that is nearly right.
 */
static inline u64 estmred_square_root(u64 n, u64 guess)
{
	u64 above, root, next;

	if (n < 2)
		return n;
	above = (u64)1 << ((fls64(n) + 1) / 2);
	root = estmred_newton(n, clamp(guess, above / 2, above));
	for (;;) {
		next = estmred_newton(n, root);
		if (next >= root)
			return root;
		root = next;
	}
}

/* sqrt(a b) of two numbers that are not negative. */
static inline s64 estmred_geometric_mean(struct estmred_fixed *f, s64 a, s64 b)
{
	s64 product;

	if (check_mul_overflow(a, b, &product))
		f->root = estmred_square_root((u64)a, 0) * estmred_square_root((u64)b, 0);
	else
		f->root = estmred_square_root((u64)product, f->root);
	return (s64)min_t(u64, f->root, S64_MAX);
}

#endif
