-- Look who holds the lock.
--
-- KEYS[1] lock  string: the holder's token
--
-- Returns {milliseconds left or -1 if without limit, holder}, or {} if the lock is free.

local holder = redis.call('GET', KEYS[1])
if not holder then
	return {}
end
return {redis.call('PTTL', KEYS[1]), holder}
