-- What has become of a job, from the process that works on it.
-- KEYS: what is known of the job; its events. ARGV: the first event id of the attempt; the id of the last event that is
-- told; seconds to keep it; the state as it is polled; the channel of those who watch; the present moment; then
-- id, kind and data of events.
-- Gives 0 where another attempt has begun: this one is nobody's any more.
local first, last = tonumber(ARGV[1]), tonumber(ARGV[2])
local begun = tonumber(redis.call('HGET', KEYS[1], 'first') or '0')
if begun > first then return 0 end
local told = tonumber(redis.call('HGET', KEYS[1], 'last') or '0')
for at = 7, #ARGV, 3 do
  if tonumber(ARGV[at]) > told then
    redis.call('XADD', KEYS[2], ARGV[at] .. '-0', 'kind', ARGV[at + 1], 'data', ARGV[at + 2])
  end
end
-- What was told later has come first (an end overtakes a state on another connection): the older one is no news.
if last < told then return 1 end
redis.call('HSET', KEYS[1], 'first', ARGV[1], 'last', last, 'polled', ARGV[4], 'at', ARGV[6])
redis.call('EXPIRE', KEYS[1], ARGV[3])
redis.call('EXPIRE', KEYS[2], ARGV[3])
redis.call('PUBLISH', ARGV[5], '')
return 1
