/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From one estimate to another: how large the change is, and how sure that is.
 */
#ifndef REPORT_DIFF_CHANGE_H
#define REPORT_DIFF_CHANGE_H

#include "report/diff_table.h"

struct diff_change {
	bool known;    /* both are there */
	double change; /* in percent of the old one, or in its own unit; may be infinite, from 0 */
	bool has_interval;
	double low; /* of 95 %; either end may be infinite */
	double high;
};

/*
 * Both intervals are of 95 %, and independent. The interval of a difference is made of theirs by
 * "variance estimates recovery": the distances of the ends are added as squares. That of a ratio is
 * one of a difference of logarithms. Source: G. Y. Zou, A. Donner, Construction of confidence
 * limits about effect measures, Statistics in Medicine 27 (2008) 1693-1702. Where there is no
 * logarithm, an end being 0 or below, each end is the worst case of both: too wide, never too
 * narrow. Safe in any thread.
 */
struct diff_change diff_change_of(enum diff_scale scale, const struct diff_estimate *old_one,
				  const struct diff_estimate *new_one);

/* By how much at least it got worse, in the unit of the change; below 0: not surely at all. */
double diff_change_worse(const struct diff_change *change, enum diff_worse worse);

#endif /* REPORT_DIFF_CHANGE_H */
