-- Restart leases. Never creates a lock that is gone, and shortens a lease only if requested,
-- because a request may come late.
--
-- KEYS[i]      lock   string: the holder's token
-- ARGV[3i - 2] token
-- ARGV[3i - 1] lease in milliseconds
-- ARGV[3i]     1 to shorten a lease that has more time left, 0 to leave it as it is
--
-- Returns for each key 1 if it has the lease now, 0 if nobody holds it, -1 if somebody else does.

local answers = {}
for i, key in ipairs(KEYS) do
	local holder = redis.pcall('GET', key)
	if not holder then
		answers[i] = 0
	elseif holder == ARGV[3 * i - 2] then
		local lease = ARGV[3 * i - 1]
		if ARGV[3 * i] == '1' or redis.call('PTTL', key) < tonumber(lease) then
			redis.call('PEXPIRE', key, lease)
		end
		answers[i] = 1
	elseif type(holder) == 'table' and not string.find(holder.err, 'WRONGTYPE', 1, true) then
		return holder
	else
		-- One key of another type must not cost the other locks their extension
		answers[i] = -1
	end
end
return answers
