/* Who is calling: the credential as it was presented and checked, and what it may see and do (spec section 3). */
#ifndef CALL_CALLER_H
#define CALL_CALLER_H
#include "base/conf.h"
#include "base/secret.h"
#include "directory/directory.h"
#include "call/token.h"
#include "lang/scope.h"

enum caller_kind { CALLER_ANONYMOUS, CALLER_TOKEN, CALLER_OWNER };

/* How credentials were presented; p NULL when absent. The web layer fills it from headers, body and query. */
struct caller_presented { struct str terminal_key, bearer, capability_token, body_token, share; };

struct caller {
	enum caller_kind kind;
	const char *actor;              /* "owner:terminal-key", "cap:<fingerprint>", "anonymous" */
	const struct scope *anonymous;  /* what everybody may do; NULL: nothing */
	const struct token *token;      /* of CALLER_TOKEN; it may be revoked or expired: see caller_check */
	/* An agent of low risk acts for it: no row of high risk, and nothing that only the owner may. */
	bool low_risk;
	struct str presented;           /* its text; p NULL: none. In no answer, log or record */
};

/* Once a process and at a change of settings; secrets and directory stay alive. -1: the setting `anonymous` is
 * malformed. */
int caller_init(const struct conf *conf, const struct secrets *secrets, struct directory *directory, struct problem *why);
void caller_done(void);
/* 400 `ambiguous_credential`, 401 `token_invalid`. The same credential in several places is one. An empty one was
 * presented too, and is invalid. The owner's key is accepted as terminal_key and bearer alone, and nowhere when it
 * stands in the URL; a token everywhere but as terminal_key. A token that is known is a caller even when it is revoked or
 * expired. 503 when tokens cannot be read. */
int caller_resolve(struct caller *out, struct arena *a, const struct caller_presented *p, struct problem *why);
/* 401 `revoked`, `expired`, `ancestor_revoked`, `ancestor_expired` of a token as it was when it was presented. Such a
 * caller reads what everybody may. */
int caller_check(const struct caller *c, struct problem *why);
/* The caller of a process without a request, or of one that has shown nothing. */
void caller_anonymous(struct caller *out);
bool caller_reads(const struct caller *c, struct str key, struct str category, bool enabled);
/* Whether a call of the row would pass as far as that is a matter of the row alone: nobody without a credential runs
 * one of high risk, or one outside the setting `anonymous`; a token calls what its scope and risk ceiling cover. */
bool caller_calls(const struct caller *c, struct str key, struct str category, bool enabled, bool sensitive);
/* caller_reads as a predicate for the directory layer; c must stay alive. */
struct directory_reader caller_reader(const struct caller *c);
/* Whether it may do what is the owner's alone. */
bool caller_is_owner(const struct caller *c);

#endif
