/* The contract document: what it says, in which order, and that its size depends on little but the row's own text. */
#include "directory/document.h"
#include "fixture.h"

#define BASE "https://127.0.0.1:8443"
#define DISPATCH BASE "/api/dispatch"

/* The document as the web shows it to somebody without a credential. */
static const char *markdown(const char *key)
{
	static struct buf b;
	const char *row = arena_printf(service.a, BASE "/api/directory/%s", key);
	const struct document_affordance moves[] = {
		{ "run", "POST", str_of(DISPATCH), false, "unauthorized", NULL },
		{ "preview", "POST", str_of(DISPATCH), true, NULL, "{\"shape\":true}" },
		{ "run_by_url", "GET", str_of(arena_printf(service.a, DISPATCH "?invoke=%s", key)), false,
			"unauthorized", NULL },
		{ "confirm", "GET", str_of(DISPATCH "?confirm=inv_..."), true, NULL, NULL },
		{ "edit", "PATCH", str_of(row), false, "unauthorized", NULL },
		{ "history", "GET", str_of(arena_printf(service.a, "%s/history", row)), false, "unauthorized", NULL },
	};
	const struct document_options o = { .base_url = BASE, .affordance = moves, .affordances = 6 };

	b = BUF_ARENA(service.a);
	document_markdown(service_get(key), &o, &b);
	return buf_text(&b);
}

static void order(void)
{
	static const char *const parts[] = {
		"# OIP > TOOLS > ZZ_TEST_TEMPERATURE\n",
		"**Capability**: Current temperature in Celsius",
		"**When to use**: a capability needs the live temperature at a coordinate.\n",
		"## RUN NOW\n",
		"`" DISPATCH "?invoke=ZZ_TEST_TEMPERATURE&body=37.77%7C-122.42&share=TOKEN`\n",
		"**Example call**: `[ZZ_TEST_TEMPERATURE]37.77|-122.42[/ZZ_TEST_TEMPERATURE]`\n",
		"**type · runner · category**: tool · http · tools\n",
		"**auth · risk**: none · low\n",
		"**inputs**: $1=latitude | $2=longitude\n",
		"**outputs**: JSON with current.temperature_2m\n",
		"## Affordances\n",
		"regardless",
		"- run: POST `" DISPATCH "` – not with this credential: unauthorized\n",
		"- preview: POST `" DISPATCH "` with `{\"shape\":true}` beside the arguments\n",
		"## Machine Contract\n",
		"1. ",
		"2. ",
		"3. ",
		"4. ",
		"**contract**: `",
		"## Invocation, Ledger, Repair\n",
		"- Ledger: GET `" DISPATCH "?ledger=1`",
		"- Replay: ",
		"- Repair: ",
		"## Troubleshooting\n",
		"`unknown_key`",
		"401, 403",
		"`contract_changed`",
		"`ERR:`",
	};
	const char *text = markdown("ZZ_TEST_TEMPERATURE"), *at = text;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		const char *found = strstr(at, parts[i]);

		tap_ok(found != NULL, "part %zu is there, in its place", i + 1);
		at = found ? found + strlen(parts[i]) : at;
	}
	tap_ok(strstr(text, "Do not infer the row shape from memory") != NULL, "and forbids to infer the shape");
	tap_ok(strstr(text, service_get("ZZ_TEST_TEMPERATURE")->digest) != NULL, "and names the digest");
	if (getenv("SHOW"))
		tap_diag("%s", text);
}

static void size(void)
{
	static const char *const keys[] = { "NOW", "GROK_MODELS", "ROUTER", "CONTENT_SEARCH" };
	size_t least = SIZE_MAX, most = 0;

	for (size_t i = 0; i < 4; i++) {
		const struct entry *e = service_get(keys[i]);
		size_t n = strlen(markdown(keys[i])),
		       own = e->doc.label[DOC_WHAT].n + e->doc.label[DOC_WHEN_TO_USE].n + e->doc.label[DOC_ARGS].n +
			e->doc.label[DOC_OUTPUT].n + 8 * e->key.n + 2 * document_example(service.a, e).n;

		tap_diag("%s: %zu bytes, %zu without the row's own text", keys[i], n, n - own);
		tap_ok(n > 4250 && n < 4600, "%s takes about 4.4 KB", keys[i]);
		n -= own;
		least = n < least ? n : least;
		most = n > most ? n : most;
	}
	tap_ok(most - least < 100, "four rows of four types differ by less than 100 bytes beyond their own text (%zu)",
		most - least);
}

static void examples(void)
{
	static const struct { const char *row, *want, *name; } t[] = {
		{ "{\"type\":\"fn\",\"content\":\"# EX: [X]b[/X]\",\"examples\":[\"a|1\",\"c\"]}", "a|1",
			"the first of examples is the example" },
		{ "{\"type\":\"fn\",\"content\":\"x\",\"examples\":[[\"a\",1,null,true]]}", "a|1||true",
			"an array of arguments is joined" },
		{ "{\"type\":\"fn\",\"content\":\"# EX: [X]b|c[/X]\\n# EX: [X]d[/X]\",\"auth\":\"bearer:N\"}", "b|c",
			"else that of the docstring, without its tags" },
		{ "{\"type\":\"fn\",\"content\":\"# EX: [X][/X]\\n[\\\"$1\\\"]\",\"auth\":\"bearer:N\"}", "",
			"which may be empty" },
		{ "{\"type\":\"fn\",\"content\":\"# EX: plain\",\"auth\":\"bearer:N\"}", "plain", "or bare" },
		{ "{\"type\":\"fn\",\"content\":\"# ARGS: $1=latitude | $2+=rest of it\",\"auth\":\"bearer:N\"}",
			"latitude|rest of it", "else the labels of ARGS" },
		{ "{\"type\":\"fn\",\"content\":\"# ARGS: key | json_body\",\"auth\":\"bearer:N\"}", "key|json_body",
			"with or without slots" },
		{ "{\"type\":\"fn\",\"content\":\"# ARGS: none\",\"auth\":\"bearer:N\"}", "", "none is none" },
		{ "{\"type\":\"fn\",\"content\":\"x\",\"auth\":\"bearer:N\",\"input_schema\":{\"type\":\"object\","
		  "\"properties\":{\"b\":{},\"a\":{}}}}",
			"b|a", "else the names of the schema" },
		{ "{\"type\":\"fn\",\"content\":\"[\\\"$2\\\",\\\"$1\\\"]\",\"auth\":\"bearer:N\"}",
			"argument 1|argument 2", "else one for each slot" },
	};

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct str s;

		service_put("X", t[i].row);
		s = document_example(service.a, service_get("X"));
		tap_is_str(arena_str(service.a, s), t[i].want, t[i].name);
	}
}

static void hostile(void)
{
	const char *text;

	service_put("H",
		"{\"type\":\"fn\",\"content\":\"# WHAT: a\\n#   ## RUN NOW\\n#   "
		"b\\u0007c\",\"examples\":[\"``x\\ny`\"],\"category\":\"q\\n# z\"}");
	text = markdown("H");
	tap_ok(strstr(text, "**Capability**: a ## RUN NOW b c\n") != NULL, "a text of several lines makes no heading");
	tap_ok(strstr(text, "# OIP > Q # Z > H\n") != NULL, "nor does a category");
	tap_ok(strstr(text, "``` [H]``x y`[/H] ```\n") != NULL, "backticks do not end the code");
	tap_ok(strstr(text, "body=%60%60x%0Ay%60&") != NULL, "the URL has every byte of the example");
}

static void json(void)
{
	const struct document_affordance moves[] = {
		{ "preview", "POST", str_of(DISPATCH), true, NULL, "{\"shape\":true}" },
		{ "run", "POST", str_of(DISPATCH), false, "unauthorized", NULL },
	};
	const struct document_options options = { .base_url = BASE, .affordance = moves, .affordances = 2 };
	struct json_object *o = document_json(service_get("ZZ_TEST_TEMPERATURE"), &options);
	struct json_object *f = json_get(o, "affordances");

	tap_ok(str_is(json_str(json_get(o, "path")), "OIP > TOOLS > ZZ_TEST_TEMPERATURE"), "as JSON it has the path");
	tap_ok(str_is(json_str(json_get(json_get(o, "example"), "body")), "37.77|-122.42"), "the example");
	tap_ok(str_is(json_str(json_get(json_get(o, "inputs"), "args")), "$1=latitude | $2=longitude"), "the inputs");
	tap_ok(json_object_array_length(f) == 2 &&
			str_is(json_str(json_get(json_object_array_get_idx(f, 1), "reason")), "unauthorized"),
		"the moves");
	tap_ok(json_object_get_boolean(json_get(json_get(json_object_array_get_idx(f, 0), "adds"), "shape")) &&
			!json_get(json_object_array_get_idx(f, 1), "adds"),
		"and what makes a call that move");
	tap_ok(json_object_array_length(json_get(o, "machine_contract")) == 4 &&
			json_object_array_length(json_get(o, "troubleshooting")) == 4,
		"four imperatives and four problems");
	tap_ok(str_is(json_str(json_get(o, "contract")), service_get("ZZ_TEST_TEMPERATURE")->digest), "and the digest");
	json_object_put(o);
}

static void all(void)
{
	service_put("ZZ_TEST_TEMPERATURE",
		"{\"type\":\"http\",\"target\":\"GET "
		"https://api.open-meteo.com/v1/forecast?latitude=$1&longitude=$2&current=temperature_2m\","
		"\"auth\":\"\",\"content\":\"# WHAT: Current temperature in Celsius for one latitude and longitude, "
		"from the Open-Meteo public API.\\n"
		"# WHEN_TO_USE: a capability needs the live temperature at a coordinate.\\n# ARGS: $1=latitude | "
		"$2=longitude\\n"
		"# EX: [ZZ_TEST_TEMPERATURE]37.77|-122.42[/ZZ_TEST_TEMPERATURE]\\n# OUTPUT: JSON with "
		"current.temperature_2m\",\"category\":\"tools\","
		"\"enabled\":1,\"planner_visible\":1,\"examples\":\"[\\\"37.77|-122.42\\\"]\"}");
	service_put("NOW",
		"{\"type\":\"fn\",\"target\":\"now\",\"category\":\"time\",\"examples\":[\"\"],\"content\":\"# Return "
		"the current time from the build clock.\\n"
		"# WHEN_TO_USE: any object or model that needs the current date or time.\\n# ARGS: none\\n# EX: "
		"[NOW][/NOW]\\n"
		"# OUTPUT: { now, today, time, zone, iso }\"}");
	service_put("GROK_MODELS",
		"{\"type\":\"http\",\"target\":\"GET "
		"https://api.x.ai/v1/models\",\"category\":\"grok\",\"auth\":\"bearer:GROK_API_KEY\","
		"\"content\":\"# WHAT: List every model on the xAI API. No args\\n# WHEN_TO_USE: you need to grok "
		"models\\n# ARGS: see content\\n"
		"# EX: [GROK_MODELS][/GROK_MODELS]\"}");
	service_put("ROUTER",
		"{\"type\":\"agent\",\"target\":\"grok-4.3\",\"auth\":\"bearer:GROK_API_KEY\",\"content\":\"You are a "
		"friendly concierge.\"}");
	service_put("CONTENT_SEARCH",
		"{\"type\":\"flow\",\"content\":\"# WHAT: Search.\\n# ARGS: $1=words\\nFIND: $1 > SHOW: "
		"$PREV\",\"category\":\"search\","
		"\"examples\":[\"red shoes\"]}");
	order();
	size();
	examples();
	hostile();
	json();
}

int main(void)
{
	service_run(all);
	return tap_done();
}
