-- An aggregate as it is kept: version, whether it is retired, version and state of its snapshot,
-- journal entries after that.
-- KEYS: 1 state, 2 journal

local state = redis.call('HMGET', KEYS[1], 'v', 'r', 'sv', 's')
return {
  state[1] or '0', state[2], state[3], state[4],
  redis.call('XRANGE', KEYS[2], '(' .. (state[3] or '0') .. '-0', '+'),
}
