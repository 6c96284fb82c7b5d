// SPDX-License-Identifier: GPL-2.0
/*
 * Runs the kernel's estimator in user space: reads configurations and samples from
 * the standard input as numbers of 64 bits, writes what it says to the standard
 * output. A run is a configuration, a count of samples, and the samples.
 */
#include <stdio.h>
#include <stdlib.h>

#include "estmred_core.h"

static bool numbers(u64 *to, size_t count)
{
	return fread(to, sizeof(*to), count, stdin) == count;
}

static void say(const void *from, size_t count)
{
	if (fwrite(from, sizeof(u64), count, stdout) != count)
		exit(1);
}

static void say_estimate(const struct estmred_core *e)
{
	const struct estmred_estimate *s = &e->estimate;
	u64 words[] = {
		s->share, s->average, s->n_s, s->z0, s->rtt_ms, s->excitation, s->arrived, s->flags,
	};

	say(words, 8);
}

static void say_state(const struct estmred_core *e)
{
	u64 words[] = { e->beta[0], e->beta[1], e->beta[2], e->estimates, e->sleeps, e->asleep };

	say(words, 6);
}

static struct estmred_config config_of(const u64 *w)
{
	struct estmred_config c = {
		.bandwidth = w[0], .avpkt = w[1], .delay = w[2], .rtt = w[3], .sampling = w[4],
		.interval = w[5], .clock = w[6], .form = w[7], .count_drops = w[8], .gamma1 = w[9],
		.gamma2 = w[10], .backlog_alpha = w[11], .signal_alpha = w[12], .drop_alpha = w[13],
		.average_alpha = w[14], .pzthd = w[15], .off = w[16], .start_flows = w[17],
		.start_load = w[18], .start_elsewhere = w[19],
	};

	return c;
}

int main(void)
{
	static struct estmred_core core;
	struct estmred_config defaults;
	struct estmred_settings settings;
	u64 words[21], sample[5];

	estmred_defaults(&defaults);
	while (numbers(words, 21)) {
		struct estmred_config config = config_of(words);
		u64 fault = estmred_resolve(&config, &settings);

		/* What every run can tell of the defaults: that they are the same. */
		fault |= (u64)defaults.gamma2 << 8 | (u64)defaults.signal_alpha << 24 |
			 (u64)defaults.off << 40;
		say(&fault, 1);
		if (!(fault & 255))
			estmred_begin(&core, &settings);
		for (u64 left = words[20]; left && numbers(sample, 5); left--) {
			struct estmred_sample s = { sample[1], sample[2], sample[3], sample[4] };

			if (!(fault & 255) && estmred_take(&core, sample[0], &s))
				say_estimate(&core);
		}
		if (!(fault & 255))
			say_state(&core);
	}
	return 0;
}
