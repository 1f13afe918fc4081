/* Router tags in prose: [KEY]arguments[/KEY] calls a row (spec section 6.6). Pure, and linear in the text's length
 * whatever it holds.
 *
 * A name is a tag when `known` says so, exactly as it is written; everything else in brackets is text. Between a tag
 * and its end all is argument, other tags too; a tag of the same name within it has an end of its own. Text is also: a
 * tag that is not closed, an end that nothing opened, and tags
 *   - between [REPLY] and [/REPLY], or to the end of the text when that is missing;
 *   - in a code fence (a line that begins with three or more ` or ~, up to such a line or the end of the text) and
 *     between equal runs of ` in one paragraph;
 *   - in quotes: a line that begins with >, and between "…", “…”, „…“, «…» in one paragraph, where a " directly behind
 *     a letter or digit opens nothing;
 *   - in thinking: between <think> and </think>, or <thinking> and </thinking>, in any case of letters, to the end of
 *     the text when it is not closed, and from its beginning when it was not opened. */
#ifndef LANG_TAG_H
#define LANG_TAG_H
#include "base/arena.h"

struct tag {
	struct str key, body;           /* both point into the text */
	size_t begin, end;              /* of the whole in the text, from its first bracket to behind its last one */
};

/* Finds the tags of a text, in order. known must give one answer to one name; it is asked once for each that occurs
 * and is one. Returns how many there are; the first max of them are in out. reply (may be NULL): the last [REPLY] that
 * stands where a tag would be one, its body up to the end of the text when it is not closed; key.p NULL: none. */
size_t tag_find(struct arena *a, struct str text, bool (*known)(void *ctx, struct str key), void *ctx,
		struct tag *out, size_t max, struct tag *reply);

#endif
