/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What each barrier and each ordering of a correct reader and writer is for: it is weakened, by
 * itself, and what then holds is proven anew. And what would mend one that is not correct.
 */
#ifndef PROVE_WEAKEN_H
#define PROVE_WEAKEN_H

#include "prove/proof.h"

#define WEAKEN_MAX 128

struct weakening {
	struct explore_site site; /* what stands there; the first, if the compiler made several */
	u8 order;		  /* what stands there instead; a relaxed fence is none */
	bool asked[MODELS];
	u8 verdict[MODELS]; /* enum proof_verdict, under that model */
	u8 fault[MODELS];   /* enum proof_fault */
	struct proof_bounds bounds[MODELS];
};

/*
 * All ways to weaken one thing of what stands at the sites, which are those of an exploration, into
 * list[max], in the order of the sites; how many. Nothing is explored.
 */
u32 weaken_list(const struct proof_subject *subject, const struct explore_result *explored,
		struct weakening *list, u32 max);

/*
 * Proves the subject with that weakening, and notes the verdict under config->model. 0, or -1 with
 * a sentence in *err. *proof is where it is done.
 */
int weaken_prove(const struct proof_subject *subject, const struct proof_config *config,
		 const struct explore_result *explored, struct weakening *weakening,
		 struct proof *proof, struct errmsg *err);

/* What orders two accesses that nothing orders. */
struct mending {
	struct explore_site first;  /* the access before; kind EVENT_FENCE: none in this pass */
	struct explore_site second; /* what it is done to, or before */
	bool fence_first;	    /* a fence before the second; else another order of it */
	u8 order;
};

#define MENDING_MAX 4

/*
 * Of single fences, and of single accesses made stronger, those with which what is broken holds
 * under config->model, within its bounds; how many, MENDING_MAX at most, or -1 with a sentence in
 * *err.
 */
int weaken_mend(const struct proof_subject *subject, const struct proof_config *config,
		const struct proof *broken, struct mending *list, struct proof *proof,
		struct errmsg *err);

#endif /* PROVE_WEAKEN_H */
