-- Restart the lease of one holder beside others. Never creates a holder, changes no other
-- lease, and shortens one only if requested, because a request may come late.
--
-- KEYS     see holders.lua
-- ARGV[1]  token
-- ARGV[2]  lease in milliseconds
-- ARGV[3]  1 to shorten a lease that has more time left, 0 to leave it as it is
--
-- Returns 1 if the token has the lease now, 0 if nobody holds the lock, -1 if only others do.

local here = holders()
local own
if here.isSet() then
	here.forgetEnded()
	own = redis.call('ZSCORE', KEYS[1], ARGV[1])
end
if not own then
	return here.isHeld() and -1 or 0
end
if ARGV[3] == '1' or tonumber(own) < here.millis + ARGV[2] then
	redis.call('ZADD', KEYS[1], string.format('%.0f', here.millis + ARGV[2]), ARGV[1])
	here.expireWithTheLast()
end
return 1
