-- Random ranges of RANGE_LENGTH bytes at multiples of 4 KiB of a file of FILE_LENGTH bytes, for wrk.
local file_length = tonumber(os.getenv("FILE_LENGTH"))
local range_length = tonumber(os.getenv("RANGE_LENGTH"))
local last = math.floor((file_length - range_length) / 4096)
math.randomseed(tonumber(os.getenv("SEED")))

request = function()
  local first = math.random(0, last) * 4096
  return wrk.format("GET", nil, { ["Range"] = "bytes=" .. first .. "-" .. (first + range_length - 1) })
end

done = function(summary, latency, requests)
  local failed = summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.status + summary.errors.timeout
  local rate = summary.requests / (summary.duration / 1e6)
  local bytes = summary.bytes / summary.requests
  io.write(string.format("RESULT %.1f %d %d %.0f\n", rate, latency:percentile(99), failed, bytes))
end
