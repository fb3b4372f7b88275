// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure/interval.h"
#include "measure/law.h"
#include "measure/poisson.h"
#include "report/diff_estimate.h"

/* The normal distribution has 2.5 % beyond it. */
#define Z 1.959964

#define MILLION 1e6

/* A millionth of a second's, at one update per second. */
#define NS_OF_MILLIONTH 1e3

void diff_take_number(const struct diff_source *source, const struct diff_figure *figure,
		      struct diff_estimate *estimate)
{
	const json_t *value = value_at(source->part, figure->path);

	estimate->at = number_at(source->part, figure->path, &estimate->value);
	if (!json_is_array(value))
		return;
	estimate->at = NUMBER_THERE;
	estimate->value = (double)json_array_size(value);
}

static void set_interval(struct diff_estimate *estimate, double low, double high)
{
	estimate->has_interval = true;
	estimate->low = low;
	estimate->high = high;
}

static void widen(struct diff_estimate *estimate, double low, double high)
{
	if (estimate->has_interval)
		set_interval(estimate, fmin(low, estimate->low), fmax(high, estimate->high));
	else
		set_interval(estimate, low, high);
}

void diff_take_exact(const struct diff_source *source, const struct diff_figure *figure,
		     struct diff_estimate *estimate)
{
	diff_take_number(source, figure, estimate);
	set_interval(estimate, estimate->value, estimate->value);
}

/*
 * How much more counts scatter from one interval of the run to the next than if each event came by
 * itself: their variance by their mean, 1 at least.
 */
static double dispersion(const struct diff_source *source, const char *path, double per_read)
{
	const json_t *list = path ? value_at(source->root, "intervals") : NULL;
	double count, reads, squares = 0;
	size_t known = 0, i;
	json_t *one;

	json_array_foreach(list, i, one)
	{
		if (number_at(one, path, &count) != NUMBER_THERE ||
		    number_at(one, "reads", &reads) != NUMBER_THERE || !(reads * per_read > 0))
			continue;
		squares += pow(count - reads * per_read, 2) / (reads * per_read);
		known++;
	}
	return known < INTERVAL_MIN_VALUES ? 1 : fmax(1, squares / (double)(known - 1));
}

void diff_take_rate(const struct diff_source *source, const struct diff_figure *figure,
		    struct diff_estimate *estimate)
{
	struct poisson_limits limits;
	double reads = 0, scatter, count;

	diff_take_number(source, figure, estimate);
	if (estimate->at != NUMBER_THERE)
		return;
	if (number_at(source->part, figure->beside[0], &reads) != NUMBER_THERE || !(reads > 0) ||
	    !(estimate->value >= 0 && estimate->value < 1e18)) {
		estimate->at = NUMBER_NULL;
		return;
	}
	count = estimate->value;
	limits = poisson_limits((u64)count);
	scatter = sqrt(dispersion(source, figure->beside[1], count / reads));
	estimate->value *= MILLION / reads;
	set_interval(estimate, fmax(0, count - scatter * (count - limits.low)) * MILLION / reads,
		     (count + scatter * (limits.high - count)) * MILLION / reads);
}

void diff_take_bounds(const struct diff_source *source, const struct diff_figure *figure,
		      struct diff_estimate *estimate)
{
	const json_t *bounds = value_at(source->part, figure->beside[0]);
	double low, high;

	diff_take_number(source, figure, estimate);
	if (number_at(bounds, "0", &low) == NUMBER_THERE &&
	    number_at(bounds, "1", &high) == NUMBER_THERE)
		set_interval(estimate, low, high);
}

void diff_take_ends(const struct diff_source *source, const struct diff_figure *figure,
		    struct diff_estimate *estimate)
{
	double low, high;

	diff_take_number(source, figure, estimate);
	if (number_at(source->part, figure->beside[0], &low) == NUMBER_THERE &&
	    number_at(source->part, figure->beside[1], &high) == NUMBER_THERE)
		set_interval(estimate, low, high);
}

/* Ends farther from the value, for what the machine changes from one measurement to the next. */
static void set_scattered(struct diff_estimate *estimate, double low_share, double high_share)
{
	const double value = estimate->value;

	set_interval(estimate, value - value * hypot(low_share, Z * LAW_SCATTER),
		     value + value * hypot(high_share, Z * LAW_SCATTER));
}

void diff_take_visible(const struct diff_source *source, const struct diff_figure *figure,
		       struct diff_estimate *estimate)
{
	double rate_hz = 0, low, high;

	diff_take_rate(source, figure, estimate);
	if (estimate->at != NUMBER_THERE)
		return;
	if (number_at(source->root, figure->beside[2], &rate_hz) != NUMBER_THERE ||
	    !(rate_hz > 0)) {
		estimate->at = NUMBER_NULL;
		return;
	}
	low = estimate->low * NS_OF_MILLIONTH / rate_hz;
	high = estimate->high * NS_OF_MILLIONTH / rate_hz;
	estimate->value *= NS_OF_MILLIONTH / rate_hz;
	set_interval(estimate, low, high);
	if (estimate->value > 0)
		set_scattered(estimate, 1 - low / estimate->value, high / estimate->value - 1);
}

void diff_take_scattered(const struct diff_source *source, const struct diff_figure *figure,
			 struct diff_estimate *estimate)
{
	double low, high, count;

	diff_take_number(source, figure, estimate);
	if (number_at(source->part, figure->beside[0], &low) != NUMBER_THERE ||
	    number_at(source->part, figure->beside[1], &high) != NUMBER_THERE ||
	    number_at(source->part, figure->beside[2], &count) != NUMBER_THERE || !(count > 0))
		return;
	set_scattered(estimate, 1 - low / count, high / count - 1);
}

/* One bucket of a histogram; false if it is none. */
static bool take_bucket(const json_t *bucket, double *upper, double *count)
{
	return number_at(bucket, "0", upper) == NUMBER_THERE &&
	       number_at(bucket, "1", count) == NUMBER_THERE && *count >= 0;
}

static double count_all(const json_t *histogram)
{
	double upper, count, all = 0;
	json_t *bucket;
	size_t i;

	json_array_foreach(histogram, i, bucket) if (take_bucket(bucket, &upper, &count)) all +=
		count;
	return all;
}

static double spread_of(const json_t *histogram, double mean)
{
	double upper, count, squares = 0;
	json_t *bucket;
	size_t i;

	json_array_foreach(histogram, i, bucket) if (take_bucket(bucket, &upper, &count)) squares +=
		count * (upper - mean) * (upper - mean);
	return squares;
}

static void widen_by_each(const struct diff_source *source, const struct diff_figure *figure,
			  struct diff_estimate *estimate)
{
	const json_t *each = figure->beside[1] ? value_at(source->part, figure->beside[1]) : NULL;
	/* Of the readers' readers.read_ns.mean that of each is read_ns.mean. */
	const char *path = figure->path + strcspn(figure->path, ".") + 1;
	double value;
	json_t *one;
	size_t i;

	json_array_foreach(each, i, one) if (number_at(one, path, &value) == NUMBER_THERE)
		widen(estimate, value, value);
}

void diff_take_mean(const struct diff_source *source, const struct diff_figure *figure,
		    struct diff_estimate *estimate)
{
	const json_t *histogram = value_at(source->part, figure->beside[0]);
	const double all = count_all(histogram);
	double error;

	diff_take_number(source, figure, estimate);
	if (estimate->at != NUMBER_THERE || all < 2)
		return;
	error = Z * sqrt(spread_of(histogram, estimate->value) / (all - 1) / all);
	set_interval(estimate, estimate->value - error, estimate->value + error);
	widen_by_each(source, figure, estimate);
}

/* The upper end of the bucket that holds the length of that rank, 1 being the shortest. */
static double length_of_rank(const json_t *histogram, double rank)
{
	double upper, count, length = 0;
	json_t *bucket;
	size_t i;

	json_array_foreach(histogram, i, bucket)
	{
		if (!take_bucket(bucket, &upper, &count))
			continue;
		length = upper;
		rank -= count;
		if (rank <= 0)
			break;
	}
	return length;
}

void diff_take_batches(const struct diff_source *source, const struct diff_figure *figure,
		       struct diff_estimate *estimate)
{
	const json_t *list = value_at(source->root, "intervals");
	const size_t room = json_array_size(list);
	struct interval interval = {.known = false};
	double *values = calloc(2 * room + 1, sizeof(*values));
	size_t known = 0;
	json_t *one;
	size_t i;

	if (!estimate->has_interval)
		diff_take_number(source, figure, estimate);
	if (!values || !figure->beside[1]) {
		free(values);
		return;
	}
	json_array_foreach(list, i, one) known +=
		number_at(one, figure->beside[1], &values[known]) == NUMBER_THERE;
	if (known)
		interval = interval_of_median(values, known, values + room);
	if (interval.known)
		widen(estimate, fmin(interval.low, estimate->value),
		      fmax(interval.high, estimate->value));
	free(values);
}

void diff_take_quantile(const struct diff_source *source, const struct diff_figure *figure,
			struct diff_estimate *estimate)
{
	const json_t *histogram = value_at(source->part, figure->beside[0]);
	const double all = count_all(histogram);
	const double rank = all * figure->quantile;
	const double error = Z * sqrt(rank * (1 - figure->quantile));
	double step = 0;

	diff_take_number(source, figure, estimate);
	if (estimate->at != NUMBER_THERE || !(all > 0))
		return;
	(void)number_at(source->root, "counter.step_ns", &step);
	set_interval(estimate,
		     fmin(estimate->value, length_of_rank(histogram, floor(rank - error))) - step,
		     fmax(estimate->value, length_of_rank(histogram, ceil(rank + error) + 1)) +
			     step);
	diff_take_batches(source, figure, estimate);
}
