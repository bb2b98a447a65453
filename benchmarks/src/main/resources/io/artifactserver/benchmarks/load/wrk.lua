-- Asks for ranges of one length, or for the whole file, and prints what Wrk.java reads.
-- Arguments: position of every range, or -1 for random ones; length of each, or 0 for the whole file;
-- length of the file; seed.
local page = 4096
local threads = 0

function setup(thread)
  thread:set("number", threads)
  threads = threads + 1
end

function init(args)
  position, length = tonumber(args[1]), tonumber(args[2])
  pages = math.floor((tonumber(args[3]) - length) / page) + 1
  math.randomseed(tonumber(args[4]) + number)
  if length == 0 then
    whole = wrk.format("GET")
    return
  end
  wrk.headers["Range"] = "@"
  local text = wrk.format("GET")
  local at = text:find("@\r\n", 1, true)
  before, behind = text:sub(1, at - 1) .. "bytes=", text:sub(at + 1)
end

function request()
  if whole then
    return whole
  end
  local first = position < 0 and math.floor(math.random() * pages) * page or position
  return before .. string.format("%d-%d", first, first + length - 1) .. behind
end

function done(summary, latency)
  local figures = {
    requests = summary.requests, bytes = summary.bytes, duration = summary.duration,
    connect = summary.errors.connect, read = summary.errors.read, write = summary.errors.write,
    status = summary.errors.status, timeout = summary.errors.timeout,
    mean = latency.mean, max = latency.max,
    p50 = latency:percentile(50), p90 = latency:percentile(90), p95 = latency:percentile(95),
    p99 = latency:percentile(99), p999 = latency:percentile(99.9),
  }
  for name, value in pairs(figures) do
    print("load " .. name .. " " .. value)
  end
end
