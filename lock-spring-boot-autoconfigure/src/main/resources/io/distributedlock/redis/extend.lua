-- Let leases start anew. Never creates a lock that is gone.
--
-- KEYS[i]      lock   string: the holder's token
-- ARGV[2i - 1] token
-- ARGV[2i]     lease in milliseconds
--
-- Returns for each key 1 if extended, 0 if nobody holds it, -1 if somebody else does.

local answers = {}
for i, key in ipairs(KEYS) do
	local holder = redis.pcall('GET', key)
	if not holder then
		answers[i] = 0
	elseif holder == ARGV[2 * i - 1] then
		redis.call('PEXPIRE', key, ARGV[2 * i])
		answers[i] = 1
	elseif type(holder) == 'table' and not string.find(holder.err, 'WRONGTYPE', 1, true) then
		return holder
	else
		-- One key of another type must not cost the other locks their extension
		answers[i] = -1
	end
end
return answers
