-- The first event id of a new attempt at a job: behind all that was told of it, whatever the clocks say.
-- KEYS: what is known of the job. ARGV: the present moment in milliseconds; seconds to keep it.
local first = math.max(tonumber(ARGV[1]), tonumber(redis.call('HGET', KEYS[1], 'last') or '0') + 1)
redis.call('HSET', KEYS[1], 'first', first)
redis.call('EXPIRE', KEYS[1], ARGV[2])
return first
