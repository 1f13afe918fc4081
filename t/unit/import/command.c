/* import/command.c: curl commands as rows. */
#include <string.h>
#include "fixture.h"
#include "import/command.h"
#include "import/shell.h"

#define CANARY "canary-5f1d"

static struct problem why;
static struct command_wishes wishes;

static int convert(const char *text)
{
	struct str *word, rest;
	size_t n;

	arena_reset(arena);
	draft_init(&d, arena);
	why = (struct problem){ 0 };
	if (shell_words(arena, str_of(text), &word, &n, &rest, &why) < 0)
		return -1;
	return command_convert(&d, word, n, &wishes, &why);
}

static struct json_object *row(void)
{
	return json_object_array_get_idx(d.rows, 0);
}

static const char *column(const char *name)
{
	struct json_object *o = json_get(row(), name);

	return json_object_is_type(o, json_type_string) || !o ? json_object_get_string(o) : text_of(o);
}

static const char *all(void)
{
	struct buf b = BUF_ARENA(arena);

	json_text(&b, d.rows);
	json_text(&b, d.notes);
	json_text(&b, d.secrets);
	buf_puts(&b, why.detail);
	return buf_text(&b);
}

static const char *payload(void)
{
	const char *text = column("content"), *at;

	while (text && text[0] == '#' && (at = strchr(text, '\n')) != NULL)
		text = at + 1;
	return text && text[0] != '#' ? text : "";
}

static const struct { const char *command, *target, *auth, *payload, *examples, *name; } cases[] = {
	{ "curl https://api.example.org/v1/users/42/posts?page=2&q=a%20b", "GET https://api.example.org/v1/users/$1/posts?page=$2&q=$3", NULL, "",
	  "[\"42|2|a b\"]", "values of path and query become arguments" },
	{ "curl -sSLX DELETE 'https://x.test/things/9f8e7d6c-1111-4222-8333-123456789abc'", "DELETE https://x.test/things/$1", NULL, "",
	  "[\"9f8e7d6c-1111-4222-8333-123456789abc\"]", "letters of options combine; a UUID is an id" },
	{ "curl x.test", "GET http://x.test", NULL, "", "[\"\"]", "a URL without scheme is http, as curl has it" },
	{ "curl https://x.test/a#frag", "GET https://x.test/a", NULL, "", "[\"\"]", "a fragment is not sent" },
	{ "curl 'https://x.test/o?$filter=a%20eq%20$1'", "GET https://x.test/o?%24filter=$1", NULL, "", "[\"a eq $1\"]", "a $ of the URL is no slot" },
	{ "curl -d 'a=1&b=x+y' https://x.test/f", "POST https://x.test/f", NULL, "form:a=$1&b=$2", "[\"1|x y\"]", "a form" },
	{ "curl -d a=1 --data-urlencode 'b=x y&z' https://x.test/f", "POST https://x.test/f", NULL, "form:a=$1&b=$2", "[\"1|x y&z\"]", "data joins, --data-urlencode encodes" },
	{ "curl --json '{\"a\":\"x\",\"n\":5,\"deep\":{\"q\":\"$1\"},\"l\":[1,\"$PREV\"]}' https://x.test/j", "POST https://x.test/j", NULL,
	  "{\"a\":\"$1\",\"n\":$2,\"deep\":{\"q\":\"\\u00241\"},\"l\":[1,\"\\u0024PREV\"]}", "[\"x|5\"]", "members of JSON become arguments, a $ of its own stays one" },
	{ "curl -G -d q=1 -d r=2 https://x.test/s?a=b", "GET https://x.test/s?a=$1&q=$2&r=$3", NULL, "", "[\"b|1|2\"]", "-G puts data into the query" },
	{ "curl -I https://x.test/", "HEAD https://x.test/", NULL, "", "[\"\"]", "-I" },
	{ "curl -H 'Content-Type: text/xml' -d '<a/>' https://x.test/x", "POST https://x.test/x", "headers:{\"Content-Type\":\"text/xml\"}", "<a/>", "[\"\"]", "another type of body is kept" },
	{ "curl -u 'ann:" CANARY "' https://x.test/", "GET https://x.test/", "basic:X_USER:X_PASSWORD", "", "[\"\"]", "-u" },
	{ "curl -u '" CANARY ":' https://x.test/", "GET https://x.test/", "basic:X_KEY", "", "[\"\"]", "-u with a key for a user" },
	{ "curl https://ann:" CANARY "@x.test/", "GET https://x.test/", "basic:X_USER:X_PASSWORD", "", "[\"\"]", "user information in the URL" },
	{ "curl -H 'Authorization: Bearer " CANARY "' https://api.github.com/user", "GET https://api.github.com/user", "bearer:GITHUB_TOKEN", "", "[\"\"]", "a bearer token" },
	{ "curl -H \"Authorization: Bearer $GH_TOKEN\" https://api.github.com/user", "GET https://api.github.com/user", "bearer:GH_TOKEN", "", "[\"\"]", "the shell's own name of it" },
	{ "curl -H 'authorization: token " CANARY "' -H 'Accept: application/json' https://x.test/", "GET https://x.test/",
	  "headers:{\"Authorization\":\"token $X_AUTHORIZATION\",\"Accept\":\"application/json\"}", "", "[\"\"]", "another scheme, and other headers beside it" },
	{ "curl -H 'X-Api-Key: " CANARY "' https://x.test/", "GET https://x.test/", "headers:{\"X-Api-Key\":\"$X_API_KEY\"}", "", "[\"\"]", "a header that is a key" },
	{ "curl -b 'sid=" CANARY "' https://x.test/", "GET https://x.test/", "headers:{\"Cookie\":\"$X_COOKIE\"}", "", "[\"\"]", "cookies" },
	{ "curl 'https://x.test/w?lat=1&appid=" CANARY "'", "GET https://x.test/w?lat=$1", "query:appid=X_APPID", "", "[\"1\"]", "a key in the query" },
	{ "curl 'https://x.test/w?api_key=" CANARY "'", "GET https://x.test/w", "query:api_key=X_API_KEY", "", "[\"\"]", "… which is all of the query" },
	{ "curl -d 'user=u&password=" CANARY "' https://x.test/login", "POST https://x.test/login", NULL, "form:user=$1&password=$2", "[\"u|...\"]", "a password in a form" },
	{ "curl --json '{\"auth\":{\"client_secret\":\"" CANARY "\"}}' https://x.test/l", "POST https://x.test/l", NULL, "{\"auth\":{\"client_secret\":\"$1\"}}", "[\"...\"]", "a secret deep in JSON" },
	{ "curl -H 'Host: x' -H 'Accept-Encoding: gzip' -H 'sec-ch-ua: \"C\"' -H 'Sec-Fetch-Mode: cors' -H 'Connection: keep-alive' --compressed https://x.test/", "GET https://x.test/",
	  NULL, "", "[\"\"]", "what browsers add for themselves is left out" },
	{ "curl -H 'X-Password: " CANARY "' https://x.test/", "GET https://x.test/", "headers:{\"X-Password\":\"$X_PASSWORD\"}", "", "[\"\"]", "a header whose name says it" },
	{ "curl -H 'X-Who: Bearer " CANARY "' https://x.test/", "GET https://x.test/", "headers:{\"X-Who\":\"$X_WHO\"}", "", "[\"\"]", "a header whose value says it" },
	{ "curl -H 'Authorization: " CANARY " x' https://x.test/", "GET https://x.test/", "headers:{\"Authorization\":\"$X_AUTHORIZATION\"}", "", "[\"\"]", "what is no scheme is a credential" },
	{ "curl -e 'https://y.test/?t=" CANARY "' https://x.test/", "GET https://x.test/", "headers:{\"Referer\":\"https://y.test/\"}", "", "[\"\"]", "a referer loses its query" },
	{ "curl https://x.test/bot1234567:" CANARY "XyZ/send", "GET https://x.test/$1/send", NULL, "", "[\"...\"]", "a token in the path" },
	{ "curl -d 'user[password]=" CANARY "&pass=" CANARY "&PHPSESSID=" CANARY "&passphrase=" CANARY "' https://x.test/f", "POST https://x.test/f", NULL,
	  "form:user[password]=$1&pass=$2&PHPSESSID=$3&passphrase=$4", "[\"...|...|...|...\"]", "names of a password" },
	{ "curl 'https://x.test/w?ghp_" CANARY "'", "GET https://x.test/w?$1", NULL, "", "[\"...\"]", "a token that is all of the query" },
	{ "curl 'https://x.test/w?customer=sk_" CANARY "'", "GET https://x.test/w?customer=$1", NULL, "", "[\"...\"]", "a value that says it itself" },
	{ "curl 'https://x.test/w?region=$REGION'", "GET https://x.test/w", "query:region=REGION", "", "[\"\"]", "a value that the shell would fill in" },
	{ "curl --json '{\"pin\":4711,\"a\":{\"otp\":\"" CANARY "\",\"b\":[\"ghp_" CANARY "\"]},\"tokens\":[\"" CANARY "\"],\"credentials\":{\"x\":\"" CANARY "\"}}' https://x.test/l",
	  "POST https://x.test/l", NULL, "{\"pin\":$1,\"a\":{\"otp\":\"$2\",\"b\":[\"$3\"]},\"tokens\":[\"$4\"],\"credentials\":{\"x\":\"$5\"}}",
	  "[\"0|...|...|...|...\"]", "secrets anywhere in JSON" },
	{ "curl -H 'Content-Type: text/plain' -d 'pin: " CANARY ", go' https://x.test/t", "POST https://x.test/t", "headers:{\"Content-Type\":\"text/plain\"}", "pin: $1, go", "[\"...\"]", "a secret in a text" },
	{ "curl -d '<login><password>" CANARY "</password></login>' https://x.test/t", "POST https://x.test/t",
	  "headers:{\"Content-Type\":\"application/x-www-form-urlencoded\"}", "<login><password>$1</password></login>", "[\"...\"]", "a secret in XML" },
	{ "curl -H 'X-Thing: ghp_" CANARY "' -H 'X-Other: $OTHER' https://x.test/", "GET https://x.test/", "headers:{\"X-Thing\":\"$X_THING\",\"X-Other\":\"$OTHER\"}", "", "[\"\"]", "headers of any name" },
	{ "curl 'https://x.test/a' -H 'User-Agent: Mozilla/5.0 (X11)' -H 'Accept: */*' -H 'Accept-Language: de' -H 'Referer: https://y.test/' -H 'Origin: https://y.test' -H 'TE: trailers' -H 'X-Version: 3'",
	  "GET https://x.test/a", "headers:{\"X-Version\":\"3\"}", "", "[\"\"]", "what Firefox adds" },
	{ "curl -H 'Accept-Language: de' -A my/1.0 https://x.test/a", "GET https://x.test/a", "headers:{\"Accept-Language\":\"de\",\"User-Agent\":\"my/1.0\"}", "", "[\"\"]", "no browser: they were meant" },
	{ "curl --location --request POST 'https://x.test/p' --header 'Postman-Token: " CANARY "' --header 'X-Api-Key: " CANARY "' --data '{\"a\": \"b\"}'", "POST https://x.test/p",
	  "headers:{\"X-Api-Key\":\"$X_API_KEY\"}", "{\"a\":\"$1\"}", "[\"b\"]", "as Postman prints it" },
	{ "curl https://api.stripe.com/v1/charges -u sk_test_" CANARY ": -d amount=2000 -d 'metadata[order]'=6735", "POST https://api.stripe.com/v1/charges", "basic:STRIPE_KEY",
	  "form:amount=$1&metadata[order]=$2", "[\"2000|6735\"]", "as Stripe's manual prints it" },
	{ "curl -L -X POST -H 'Accept: application/vnd.github+json' -H 'Authorization: Bearer <YOUR-TOKEN>' -H 'X-GitHub-Api-Version: 2022-11-28' https://api.github.com/repos/OWNER/REPO/issues -d '{\"title\":\"x\"}'",
	  "POST https://api.github.com/repos/OWNER/REPO/issues",
	  "headers:{\"Accept\":\"application/vnd.github+json\",\"Authorization\":\"Bearer $GITHUB_TOKEN\",\"X-GitHub-Api-Version\":\"2022-11-28\"}", "{\"title\":\"$1\"}", "[\"x\"]", "as GitHub's manual prints it" },
	{ "curl https://api.openai.com/v1/responses -H 'Content-Type: application/json' -H \"Authorization: Bearer $OPENAI_API_KEY\" -d '{\"model\":\"gpt-4o-mini-2024-07-18\",\"input\":\"hi\"}'",
	  "POST https://api.openai.com/v1/responses", "bearer:OPENAI_API_KEY", "{\"model\":\"$1\",\"input\":\"$2\"}", "[\"gpt-4o-mini-2024-07-18|hi\"]", "as OpenAI's manual prints it" },
	{ "curl --oauth2-bearer " CANARY " https://x.test/", "GET https://x.test/", "bearer:X_TOKEN", "", "[\"\"]", "--oauth2-bearer" },
};

static void rows(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool done = convert(cases[i].command) == 0;

		if (!tap_ok(done, "%s", cases[i].name)) {
			tap_diag("%s", why.detail);
			continue;
		}
		tap_is_str(column("target"), cases[i].target, "… its target");
		tap_is_str(column("auth"), cases[i].auth, "… its auth");
		tap_is_str(payload(), cases[i].payload, "… its body");
		tap_is_str(column("examples"), cases[i].examples, "… its example");
		if (!tap_ok(is_valid(row(), &why), "… the API would take it"))
			tap_diag("%s %s %s: %s", why.error, why.field, why.detail, all());
		tap_ok(!strstr(all(), CANARY), "… and no secret is in it");
	}
}

static const struct { const char *command, *part, *name; } refusals[] = {
	{ "curl", "no URL", "no URL" },
	{ "wget https://a.test", "begins with `curl`, as a manual, Postman or a browser (Copy as cURL) gives it; this is none: wget", "another program" },
	{ "Invoke-WebRequest -Uri https://a.test", "this is none: Invoke-WebRequest", "PowerShell" },
	{ "fetch(\"https://a.test\")", "this is none: fetch", "a call of JavaScript" },
	{ "curl ^\"https://a.test^\" ^\r\n  -H ^\"a: b^\"", "choose \"Copy as cURL (bash)\"", "cmd.exe's carets" },
	{ "curl \"https://a.test\" ^\r\n  -H \"a: b\"", "choose \"Copy as cURL (bash)\"", "… at the ends of lines alone" },
	{ "curl https://a.test https://b.test", "two URLs", "two URLs" },
	{ "curl --frobnicate https://a.test", "--frobnicate", "an unknown option is named" },
	{ "curl --user=a:" CANARY " https://a.test", "here: --user", "an option with its value behind \"=\"" },
	{ "curl -y https://a.test", "here: y", "an unknown letter" },
	{ "curl https://a.test -H", "lacks its value: --header", "an option without its value" },
	{ "curl -F file=@x https://a.test", "multipart", "a multipart form" },
	{ "curl -d @file https://a.test", "in a file", "data in a file" },
	{ "curl -b " CANARY " https://a.test", "in a file", "cookies in a file" },
	{ "curl -T f https://a.test", "upload", "an upload" },
	{ "curl --digest -u a:" CANARY " https://a.test", "Digest", "another scheme of authentication" },
	{ "curl -X TRACE https://a.test", "TRACE", "a method that rows do not know" },
	{ "curl -H 'Content-Type: text/plain' -d 'cost $5' https://a.test", "$NAME", "a body that a template would change" },
	{ "curl -H 'Content-Type: text/plain' -d '# hi' https://a.test", "$NAME", "a body that documentation would swallow" },
};

static void refused(void)
{
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		int rc = convert(refusals[i].command);

		if (!tap_ok(rc < 0 && strstr(why.detail, refusals[i].part), "refused: %s", refusals[i].name))
			tap_diag("%d %s", rc, why.detail);
		tap_ok(!strstr(why.detail, CANARY), "… without a secret");
	}
}

static void asked_for(void)
{
	static const struct str fixed[] = { { "page", 4 } }, slot[] = { { "linux", 5 }, { "deep", 4 } };

	wishes = (struct command_wishes){ .key = "MINE", .what = "Mine.", .category = "c", .fixed = fixed, .fixed_n = 1, .slot = slot, .slot_n = 2 };
	convert("curl 'https://x.test/repos/linux?page=2&q=x'");
	tap_is_str(column("target"), "GET https://x.test/repos/$1?page=2&q=$2", "what is to be fixed stays, what is to be an argument is one");
	tap_is_str(column("key"), "MINE", "the key is as wished");
	tap_is_str(column("category"), "c", "so is the category");
	tap_ok(column("content") && strstr(column("content"), "# WHAT: Mine.\n# ARGS: $1=repos | $2=q\n# EX: [MINE]linux|x[/MINE]\n"), "the docstring names the arguments");
	wishes = (struct command_wishes){ 0 };
	convert("curl -X POST https://api.example.org/v1/sendMail/7");
	tap_is_str(column("key"), "EXAMPLE_V1_SEND_MAIL_POST", "else it is made of host, path and method");
	convert("curl -k -x p:1 https://x.test/ --next https://y.test/");
	tap_is_int((int64_t)json_object_array_length(d.notes), 3, "what has no counterpart is reported");
	convert("curl 'https://x.test/?a=1' -H 'X-V: 2' --json '{\"c\":{\"d\":\"e\"}}'");
	tap_ok(strstr(all(), "\"at\":\"X-V, a, d\",\"what\":\"in the row as it stood"), "what nothing can be said about is named");
	convert("curl 'https://x.test/?a=1&a=2'");
	tap_is_str(column("input_schema"), "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"},\"a_2\":{\"type\":\"string\"}},"
		   "\"required\":[\"a\",\"a_2\"],\"additionalProperties\":false,\"x-strict\":true}", "arguments of one name are numbered");
}

static void limits(void)
{
	struct arena *own = arena_new();
	struct buf b = BUF_ARENA(own);

	buf_puts(&b, "curl 'https://x.test/?");
	for (int i = 0; i < COMMAND_SLOTS_MAX; i++)
		buf_printf(&b, "p%d=v&", i);
	tap_ok(convert(arena_printf(own, "%s'", buf_text(&b))) == 0 && strstr(column("target"), "p63=$64"), "64 arguments are made");
	buf_puts(&b, "more=v");
	tap_ok(convert(arena_printf(own, "%s'", buf_text(&b))) == 0 && strstr(column("target"), "more=v"), "the value of one more stays");
	tap_ok(convert(arena_printf(own, "%s' -d password=" CANARY, buf_text(&b))) == 0 && !strstr(all(), CANARY) && strstr(payload(), "password=..."),
	       "but for a credential");
	tap_ok(convert(arena_printf(own, "%s' --json '{\"password\":\"" CANARY "\"}'", buf_text(&b))) == 0 && !strstr(all(), CANARY), "… in JSON");
	arena_free(own);
}

/* Options and texts thrown together end in a row that is valid, or a reason. */
static void random_commands(void)
{
	static const char *const part[] = {
		"-X", "POST", "-d", "a=1&b", "'{\"k\":\"v$1\",\"t\":[{}]}'", "--json", "-H", "'X-Key: v'", "'Accept: a'", "'A:'", "-u", "a:b", "-b", "c=d",
		"https://x.test/p/1?q=$2", "'https://x.test/%zz/%00?a%26=%ff'", "https://[::1]/", "http://$H/", "-G", "-I", "--data-urlencode", "=x", "-sSk", "''",
		"\"Authorization: Basic zz\"", "--next", "https://u@x.test", "-e", "\xC3\xA9\xFF", "'X: $'",
	};
	unsigned seed = 3, made = 0, bad = 0;

	for (int i = 0; i < 20000; i++) {
		struct buf b = BUF_MALLOC;

		buf_puts(&b, "curl");
		for (unsigned k = 0; k < 7; k++) {
			seed = seed * 1103515245u + 12345u;
			buf_printf(&b, " %s", part[(seed >> 16) % (sizeof(part) / sizeof(part[0]))]);
		}
		if (convert(buf_text(&b)) == 0) {
			made++;
			if (!is_valid(row(), &why) && bad++ < 5)
				tap_diag("%s: %s: %s", buf_text(&b), why.detail, all());
		}
		buf_free(&b);
	}
	tap_ok(made > 100, "20,000 random commands end, %u as rows", made);
	tap_is_int(bad, 0, "and every row is one that the API takes");
}

int main(void)
{
	arena = arena_new();
	rows();
	refused();
	asked_for();
	limits();
	random_commands();
	arena_free(arena);
	return tap_done();
}
