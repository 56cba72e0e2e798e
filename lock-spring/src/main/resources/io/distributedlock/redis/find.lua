-- Find the holder of the lock; if there are several, the one whose lease ends first.
--
-- KEYS    see holders.lua
--
-- Returns {milliseconds left or -1 if without limit, holder, how many hold, how many it
-- accepts or 0 for any number}, or {} if the lock is free.

local holder = redis.pcall('GET', KEYS[1])
if not holder then
	return {}
end
if type(holder) == 'table' then
	local time = redis.call('TIME')
	local millis = time[1] * 1000 + math.floor(time[2] / 1000)
	local first = redis.pcall('ZRANGEBYSCORE', KEYS[1], string.format('(%.0f', millis), '+inf', 'WITHSCORES',
		'LIMIT', 0, 1)
	-- A key of another type is no lock
	if first.err then
		return holder
	end
	return first[1]
		and {first[2] - millis, first[1], redis.call('ZCOUNT', KEYS[1], string.format('(%.0f', millis), '+inf'),
			tonumber(redis.call('ZSCORE', KEYS[5], first[1]) or 0)}
		or {}
end
return {redis.call('PTTL', KEYS[1]), holder, 1, 1}
