/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was proven as KTAP: a suite of the reader, with a test for each model that was asked for.
 */
#ifndef REPORT_PROVE_KTAP_H
#define REPORT_PROVE_KTAP_H

#include <stdio.h>

#include "report/proven.h"

/* 0, or -1 if `out` has had an error. One thread for `out`. */
int report_prove_ktap(FILE *out, const struct proven *proven);

#endif /* REPORT_PROVE_KTAP_H */
