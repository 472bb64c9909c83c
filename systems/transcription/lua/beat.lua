-- Renews the lease of a worker, unless it has ended: a worker must write its sessions before its lease begins. Returns
-- whether the lease lasts, the number of sessions of ended workers that were removed, and the sessions of this worker that
-- other nodes want to end. These stay until the worker acknowledges them, so that none is lost with a reply.
-- KEYS: leases by worker, sessions of this worker, sessions of this worker to end
-- ARGV: prefix of the workers' sessions, worker, length of the lease in ms, time to keep the sessions in ms, whether to begin
-- a lease, maximum number of sessions to return, acknowledged sessions
local removed, now = remove_lapsed(KEYS[1], ARGV[1])
local lasts = ARGV[5] == '1' or redis.call('ZSCORE', KEYS[1], ARGV[2])
if lasts then
  redis.call('ZADD', KEYS[1], now + tonumber(ARGV[3]), ARGV[2])
  redis.call('PEXPIRE', KEYS[2], ARGV[4])
end
for index = 7, #ARGV do
  redis.call('SREM', KEYS[3], ARGV[index])
end
return {lasts and 1 or 0, removed, redis.call('SRANDMEMBER', KEYS[3], ARGV[6])}
