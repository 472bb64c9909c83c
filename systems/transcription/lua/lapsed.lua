-- Removes the sessions of workers whose lease has ended, with the clock of Redis, which all nodes share. Precedes the other
-- scripts. Returns the number of removed sessions, and the time in ms.
local function remove_lapsed(leases, prefix)
  local time = redis.call('TIME')
  local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
  local removed = 0
  for _, worker in ipairs(redis.call('ZRANGEBYSCORE', leases, '-inf', now)) do
    redis.call('ZREM', leases, worker)
    removed = removed + redis.call('HLEN', prefix .. worker)
    redis.call('DEL', prefix .. worker)
  end
  return removed, now
end

