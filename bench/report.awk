# From the lines of bench/run to tables or JSON. Lines:
#   i NAME VALUE                                                         about the machine and the run
#   m NAME CONNECTIONS RPS P50_US P99_US BAD NGINX WORKER WRITER COUNT   one measurement; CPU in microseconds a request
#   v NAME VALUE                                                         one value, perhaps one of several
# Everything shown is a median, but for the number of bad answers, which is a sum.

$1 == "i" { info[++infos] = $2; about[$2] = $3; next }
$1 == "v" { name = $2; if (!(name in count)) values[++names] = name; sample[name, ++count[name]] = $3; next }
$1 == "m" {
	id = $2 "@" $3
	if (!(id in runs))
		order[++ids] = id
	runs[id]++
	for (f = 4; f <= 10; f++)
		if (f != 7)
			sample[id ":" f, ++count[id ":" f]] = $f
	bad[id] += $7
	all[id] += $11
}

function median(name,    i, j, n, t, a)
{
	n = count[name]
	if (!n)
		return ""
	for (i = 1; i <= n; i++) {
		t = sample[name, i] + 0
		for (j = i - 1; j >= 1 && a[j] > t; j--)
			a[j + 1] = a[j]
		a[j + 1] = t
	}
	return n % 2 ? a[(n + 1) / 2] : (a[n / 2] + a[n / 2 + 1]) / 2
}

function most(name,    i, m)
{
	if (!count[name])
		return ""
	for (i = 1; i <= count[name]; i++)
		if (sample[name, i] + 0 > m + 0)
			m = sample[name, i] + 0
	return m
}

function rps(id) { return median(id ":4") }
function p50(id) { return median(id ":5") }
function p99(id) { return median(id ":6") }
function ratio(a, b) { return a == "" || b == "" || b == 0 ? "" : a / b }
function shown(x, form) { return x == "" ? "-" : sprintf(form, x) }

function target(what, got, op, want, stretch, unit,    verdict)
{
	if (got == "")
		return
	verdict = (op == ">=" ? got >= want : got <= want) ? "reached" : "MISSED"
	if (verdict == "reached" && stretch != "" && (op == ">=" ? got >= stretch : got <= stretch))
		verdict = "stretch"
	goals++
	if (format == "json") {
		goal = goal sprintf("%s{\"what\":\"%s\",\"reached\":%.3f,\"op\":\"%s\",", (goals > 1 ? "," : ""), what, got, op)
		goal = goal sprintf("\"target\":%s,\"stretch\":%s,", want, stretch == "" ? "null" : stretch)
		goal = goal sprintf("\"unit\":\"%s\",\"verdict\":\"%s\"}", unit, verdict)
		return
	}
	if (goals == 1)
		printf "\n%-66s %9s  %-9s %-8s\n", "target", "here", "wanted", "stretch"
	printf "%-66s %9.2f  %s %-6s %-8s %s\n", what (unit == "" ? "" : ", " unit), got, op, want, stretch, verdict
}

function bad_of(id) { return id in bad ? bad[id] : "" }

# Of two subjects with so many connections.
function rates(a, b, conns) { return ratio(rps(a "@" conns), rps(b "@" conns)) }

function receipt_targets(    now)
{
	now = "NOW with receipt, "
	target(now "64 connections: rate / conventional hello", rates("now", "prefork", 64), ">=", 1.0, 1.25)
	target(now "64 connections: rate / own hello", rates("now", "event", 64), ">=", 0.40, 0.60)
	target(now "64 connections: p99 / conventional hello", ratio(p99("now@64"), p99("prefork@64")), "<=", 1.5, 1.1)
	target(now "16 connections: rate / conventional hello", rates("now", "prefork", 16), ">=", 0.65, 0.85)
	if (p50("now@1") != "")
		target(now "one connection: added median / fdatasync",
			ratio(p50("now@1") - p50("event@1"), median("fdatasync_us")), "<=", 1.5, "")
	target("writer alone, 64 under way: rate / fdatasync rate", median("writer_64_ratio"), ">=", 8, 12)
}

function targets(    pss)
{
	receipt_targets()
	target("MCP tools/call of NOW, 64 connections: rate / dispatch", rates("tool", "now", 64), ">=", 0.80, "")
	target("single-row read, 64 connections: rate / conventional hello", rates("row", "prefork", 64), ">=", 1.0, "")
	target("contract document, 64 connections: rate / own hello", rates("contract", "event", 64), ">=", 0.70, 0.80)
	target("304, 64 connections: rate / own hello", rates("unchanged", "event", 64), ">=", 0.85, "")
	target("registry gzip, 64 connections: rate / conventional hello", rates("registry", "prefork", 64), ">=", 0.35, "")
	target("100 ms upstream, 64 connections: rate / direct", rates("via_100ms", "direct_100ms", 64), ">=", 0.98, "")
	target("answers other than 2xx at 256 connections", bad_of("now@256"), "<=", 0, "")
	target("answers other than 2xx at 1,000 connections", bad_of("now@1000"), "<=", 0, "")
	target("1,000 waiting calls: answers other than 2xx", median("slow_calls_bad"), "<=", 0, "")
	target("1,000 waiting calls: at the upstream at once", median("waiting_at_upstream"), ">=", 1000, "")
	pss = most("worker_pss_kb")
	target("a worker after the load", pss == "" ? "" : pss / 1024, "<=", 16, "", "MB PSS")
	target("first `rowcall up`, to the first 200", median("up_first_ms"), "<=", 3000, "", "ms")
}

function text_line(id,    part, c)
{
	split(id, part, "@")
	c = part[2]
	if (c != last)
		printf "%s", (last == "" ? "" : "\n")
	last = c
	printf "%5d  %-18s %8.0f %8.2f %8.2f", c, part[1], rps(id), p50(id) / 1000, p99(id) / 1000
	printf " %8.1f %8.1f %8.1f", median(id ":8"), median(id ":9"), median(id ":10")
	printf "  %9s %9s  %5d\n", shown(rates(part[1], "prefork", c), "%.2f"), shown(rates(part[1], "event", c), "%.2f"), bad[id]
}

function heads()
{
	printf "%5s  %-18s %8s %8s %8s  %25s  %19s  %5s\n", "", "", "", "p50", "p99", "CPU us a request", "rate / hello", "not"
	printf "%5s  %-18s %8s %8s %8s", "conns", "subject", "req/s", "ms", "ms"
	printf " %8s %8s %8s  %9s %9s  %5s\n", "nginx", "workers", "writer", "prefork", "event", "2xx"
}

function text(    i, v)
{
	for (i = 1; i <= infos; i++)
		printf "%s%s %s", (i > 1 ? ", " : ""), info[i], about[info[i]]
	printf "\n\n"
	if (ids)
		heads()
	for (i = 1; i <= ids; i++)
		text_line(order[i])
	printf "\n"
	for (i = 1; i <= names; i++) {
		v = values[i]
		printf "%-24s %12.1f", v, median(v)
		printf "%s\n", (count[v] > 1 ? sprintf("   (most %.1f, of %d)", most(v), count[v]) : "")
	}
	targets()
}

function json_line(id,    part)
{
	split(id, part, "@")
	printf "{\"subject\":\"%s\",\"connections\":%d,\"rounds\":%d,", part[1], part[2], runs[id]
	printf "\"requests_per_s\":%.1f,\"p50_us\":%d,\"p99_us\":%d,", rps(id), p50(id), p99(id)
	printf "\"nginx_cpu_us\":%.2f,\"workers_cpu_us\":%.2f,", median(id ":8"), median(id ":9")
	printf "\"writer_cpu_us\":%.2f,\"requests\":%d,\"bad\":%d}", median(id ":10"), all[id], bad[id]
}

function json(    i)
{
	printf "{\"about\":{"
	for (i = 1; i <= infos; i++)
		printf "%s\"%s\":\"%s\"", (i > 1 ? "," : ""), info[i], about[info[i]]
	printf "},\"measured\":["
	for (i = 1; i <= ids; i++) {
		printf "%s", (i > 1 ? "," : "")
		json_line(order[i])
	}
	printf "],\"values\":{"
	for (i = 1; i <= names; i++)
		printf "%s\"%s\":%.1f", (i > 1 ? "," : ""), values[i], median(values[i])
	targets()
	printf "},\"targets\":[%s]}\n", goal
}

END { if (format == "json") json(); else text() }
