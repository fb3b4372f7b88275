// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "prove/direct.h"
#include "prove/modified.h"

static u64 look(const struct access *access)
{
	u64 value = 0;

	memcpy(&value, access->address, access->bytes);
	return value;
}

static void put(const struct access *access, u64 value)
{
	memcpy(access->address, &value, access->bytes);
}

static u64 modify(const struct access *access, enum access_operation operation, u64 operand)
{
	const u64 value = look(access);

	put(access, access_modified(operation, value, operand));
	return value;
}

static bool compare(const struct access *access, u64 *expected, u64 desired, u8 failure_order)
{
	const u64 value = look(access);

	(void)failure_order;
	if (value != *expected) {
		*expected = value;
		return false;
	}
	put(access, desired);
	return true;
}

static void order(u8 kind, const void *site)
{
	(void)kind, (void)site;
}

static void announce(const struct access *access)
{
	(void)access;
}

static u64 await(const struct access *access, bool (*wanted)(u64 value, u64 argument), u64 argument)
{
	const u64 value = look(access);

	if (!wanted(value, argument))
		__builtin_trap();
	return value;
}

static u64 await_and_modify(const struct access *access, bool (*wanted)(u64 value, u64 argument),
			    u64 argument, u64 (*change)(u64 value, u64 argument))
{
	const u64 value = await(access, wanted, argument);

	put(access, change(value, argument));
	return value;
}

static void enter(const void *caller)
{
	(void)caller;
}

static void leave(void)
{
}

static void pass(u32 number)
{
	(void)number;
}

static void tell(u64 outcome)
{
	(void)outcome;
}

const struct prove_calls direct_calls = {
	.load = look,
	.store = put,
	.modify = modify,
	.compare = compare,
	.fence = order,
	.before_load = announce,
	.await = await,
	.await_and_modify = await_and_modify,
	.enter = enter,
	.leave = leave,
	.pass = pass,
	.tell = tell,
};
