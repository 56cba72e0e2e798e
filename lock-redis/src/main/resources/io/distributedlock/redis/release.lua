-- Leave the queue, and if the token holds the lock, hand it off to the first live waiter, or
-- free it.
--
-- KEYS    see queue.lua
-- ARGV[1] token
-- ARGV[2] name of the lock
-- ARGV[3] settings, see serve() in queue.lua
-- ARGV[4] 1 to take the lock from its holder by force, and notify it; otherwise absent
--
-- Publishes "token fence block leaseMillis nonce name" to the inbox of the waiter's instance,
-- and "! token name" to that of a holder from whom the lock is taken.
-- Returns the text 1 if released, 0 if nobody holds the lock, -1 if somebody else does; 2 if
-- released and more waiters may be served, "more" if the call must be repeated for its answer.
-- Messages may precede it, see outbox.lua.

local token = ARGV[1]
local holder = redis.pcall('GET', KEYS[1])

local function tellHolder(messages)
	local instance = string.match(token, '^(.*):')
	if instance then
		messages.publish(string.match(ARGV[3], '^%d+ %d %d+ (.*)$') .. instance, '! ' .. token .. ' ' .. ARGV[2])
	end
end

if type(holder) == 'table' then
	local here = queue()
	local several = holders(here)
	local messages = outbox()
	local own, others, problem = several.ends(KEYS[1], token)
	if problem then
		return problem
	end
	local time = redis.call('TIME')
	local millis = here.millis(time)
	local held = own and own > millis
	if own then
		several.remove(token, own, others, millis)
	else
		here.refuseAsReplica()
	end
	if held and ARGV[4] == '1' then
		tellHolder(messages)
	end
	local shared = others and others > millis
	if here.front() then
		here.leaveQueue(token)
		local company = several.company(others, millis)
		local left = company.more and 'more' or here.serve(company, ARGV[2], ARGV[3], time, messages)
		if left == 'more' and held and company.count == 0 then
			-- Until somebody else holds, the token does, so that nobody overtakes those that wait
			several.add(company, token, '0', own - millis, millis)
			return messages.answer('more')
		elseif left == 'more' then
			return messages.answer(held and '2' or 'more')
		end
	end
	return messages.answer(held and '1' or shared and '-1' or '0')
end

if holder ~= token then
	redis.call('ZREM', KEYS[3], token)
	redis.call('HDEL', KEYS[4], token)
	return holder and '-1' or '0'
end

local messages
if ARGV[4] == '1' then
	messages = outbox()
	tellHolder(messages)
end
-- Whatever else fails, the lock is free afterwards
local popped = redis.pcall('ZPOPMIN', KEYS[3])
if not popped[1] then
	redis.call('DEL', KEYS[1])
	return popped.err and popped or messages and messages.answer('1') or '1'
end
messages = messages or outbox()
local here = queue()
local company = {count = 0, smallest = math.huge, latest = 0, replaces = true}
local served, left = pcall(here.serve, company, ARGV[2], ARGV[3], redis.call('TIME'), messages, popped, token)
if served and left == 'more' then
	if company.count == 0 and company.left then
		-- It made room for waiters who turned out to be dead. Until somebody else holds, the token does
		redis.call('SET', KEYS[1], token, 'PX', math.max(1, company.left))
	end
	return messages.answer((company.count > 0) and '2' or 'more')
end
if company.count == 0 then
	redis.call('DEL', KEYS[1])
end
if not served then
	error(left, 0)
end
return messages.answer('1')
