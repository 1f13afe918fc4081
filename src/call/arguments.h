/* The arguments of a call: from a string, an array or an object onto the slots of templates, typed by the row's
 * schema (spec sections 5 and 6.2). */
#ifndef CALL_ARGUMENTS_H
#define CALL_ARGUMENTS_H
#include "call/runner.h"

/* Fills c->args and c->body from c->request. An object is validated against the row's input_schema, its defaults are
 * filled in, and its values are laid onto $1… in the order of the schema's properties; a string or an array is typed
 * and validated too when the setting `strict` or the schema's `x-strict` says so. -1: 422 `args_invalid`.
 *
 * A row without a usable input_schema takes the object {"body":"<string>"} as that string, and {} as an empty one.
 *
 * c->body, what is recorded, and c->form, how it is read again: the string itself; of an array its pieces joined with
 * "|", which makes it a string, or its JSON text when a piece holds a "|" itself and "[]" when there is none; of an
 * object its JSON text as it was given. */
int arguments_read(struct call *c, struct problem *why);
/* The array that the content of a row of type fn is, after substitution; `["$1"]` where it is blank. False: c is settled
 * with `ERR:fn:bad_content_json:<message>` or `ERR:fn:content_not_array`. */
bool arguments_elements(struct call *c, struct json_object **list);
/* The arguments by the names of the schema's properties, without those that are absent: of a string or an array the pieces,
 * typed. Without a schema empty. The arena's. */
struct json_object *arguments_named(struct call *c);
/* `texts`, an object of strings or NULL, with each as the value that it stands for by the row's schema, as a piece is read;
 * one that is empty where text is not allowed is absent. The arena's; NULL for NULL. */
struct json_object *arguments_typed(struct call *c, struct json_object *texts);
/* A value as an argument: a string's bytes, else its JSON text, null as nothing. The arena's. */
struct str arguments_text(struct arena *a, struct json_object *o);
/* The properties of the row's input_schema, in its order; NULL when there are none. */
struct json_object *arguments_properties(const struct call *c);
/* The row's example (document_example) as named arguments. The arena's; not validated. */
struct json_object *arguments_example(struct arena *a, struct entry *e);

#endif
