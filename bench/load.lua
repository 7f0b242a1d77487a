-- wrk script: sends one kind of request, checks every response, prints the result as JSON.
-- Arguments after "--": kind (get | miss | hit | list | sdk, or miss and hit with the prefix "streamable-" or "stateless-"), API key, text that every valid response contains, first counter.
local kind, key, marker
local counter = 0
local meta = ''
bad = 0
first_bad = ""
local threads = {}

function setup(thread)
  table.insert(threads, thread)
end

function init(args)
  kind, key, marker = args[1], args[2], args[3]
  counter = tonumber(args[4]) or 0
  if kind ~= "get" then
    wrk.method = "POST"
    wrk.path = "/mcp"
    wrk.headers["content-type"] = "application/json"
    wrk.headers["x-api-key"] = key
  end
  if kind == "sdk" or string.find(kind, "^streamable") or string.find(kind, "^stateless") then
    wrk.headers["accept"] = "application/json, text/event-stream"
  end
  if string.find(kind, "^streamable") then
    wrk.headers["mcp-protocol-version"] = "2025-11-25"
  elseif string.find(kind, "^stateless") then
    wrk.headers["mcp-protocol-version"] = "2026-07-28"
    wrk.headers["mcp-method"] = "tools/call"
    wrk.headers["mcp-name"] = "bench_echo"
    meta = ',"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"}}'
  end
end

local call = '{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"bench_echo","arguments":{"n":%d}%s}}'

function request()
  counter = counter + 1
  if kind == "get" then
    return wrk.format("GET", "/echo?n=" .. counter)
  elseif kind == "list" then
    return wrk.format(nil, nil, nil, '{"jsonrpc":"2.0","id":1,"method":"tools/list"}')
  end
  local n = string.find(kind, "hit$") and 1 or counter
  return wrk.format(nil, nil, nil, string.format(call, counter, n, meta))
end

function response(status, headers, body)
  if status ~= 200 or not string.find(body, marker, 1, true) then
    bad = bad + 1
    if first_bad == "" then first_bad = status .. " " .. string.sub(body, 1, 200) end
  end
end

function done(summary, latency)
  local wrong, example = 0, ""
  for _, thread in ipairs(threads) do
    wrong = wrong + thread:get("bad")
    if example == "" then example = thread:get("first_bad") end
  end
  local errors = summary.errors
  io.write(string.format('RESULT {"requests":%d,"seconds":%f,"p50Us":%d,"p99Us":%d,"wrong":%d,"socketErrors":%d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50), latency:percentile(99), wrong,
    errors.connect + errors.read + errors.write + errors.timeout))
  if example ~= "" then io.write("EXAMPLE " .. example .. "\n") end
end
