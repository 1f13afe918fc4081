/* The tools of an MCP server as rows that call them (fn mcp_call). */
#ifndef IMPORT_TOOLS_H
#define IMPORT_TOOLS_H
#include "import/draft.h"

struct tools_wishes {
	const char *url;                /* of the server */
	const char *auth;               /* column of the rows; NULL: none */
	const char *prefix;             /* put before every key; NULL: the host's name */
};

/* What the input_schema of the server's rows has as `x-source`. The arena's. */
const char *tools_source(struct draft *d, const struct tools_wishes *wishes);
/* A row for each tool of the array, as tools/list gives them: its schema is the row's, so arguments are named. A tool
 * without a name, or whose key is taken, is a note. */
void tools_convert(struct draft *d, struct json_object *tools, const struct tools_wishes *wishes);

#endif
