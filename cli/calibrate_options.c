// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/calibrate_options.h"
#include "cli/cpus.h"
#include "cli/parse.h"
#include "cli/usage.h"

#define DEFAULT_DURATION_NS (5ull * NSEC_PER_SEC)
#define DURATION_MIN_NS	    1000000
#define DURATION_MAX_NS	    (3600ull * NSEC_PER_SEC)
#define MAX_IMAGES	    FIGURES(FIELD_MAX_IMAGES)

/* The kernel's order of its ids, and what is calibrated if no clock is chosen. */
static const clockid_t all_clocks[CALIBRATE_CLOCKS] = {
	CLOCK_REALTIME,		CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, CLOCK_REALTIME_COARSE,
	CLOCK_MONOTONIC_COARSE, CLOCK_BOOTTIME,	 CLOCK_TAI,
};

enum key {
	KEY_DURATION = 'd',
	KEY_QUIET = 'q',
	KEY_HELP = 'h',
	KEY_CLOCK = 256,
	KEY_CPU,
	KEY_IMAGE,
	KEY_JSON,
};

static const struct argp_option options_table[] = {
	{"clock", KEY_CLOCK, "NAMES", 0,
	 "Clocks, with commas between them, or given again: realtime, monotonic, monotonic_raw, "
	 "realtime_coarse, monotonic_coarse, boottime, tai; default all",
	 0},
	{"image", KEY_IMAGE, "FILE", 0,
	 "Also a vDSO image, such as the vdso64.so of a kernel's build, on a page of ours. Its "
	 "code "
	 "is RUN with all your rights: name no file that you would not run. May be given up "
	 "to " MAX_IMAGES " times; the first is what further ones are compared with. host, the "
	 "running kernel's own, takes part anyway: name it first to compare others with it. "
	 "Default none",
	 0},
	{"duration", KEY_DURATION, "T", 0,
	 "How long to measure: 1ms to 1h, as in 10s, 1.5s, 500ms, 2m; default 5s", 0},
	{"cpu", KEY_CPU, "N", 0,
	 "CPU to run on; it must be online and allowed. Default the last that is allowed", 0},
	USAGE_JSON(KEY_JSON),
	USAGE_QUIET(KEY_QUIET),
	USAGE_HELP(KEY_HELP),
	{0},
};

/* Beside what is to be filled, what can be done only when all arguments are known. */
struct parse {
	struct calibrate_options *options;
	struct errmsg *err;
	size_t images;
	const char *image[FIELD_MAX_IMAGES];
};

static int add_clock(struct calibrate_config *config, const char *name, struct errmsg *err)
{
	const clockid_t clock = clock_by_name(name);

	if (clock < 0)
		return errmsg_set(err,
				  "%s is not a clock: there are realtime, monotonic, "
				  "monotonic_raw, realtime_coarse, monotonic_coarse, boottime, "
				  "tai",
				  value_quote(name).text);
	for (size_t i = 0; i < config->clocks; i++)
		if (config->clock[i] == clock)
			return errmsg_set(err, "%s is given twice", name);
	config->clock[config->clocks++] = clock;
	return 0;
}

static int parse_clocks(const char *text, struct calibrate_config *config, struct errmsg *err)
{
	const char *at = text;

	for (;;) {
		char name[64];
		size_t length = strcspn(at, ",");

		snprintf(name, sizeof(name), "%.*s", length < sizeof(name) ? (int)length : 63, at);
		if (add_clock(config, name, err))
			return -1;
		if (!at[length])
			return 0;
		at += length + 1;
	}
}

static int keep_image(struct parse *parse, const char *name, struct errmsg *err)
{
	if (parse->images == FIELD_MAX_IMAGES)
		return errmsg_set(err, "%s is one too many: %d images at most",
				  value_quote(name).text, FIELD_MAX_IMAGES);
	parse->image[parse->images++] = name;
	return 0;
}

/* 0, -1 with a sentence in *err, or ARGP_ERR_UNKNOWN. */
static int take_option(struct parse *parse, int key, const char *value, struct errmsg *err)
{
	struct calibrate_options *options = parse->options;

	switch (key) {
	case KEY_CLOCK:
		return parse_clocks(value, &options->config, err);
	case KEY_CPU:
		return cpus_parse_one(value, &options->config.cpu, err);
	case KEY_IMAGE:
		return keep_image(parse, value, err);
	case KEY_DURATION:
		return parse_duration(value, DURATION_MIN_NS, DURATION_MAX_NS,
				      &options->config.duration_ns, err);
	case KEY_JSON:
		options->json = value;
		return 0;
	case KEY_QUIET:
		options->quiet = true;
		return 0;
	case KEY_HELP:
		options->help = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	struct parse *parse = state->input;
	struct errmsg err;
	int result = take_option(parse, key, value, &err);

	return result >= 0 ? result : usage_refuse(options_table, key, &err, parse->err);
}

static const struct argp argp = {
	.options = options_table,
	.parser = parse_option,
	.doc = "Hold ways to the time against each other: our reader and the host's vDSO code on "
	       "pages of ours, which tell the time of the kernel's page; the host's vDSO; glibc's "
	       "clock_gettime; the system call.\v"
	       "Each takes its turn in blocks, in one thread on one CPU, and its values are "
	       "compared. Exit status: 0 all well; 1 usage, or the environment cannot do what was "
	       "asked; 2 values disagree, however it ended; 130 interrupted.",
};

static int open_images(const struct parse *parse, struct calibrate_config *config,
		       struct errmsg *err)
{
	struct errmsg why;

	for (size_t i = 0; i < parse->images; i++) {
		struct vdso_image *image = malloc(sizeof(*image));

		if (!image)
			return errmsg_set(err, "--image: no memory");
		if (vdso_image_open(image, parse->image[i], &why)) {
			free(image);
			return errmsg_set(err, "--image: %s", why.text);
		}
		config->image[config->images++] = image;
	}
	return 0;
}

int calibrate_options_parse(int argc, char **argv, struct calibrate_options *options,
			    struct errmsg *err)
{
	struct parse parse = {.options = options, .err = err};
	struct calibrate_config *config = &options->config;

	*options = (struct calibrate_options){
		.config = {.duration_ns = DEFAULT_DURATION_NS, .cpu = -1},
	};
	if (usage_check(options_table, 0, argc, argv, err) ||
	    argp_parse(&argp, argc, argv, USAGE_ARGP_FLAGS, NULL, &parse))
		return -1;
	if (options->help)
		return 0;
	if (!config->clocks) {
		memcpy(config->clock, all_clocks, sizeof(all_clocks));
		config->clocks = CALIBRATE_CLOCKS;
	}
	if (!open_images(&parse, config, err))
		return 0;
	calibrate_options_release(options);
	return -1;
}

void calibrate_options_release(struct calibrate_options *options)
{
	struct calibrate_config *config = &options->config;

	while (config->images) {
		struct vdso_image *image = config->image[--config->images];

		vdso_image_close(image);
		free(image);
	}
}

void calibrate_options_help(void)
{
	usage_help(&argp, "contend calibrate",
		   ARGP_HELP_SHORT_USAGE | ARGP_HELP_PRE_DOC | ARGP_HELP_LONG | ARGP_HELP_POST_DOC);
}
