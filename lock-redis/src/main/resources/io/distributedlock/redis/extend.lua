-- Restart leases. Never creates a lock or a holder that is gone, changes no other lease, and
-- shortens one only if requested, because a request may come late.
--
-- KEYS[i]      lock, see holders.lua; it may be there several times
-- ARGV[4i - 3] token
-- ARGV[4i - 2] lease in milliseconds
-- ARGV[4i - 1] 1 to shorten a lease that has more time left, 0 to leave it as it is
-- ARGV[4i]     how many holders the token accepts: 1 to be alone, 0 for any number
-- ARGV[4n + 1] for n keys: 1 to read each lock last, as the server reports the next change of
--              what a client has read, and forgets that with each change; otherwise absent
--
-- Returns for each key 1 if the token has the lease now, 0 if nobody holds it, -1 if somebody
-- else does.

-- One key that others wrote must not cost the other locks their extension
local function isOfOthers(problem)
	return string.find(problem.err, 'WRONGTYPE', 1, true)
end

local watch = ARGV[4 * #KEYS + 1] == '1'
local several, millis
local answers = {}
local written = false
for i, key in ipairs(KEYS) do
	local token, lease, exactly, limit = ARGV[4 * i - 3], ARGV[4 * i - 2], ARGV[4 * i - 1] == '1', ARGV[4 * i]
	local holder = limit == '1' and redis.pcall('GET', key)
	local alone = limit == '1'
	if type(holder) == 'table' then
		if not isOfOthers(holder) then
			return holder
		end
		alone = false
	end
	if alone then
		if not holder then
			answers[i] = 0
		elseif holder == token then
			local left = redis.call('PTTL', key)
			-- A key that somebody made permanent ends with its next lease, and not with a question
			if exactly or left < tonumber(lease) and (left ~= -1 or lease ~= '1') then
				redis.call('PEXPIRE', key, lease)
				written = true
			end
			answers[i] = 1
		else
			answers[i] = -1
		end
	else
		if not several then
			local here = queue()
			several = holders(here)
			millis = here.millis(redis.call('TIME'))
		end
		local own, others, problem = several.ends(key, token)
		if problem then
			if limit ~= '1' and not isOfOthers(problem) then
				return problem
			end
			answers[i] = -1
		elseif own and own > millis then
			if exactly or not several.has(key, token, limit, lease, own, millis) then
				several.renew(key, token, limit, lease, exactly, own, others, millis)
				written = true
			end
			answers[i] = 1
		else
			answers[i] = (others and others > millis) and -1 or 0
		end
	end
	if watch and answers[i] == 1 then
		redis.call('PTTL', key)
	end
end
if not written then
	queue().refuseAsReplica()
end
return answers
