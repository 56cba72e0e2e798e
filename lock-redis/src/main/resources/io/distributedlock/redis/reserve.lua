-- Reserve fencing tokens for a grant. This text precedes the scripts that grant as the body of
-- a function, reserve(time, block, retention): the answer to TIME, how many tokens, and how
-- many milliseconds to keep the last one.
--
-- KEYS[2] fence  string: "last block", the last fencing token given, and how many there were
--                in its block
--
-- Returns the first token, and what is stored. Redis out of memory refuses this command, so it
-- comes before any other that writes.

-- Joining two texts is cheaper than formatting, if the microseconds have all their digits
local first = (#time[2] == 6) and time[1] .. time[2] or string.format('%010d%06d', time[1], time[2])
local fence = (block == '1') and first .. ' 1' or string.format('%.0f %s', first + block - 1, block)
local before = redis.pcall('SET', KEYS[2], fence, 'PX', retention, 'GET')
if type(before) == 'table' then
	-- Redis before 6.2 does not know the command; what is refused for another reason still is
	before = redis.call('GET', KEYS[2])
	redis.call('SET', KEYS[2], fence, 'PX', retention)
end
if before then
	local ours = string.find(before, '^%d+ %d+$')
	-- As texts, which is exact for what we write, and fast
	if ours and before >= first then
		local last = tonumber(string.match(before, '^%d+'))
		-- Beyond 2^53 one more makes no difference
		ours = last < 9e15
		if ours and last >= tonumber(first) then
			first = string.format('%.0f', last + 1)
			fence = string.format('%.0f %s', last + block, block)
			redis.call('SET', KEYS[2], fence, 'PX', retention)
		end
	end
	if not ours then
		redis.call('SET', KEYS[2], before)
		error('WRONGTYPE ' .. KEYS[2] .. ' holds a value that no lock has written', 0)
	end
end
return first, fence
