/* The pages for people that the service itself writes: no script, readable on a phone, dark where the system is. */
#ifndef WEB_HTML_H
#define WEB_HTML_H
#include "web/response.h"

void html_text(struct buf *out, struct str s);                          /* escaped */
/* One line of a list of facts: <dt>label</dt><dd>value</dd>, value escaped; nothing when value is empty. code: in the
 * fixed-width style, wrapped anywhere. */
void html_fact(struct buf *out, const char *label, struct str value, bool code);
/* A whole page as the answer, with a Content-Security-Policy that allows its own style and nothing else. title is
 * escaped, main is markup. */
void html_answer(struct response *res, int status, const char *title, struct str main);

#endif
