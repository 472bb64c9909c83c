-- The identities with entries in the queue, in order.
-- KEYS: the queue
-- ARGV: the identity after which to begin, or "", and the maximum number
local found = {}
local from = ARGV[1] == '' and '-' or '[' .. ARGV[1] .. '0' -- `0` follows `/`, so this skips the identity's own entries
for _ = 1, tonumber(ARGV[2]) do
  local entry = redis.call('ZRANGEBYLEX', KEYS[1], from, '+', 'LIMIT', 0, 1)[1]
  if not entry then break end
  local identity = string.match(entry, '^[^/]+')
  found[#found + 1] = identity
  from = '[' .. identity .. '0'
end
return found
