-- One constant request for wrk, from the environment (so that no credential stands in a command line), and one line of
-- figures at the end.
--   BENCH_METHOD, BENCH_BODY, BENCH_HEADERS (lines "Name: value")
-- The line: bench REQUESTS MICROSECONDS P50_US P99_US BAD, where BAD counts answers of status 400 and above and failed
-- connections.
-- There is no request() and no response() function: with either wrk itself would be the bottleneck.
wrk.method = os.getenv("BENCH_METHOD") or "GET"
local body = os.getenv("BENCH_BODY") or ""
if body ~= "" then
	wrk.body = body
end
for name, value in (os.getenv("BENCH_HEADERS") or ""):gmatch("([^:\n]+): ([^\n]*)") do
	wrk.headers[name] = value
end

function done(summary, latency, requests)
	local e = summary.errors
	local bad = e.status + e.connect + e.read + e.write + e.timeout
	io.write(string.format("bench %d %d %d %d %d\n", summary.requests, summary.duration,
		latency:percentile(50), latency:percentile(99), bad))
end
