-- Forgets acknowledged messages.
-- KEYS: the queue
-- ARGV: prefix of the messages, then at most 1000 pairs of identity and message id
local sent, entries = {}, {}
for n = 2, #ARGV, 2 do
  local id = ARGV[n + 1]
  if sent[id] == nil then sent[id] = redis.call('HGET', ARGV[1] .. id, 'sent_at') end -- false if the message has ended
  if sent[id] then entries[#entries + 1] = ARGV[n] .. '/' .. id .. '/' .. sent[id] end
end
if #entries > 0 then redis.call('ZREM', KEYS[1], unpack(entries)) end
return true
