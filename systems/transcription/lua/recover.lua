-- Takes a session that lost its connection, or that is still open on a worker. Each session is taken once: a mark stays,
-- because its worker may not know yet. Returns whether it was taken, and its figures after the connection was lost or, of
-- an open session, its record.
-- KEYS: leases by worker, mark of the session, its figures
-- ARGV: prefix of the workers' sessions, prefix of the sessions to end, this worker, session, whether this worker has its
-- figures, time to keep the mark and the request to end in ms
if redis.call('EXISTS', KEYS[2]) == 1 then return {0, '', ''} end
local past = redis.call('GETDEL', KEYS[3]) or ''
local shown = ''
if past == '' then
  for _, worker in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
    local record = redis.call('HGET', ARGV[1] .. worker, ARGV[4])
    if record then
      shown = record
      if worker ~= ARGV[3] then
        redis.call('SADD', ARGV[2] .. worker, ARGV[4])
        redis.call('PEXPIRE', ARGV[2] .. worker, ARGV[6])
      end
      break
    end
  end
end
if past == '' and shown == '' and ARGV[5] ~= '1' then return {0, '', ''} end
redis.call('SET', KEYS[2], 1, 'PX', ARGV[6])
return {1, past, shown}
