-- Find the holder of the lock; if there are several, the one whose lease ends first.
--
-- KEYS[1] lock, see holders.lua
--
-- Returns {milliseconds left or -1 if without limit, holder, how many hold, how many it
-- accepts or 0 for any number}, or {} if the lock is free.

local holder = redis.pcall('GET', KEYS[1])
if not holder then
	return {}
elseif type(holder) == 'string' then
	return {redis.call('PTTL', KEYS[1]), holder, 1, 1}
end
local here = queue()
local _, latest, problem = holders(here).ends(KEYS[1])
local millis = here.millis(redis.call('TIME'))
if problem then
	return problem
elseif latest <= millis then
	return {}
end
local alive = string.format('(%.0f', millis)
local first = redis.call('ZRANGEBYSCORE', KEYS[1], alive, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
return {first[2] - millis, first[1], redis.call('ZCOUNT', KEYS[1], alive, '+inf'),
	tonumber(redis.call('ZSCORE', KEYS[1], '#' .. first[1]) or 0)}
