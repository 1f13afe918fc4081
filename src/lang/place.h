/* The keyword `x-in` of a property of an http row's input_schema: the place in the request that takes its value, when
 * it has one.
 *   query[:NAME]    a parameter of the URL; an array repeats it, an object's members are NAME[member]
 *   list[:NAME]     the same, an array joined with commas
 *   header[:NAME]   a header; an array is joined with ", "
 *   cookie[:NAME]   one of the header Cookie
 *   json[:TYPE]     the body, as JSON of that media type (default: application/json)
 *   form            the body, an object as application/x-www-form-urlencoded
 * NAME is the property's own name unless it is given. */
#ifndef LANG_PLACE_H
#define LANG_PLACE_H
#include "base/json.h"

enum { PLACE_HEADERS_MAX = 24 };        /* properties of one row with `header` */

enum place_kind { PLACE_QUERY, PLACE_LIST, PLACE_HEADER, PLACE_COOKIE, PLACE_JSON, PLACE_FORM };

struct place {
	enum place_kind kind;
	struct str name;                /* of json the media type */
};

/* The place of `property` with that schema. False: it has none, or one that place_fault names. */
bool place_read(struct str property, struct json_object *schema, struct place *out);
static inline bool place_is_body(const struct place *p) { return p->kind >= PLACE_JSON; }
/* What is wrong with the places of a schema's properties; NULL when nothing is. *property: whose. Two bodies, a header
 * that frames the message or is Authorization, Proxy-Authorization or Cookie, a name that is none, too many headers. */
const char *place_fault(struct json_object *properties, const char **property);

#endif
