-- Forgets outbox entries under the newest lease.
-- KEYS: 1 outbox, 2 fence
-- ARGV: 1 fence, then ids

if redis.call('GET', KEYS[2]) ~= ARGV[1] then
  return 0
end
for i = 2, #ARGV do
  redis.call('XDEL', KEYS[1], ARGV[i])
end
return 1
