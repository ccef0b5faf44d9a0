-- For wrk: reads of one path, or submissions of ever new results, and one line of JSON at the end.
-- wrk -s http_wrk.lua URL -- read | submit KEY PREFIX

local number, key, prefix, kind = 0, "", "", "read"

function init(args)
  kind = args[1] or "read"
  key, prefix = args[2], args[3]
end

function request()
  if kind == "read" then
    return wrk.format("GET")
  end
  number = number + 1
  local body = string.format(
    '{"id":"%s-%d","player":"p%d","values":{"wpm":%d.%d,"accuracy":97,"mode":"time"}}',
    prefix, number, number % 5000, 40 + number % 100, number % 10)
  local headers = { ["Content-Type"] = "application/json", ["Authorization"] = "Bearer " .. key }
  return wrk.format("POST", nil, headers, body)
end

function done(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format(
    '{"requests":%d,"seconds":%f,"p99_ms":%f,"p50_ms":%f,"bad":%d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(99) / 1e3,
    latency:percentile(50) / 1e3,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
