-- Sends one request, read from a file of header lines, an empty line and the body, and says in one
-- line: requests, failures, nanoseconds, p50 and p99 in microseconds.

function init(args)
  local file = assert(io.open(args[1], "rb"))
  local text = file:read("*a")
  file:close()
  local from, to = text:find("\r\n\r\n", 1, true)
  for name, value in text:sub(1, from + 1):gmatch("([^:\r\n]+): ([^\r\n]*)\r\n") do
    wrk.headers[name] = value
  end
  wrk.method = "POST"
  wrk.body = text:sub(to + 1)
  sent = wrk.format()
end

function request()
  return sent
end

function done(summary, latency, requests)
  local errors = summary.errors
  local failures = errors.status + errors.connect + errors.read + errors.write + errors.timeout
  io.write(string.format("%d %d %d %d %d\n", summary.requests, failures, summary.duration * 1000,
    latency:percentile(50), latency:percentile(99)))
end
