/* import/naming.c: names made from the words of others. */
#include <string.h>
#include "import/naming.h"
#include "lang/key.h"
#include "tap.h"

static struct arena *arena;

static const char *key(const char *text)
{
	struct buf b = BUF_ARENA(arena);

	naming_words(&b, str_of(text));
	return naming_key(arena, buf_str(&b));
}

static const char *host(const char *text)
{
	struct buf b = BUF_ARENA(arena);

	naming_host(&b, str_of(text));
	return buf_text(&b);
}

static void keys(void)
{
	char longest[200];

	tap_is_str(key("listPets"), "LIST_PETS", "words begin at capital letters");
	tap_is_str(key("list pets--by/id"), "LIST_PETS_BY_ID", "and behind anything that is no letter or digit");
	tap_is_str(key("getHTTPCode2xx"), "GET_HTTPCODE2XX", "a run of capital letters stays together");
	tap_is_str(key("3d models"), "_3D_MODELS", "a key does not begin with a digit");
	tap_is_str(key("\xC3\xA9\xE4\xB8\xAD"), "ROW", "a text without a letter has a key too");
	memset(longest, 'a', sizeof(longest));
	longest[KEY_MAX] = '\0';
	tap_is_int((int64_t)strlen(key(longest)), KEY_MAX, "64 bytes are kept");
	longest[KEY_MAX] = 'a';
	longest[KEY_MAX + 1] = '\0';
	tap_is_int((int64_t)strlen(key(longest)), KEY_MAX, "65 are cut to 64");
	tap_ok(strcmp(key("the same long beginning of two operations that go on and on in the first way"),
		      key("the same long beginning of two operations that go on and on in the second way")) != 0,
	       "two long names stay two");
	tap_is_str(key("the same long beginning of two operations that go on and on in the first way"),
		   key("the same long beginning of two operations that go on and on in the first way"), "and each the same");
}

static void properties(void)
{
	tap_is_str(naming_property(arena, str_of("X-Request-ID")), "X-Request-ID", "what vendors take stays");
	tap_is_str(naming_property(arena, str_of("filter[status]")), "filter_status", "the rest becomes _");
	tap_is_str(naming_property(arena, str_of("$filter")), "filter", "or nothing, at the edges");
	tap_is_str(naming_property(arena, str_of("[]")), "argument", "a name of nothing is named");
}

static void hosts(void)
{
	tap_is_str(host("api.github.com"), "GITHUB", "the owner's label");
	tap_is_str(host("example.org"), "EXAMPLE", "without a subdomain");
	tap_is_str(host("www.example.co.uk"), "EXAMPLE", "behind a country's second level");
	tap_is_str(host("localhost:8080"), "LOCALHOST", "a host of one label");
	tap_is_str(host("127.0.0.1:80"), "HOST", "an address");
	tap_is_str(host("[::1]:80"), "HOST", "an address of version 6");
	tap_is_str(host(""), "HOST", "nothing");
}

int main(void)
{
	arena = arena_new();
	keys();
	properties();
	hosts();
	arena_free(arena);
	return tap_done();
}
