-- Saves a message for identities until they acknowledge it.
-- KEYS: the message, all identities with a queue
-- ARGV: prefix of the queues, message id, content type, delivery, time sent, end of the retention, limit of a queue,
--       "1" if the id may be known already, identities as JSON, payload
-- Returns false if the id is known, and otherwise the identities whose queues are full.
if ARGV[8] == '1' and redis.call('EXISTS', KEYS[1]) == 1 then return false end
redis.call('HSET', KEYS[1], 'content_type', ARGV[3], 'delivery', ARGV[4], 'sent_at', ARGV[5], 'payload', ARGV[10])
redis.call('PEXPIREAT', KEYS[1], ARGV[6])
local limit, full = tonumber(ARGV[7]), {}
for _, identity in ipairs(cjson.decode(ARGV[9])) do
  local queue = ARGV[1] .. identity
  if redis.call('HLEN', queue) >= limit then
    full[#full + 1] = identity
  else
    redis.call('HSET', queue, ARGV[2], ARGV[5])
    -- The latest message lasts longest, because all have the same retention.
    redis.call('PEXPIREAT', queue, ARGV[6])
    redis.call('SADD', KEYS[2], identity)
  end
end
return full
