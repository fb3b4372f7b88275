/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a read-modify-write makes of what it finds.
 */
#ifndef PROVE_MODIFIED_H
#define PROVE_MODIFIED_H

#include "prove/access.h"

/* Of values in 64 bits; whoever stores the result cuts it to the size of the access. */
static inline u64 access_modified(enum access_operation operation, u64 value, u64 operand)
{
	switch (operation) {
	case ACCESS_EXCHANGE:
		return operand;
	case ACCESS_ADD:
		return value + operand;
	case ACCESS_SUB:
		return value - operand;
	case ACCESS_AND:
		return value & operand;
	case ACCESS_OR:
		return value | operand;
	case ACCESS_XOR:
		return value ^ operand;
	case ACCESS_NAND:
		return ~(value & operand);
	}
	return value;
}

#endif /* PROVE_MODIFIED_H */
