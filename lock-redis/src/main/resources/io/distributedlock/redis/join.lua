-- Take the lock beside others, or enter the queue. Repeating this with the same token does no
-- harm, even late: the lease of the token is never shortened.
--
-- KEYS     see queue.lua
-- ARGV[1]  token
-- ARGV[2]  lease in milliseconds
-- ARGV[3]  how many fencing tokens to reserve
-- ARGV[4]  how many milliseconds to keep the fence
-- ARGV[5]  how many holders there may be, this one included, at least 2; 0 for any number
-- ARGV[6]  name of the lock
-- ARGV[7]  settings, see serve() in queue.lua
-- ARGV[8]  a holder: while it holds, the request is not queued behind those that wait; or ''
-- The rest only to enter the queue or to confirm the place in it.
-- ARGV[9]  how many milliseconds the place is valid
-- ARGV[10] how many requests entered or confirmed the place before
-- ARGV[11] the secret that a grant must carry
--
-- Returns the text "last block" if the token holds: the last of the fencing tokens reserved
-- now, and how many there are; "busy millis holder" if one holds it alone; what full() of
-- holders.lua returns; or "more" if the call must be repeated. In front of it may be messages,
-- see outbox.lua, and of what a waiter is told, see enter() in queue.lua.

local here = queue()
local several = holders(here)
local messages = outbox()
local token, lease, limit = ARGV[1], ARGV[2], ARGV[5]

local function refused(answer)
	if ARGV[9] then
		answer = here.enter(answer, token, lease, ARGV[3], limit, ARGV[9], ARGV[10], ARGV[11])
	else
		here.refuseAsReplica()
	end
	return messages.answer(answer)
end

local own, others, problem = several.ends(KEYS[1], token)
if problem then
	local holder = redis.pcall('GET', KEYS[1])
	if type(holder) ~= 'string' then
		return problem
	end
	return refused('busy ' .. string.format('%.0f', redis.call('PTTL', KEYS[1])) .. ' ' .. holder)
end

local time = redis.call('TIME')
local millis = here.millis(time)
if own and own > millis then
	several.renew(KEYS[1], token, limit, lease, false, own, others, millis)
	if ARGV[9] then
		here.leaveQueue(token)
	end
	local _, fence = reserve(time, ARGV[3], ARGV[4])
	return fence
end

here.growing = true
local company = several.company(others, millis)
if company.more then
	return 'more'
end
local beside = ARGV[8] ~= '' and company.count > 0 and redis.call('ZSCORE', KEYS[1], ARGV[8])
local front = not beside and here.front()
local left, waiter = 'done', nil
if front and front ~= token then
	left, waiter = here.serve(company, ARGV[6], ARGV[7], time, messages, nil, nil, token)
end
if left == 'more' then
	return messages.answer('more')
elseif left == 'alone' then
	return refused(waiter)
elseif not here.fits(company, limit) then
	return refused(several.full(company, millis))
elseif left == 'blocked' then
	return refused(several.full(company, millis, waiter))
end

-- The lock itself is written last: should a write be refused, the token does not hold it
local _, fence = reserve(time, ARGV[3], ARGV[4])
if beside or front then
	-- A holder that is served again would have a shorter lease
	here.leaveQueue(token)
end
several.add(company, token, limit, lease, millis)
return messages.answer(fence)
