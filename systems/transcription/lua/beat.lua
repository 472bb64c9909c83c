-- Renews the lease of a worker, and removes the sessions of workers whose lease has ended. Returns the sessions of this
-- worker that other nodes want to end, and the number of sessions removed.
-- KEYS: leases by worker, sessions of this worker to end
-- ARGV: prefix of the workers' sessions, worker, length of the lease in ms
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[3]), ARGV[2])
local removed = 0
for _, worker in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now)) do
  redis.call('ZREM', KEYS[1], worker)
  removed = removed + redis.call('HLEN', ARGV[1] .. worker)
  redis.call('DEL', ARGV[1] .. worker)
end
local ends = redis.call('SMEMBERS', KEYS[2])
redis.call('DEL', KEYS[2])
return {removed, ends}
