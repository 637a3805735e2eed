-- One step of one aggregate: all of it, or nothing. What is refused is refused before the first
-- write, because nothing undoes the writes of a script that fails.
--
-- KEYS: 1 state, 2 journal, 3 handled, 4 outbox, 5 places, 6 due, 7 index
-- ARGV: 1 expected version, 2 message, 3 entry, 4 the aggregate's key, 5 bell's channel,
--       6 bell's text, 7 snapshot ('' or 's' and the state), 8 the message whose step led to the
--       expected version ('': whichever), 9 number of deadlines (-1: as they were), then the
--       deadlines, then six values for each outgoing message
-- Answers what came of it, and the version that says so.

local done = redis.call('HGET', KEYS[3], ARGV[2])
if done then
  return { 'repeat', done }
end
local state = redis.call('HMGET', KEYS[1], 'v', 'd', 'r')
local current = state[1] or '0'
if state[3] then
  return { 'repeat', current }
end
if current ~= ARGV[1] then
  return { 'conflict', current }
end
if ARGV[8] ~= '' and redis.call('HGET', KEYS[3], ARGV[8]) ~= current then
  return { 'conflict', current }
end

local version = string.format('%d', tonumber(current) + 1)
-- First, because Redis refuses it when the journal is ahead of the state.
redis.call('XADD', KEYS[2], version .. '-0', 'e', ARGV[3])
redis.call('HSET', KEYS[1], 'v', version)
redis.call('HSET', KEYS[3], ARGV[2], version)
if current == '0' then
  redis.call('SADD', KEYS[7], ARGV[4])
end
if ARGV[7] ~= '' then
  redis.call('HSET', KEYS[1], 'sv', version, 's', string.sub(ARGV[7], 2))
end

local at = 10
local deadlines = tonumber(ARGV[9])
if deadlines >= 0 then
  local new, list = {}, {}
  for i = 1, deadlines do
    list[i] = ARGV[at]
    new[ARGV[at]] = true
    at = at + 1
  end
  if state[2] then
    for _, old in ipairs(cmsgpack.unpack(state[2])) do
      if new[old] then
        new[old] = nil
      else
        redis.call('ZREM', KEYS[6], old)
      end
    end
  end
  for member in pairs(new) do
    redis.call('ZADD', KEYS[6], 0, member)
  end
  if deadlines > 0 then
    redis.call('HSET', KEYS[1], 'd', cmsgpack.pack(list))
  elseif state[2] then
    redis.call('HDEL', KEYS[1], 'd')
  end
end

local messages = (#ARGV - at + 1) / 6
if messages > 0 then
  local place = redis.call('INCRBY', KEYS[5], messages) - messages
  for _ = 1, messages do
    place = place + 1
    redis.call('XADD', KEYS[4], string.format('%d-0', place),
      'i', ARGV[at], 't', ARGV[at + 1], 's', ARGV[at + 2],
      'n', ARGV[at + 3], 'k', ARGV[at + 4], 'b', ARGV[at + 5])
    at = at + 6
  end
  redis.call('PUBLISH', ARGV[5], ARGV[6])
end
return { 'done', version }
