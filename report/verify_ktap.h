/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A verification as KTAP: a suite of the mutants, each of which must be killed, and one of what is
 * correct, which must not be accused.
 */
#ifndef REPORT_VERIFY_KTAP_H
#define REPORT_VERIFY_KTAP_H

#include <stdio.h>

#include "report/verification.h"

/* 0, or -1 if `out` has had an error. One thread for `out`. */
int report_verify_ktap(FILE *out, const struct verification *verification);

#endif /* REPORT_VERIFY_KTAP_H */
