/* What looks like a credential in the texts of others: by its name, or by itself. Nobody can know it; so what is taken for
 * one costs no more than an example, and whoever imports is told of the rest. */
#ifndef IMPORT_CREDENTIAL_H
#define IMPORT_CREDENTIAL_H
#include "base/str.h"

/* True for the name of a header, a parameter or a member of a body that carries a credential by the look of it: its last
 * word is key, token, secret, password, pin, signature or the like, or all of it is `code`. */
bool credential_name(struct str name);
/* True when something stands in the text that nobody has thought up: a token as known services mint them (`sk_…`, `ghp_…`,
 * a JWT, a PEM block), or at least CREDENTIAL_MIN letters and figures that change between upper case, lower case and
 * figures as no words do. A UUID and a hexadecimal number below CREDENTIAL_HEX_MIN digits are ids. */
enum { CREDENTIAL_MIN = 16, CREDENTIAL_RUN_MIN = 20, CREDENTIAL_HEX_MIN = 32 };
bool credential_value(struct str text);
/* The first of them in a text of no known form (XML, INI, prose) from *at on: what looks like one itself, or stands behind
 * a name that does (`<password>x</password>`, `token: x`, `secret="x"`). *at is where it begins, *n its bytes. */
bool credential_find(struct str text, size_t *at, size_t *n);

#endif
