# Prints a JSON array of rows: n of an ordinary size, and two that call the slow upstream at `upstream` (host:port).
function member(name, json) { printf "%s\"%s\":%s", comma, name, json; comma = "," }
function text(s) { return "\"" s "\"" }
function line(s) { return s "\\n" }

function begin_row(key, type, target, category)
{
	printf "%s{", rows++ ? ",\n" : "["
	comma = ""
	member("key", text(key))
	member("type", text(type))
	member("target", text(target))
	member("category", text(category))
}

function ordinary(i,    key, example)
{
	key = sprintf("BENCH_ROW_%04d", i)
	example = "word" i "|12"
	begin_row(key, "fn", "echo", "bench_" i % 20)
	member("examples", "[" text(example) "]")
	member("content", text(line("# WHAT: Answers with what it was given, as row " i " does it for the load test.") \
		line("# WHEN_TO_USE: a caller wants to know how a directory of ordinary size behaves, number " i " of " n ".") \
		line("# ARGS: $1=text | $2=count") line("# EX: [" key "]" example "[/" key "]") line("# OUTPUT: the text") \
		line("# SAFE: yes") "# IDEMPOTENT: yes"))
	member("input_schema", "{\"type\":\"object\",\"properties\":{\"text\":{\"type\":\"string\",\"maxLength\":" 100 + i \
		"},\"count\":{\"type\":\"integer\",\"minimum\":0}},\"required\":[\"text\"],\"additionalProperties\":false}")
	printf "}"
}

function slow(key, ms)
{
	begin_row(key, "http", "GET http://" upstream "/" ms, "bench")
	member("examples", "[\"\"]")
	member("content", text(line("# WHAT: Waits " ms " ms.") line("# ARGS: none") line("# EX: [" key "][/" key "]") \
		"# SAFE: yes"))
	printf "}"
}

BEGIN {
	for (i = 1; i <= n; i++)
		ordinary(i)
	slow("BENCH_SLOW", 1500)
	slow("BENCH_100MS", 100)
	print "]"
}
