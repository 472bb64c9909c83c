-- Saves a message for identities until they acknowledge it. A queue entry is `identity/id/time sent`, so that one command
-- adds or removes the entries of thousands of identities, and a lexical range has those of one. The time tells apart a later
-- message for other identities with the same id.
-- KEYS: the message, the queue
-- ARGV: message id, content type, delivery, time sent, end of the retention, limit of entries per identity, "1" if the id
--       may be known already, identities as JSON, payload
-- Returns false if the id is known, and otherwise the identities with too many entries.
if ARGV[7] == '1' and redis.call('EXISTS', KEYS[1]) == 1 then return false end
redis.call('HSET', KEYS[1], 'content_type', ARGV[2], 'delivery', ARGV[3], 'sent_at', ARGV[4], 'payload', ARGV[9])
redis.call('PEXPIREAT', KEYS[1], ARGV[5])
local suffix = '/' .. ARGV[1] .. '/' .. ARGV[4]
local limit, full, entries = tonumber(ARGV[6]), {}, {}
-- As long as the whole queue is below the limit, nobody can have reached it.
local is_short = redis.call('ZCARD', KEYS[2]) < limit
for _, identity in ipairs(cjson.decode(ARGV[8])) do
  if not is_short and redis.call('ZLEXCOUNT', KEYS[2], '[' .. identity .. '/', '(' .. identity .. '0') >= limit then
    full[#full + 1] = identity
  else
    entries[#entries + 1] = '0'
    entries[#entries + 1] = identity .. suffix
    if #entries == 4000 then -- Lua limits the number of arguments
      redis.call('ZADD', KEYS[2], unpack(entries))
      entries = {}
    end
  end
end
if #entries > 0 then redis.call('ZADD', KEYS[2], unpack(entries)) end
-- The latest message lasts longest, because all have the same retention.
redis.call('PEXPIREAT', KEYS[2], ARGV[5])
return full
