-- The identities whose metadata meets a filter. Its answers are those of `filter/evaluate.rs`.
-- KEYS: the ends of all registrations
-- ARGV: prefix of the registrations, the filter as nested arrays (JSON)
local function before(a, b) -- byte by byte, unlike `<`, which follows the locale
  local shorter = math.min(#a, #b)
  for n = 1, shorter do
    local x, y = string.byte(a, n), string.byte(b, n)
    if x ~= y then return x < y end
  end
  return #a < #b
end

local function less(a, b)
  if type(a) == 'string' then return before(a, b) end
  return a < b
end

local function ordered(found, wanted)
  local kind = type(found)
  return kind == type(wanted) and (kind == 'number' or kind == 'string')
end

local function same_kind(found, wanted)
  return type(found) == type(wanted) and type(found) ~= 'table'
end

local tests = {
  eq = function(found, wanted) return same_kind(found, wanted) and found == wanted end,
  ne = function(found, wanted) return same_kind(found, wanted) and found ~= wanted end,
  lt = function(found, wanted) return ordered(found, wanted) and less(found, wanted) end,
  gt = function(found, wanted) return ordered(found, wanted) and less(wanted, found) end,
  lte = function(found, wanted) return ordered(found, wanted) and not less(wanted, found) end,
  gte = function(found, wanted) return ordered(found, wanted) and not less(found, wanted) end,
  startswith = function(found, part)
    return type(found) == 'string' and string.sub(found, 1, #part) == part
  end,
  endswith = function(found, part)
    return type(found) == 'string' and (part == '' or string.sub(found, -#part) == part)
  end,
}

tests.contains = function(found, item)
  if type(found) == 'string' then
    return type(item) == 'string' and string.find(found, item, 1, true) ~= nil
  end
  if type(found) ~= 'table' then return false end
  for _, value in ipairs(found) do
    if tests.eq(value, item) then return true end
  end
  return false
end

tests['in'] = function(found, values)
  for _, value in ipairs(values) do
    if tests.eq(found, value) then return true end
  end
  return false
end

local function find(metadata, path)
  local value = metadata
  for _, key in ipairs(path) do
    if type(value) ~= 'table' then return nil end
    value = value[key]
    if value == nil then return nil end
  end
  return value
end

local function holds(node, metadata)
  local kind = node[1]
  if kind == 'all' then
    for n = 2, #node do
      if not holds(node[n], metadata) then return false end
    end
    return true
  elseif kind == 'any' then
    for n = 2, #node do
      if holds(node[n], metadata) then return true end
    end
    return false
  elseif kind == 'not' then
    return not holds(node[2], metadata)
  end
  local found = find(metadata, node[2])
  if kind == 'exists' then return (found ~= nil) == node[3] end
  return found ~= nil and tests[kind](found, node[3])
end

local filter, matching = cjson.decode(ARGV[2]), {}
for _, identity in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  local metadata = redis.call('HGET', ARGV[1] .. identity, 'metadata')
  if metadata and holds(filter, cjson.decode(metadata)) then matching[#matching + 1] = identity end
end
return matching
