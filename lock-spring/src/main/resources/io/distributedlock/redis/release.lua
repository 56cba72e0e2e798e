-- Leave the queue, and if the token holds the lock, hand it off to the first live waiter, or
-- free it.
--
-- KEYS    see holders.lua
-- ARGV[1] token
-- ARGV[2] name of the lock
-- ARGV[3] "lease receivers retention prefix": the longest lease in milliseconds under
--         which a lock is handed off; 1 if PUBLISH counts every receiver, so that none
--         means that the waiter is dead; how many milliseconds to keep the fence at
--         least; and the part of an inbox channel's name that precedes the instance
-- ARGV[4] 1 to take the lock from its holder by force, and notify it; otherwise absent
--
-- Publishes "token fence block leaseMillis nonce name" to the inbox of the waiter's instance,
-- and "! token name" to that of a holder from whom the lock is taken.
-- Returns the text 1 if released, 0 if nobody holds the lock, -1 if somebody else does, 2 if
-- released and more waiters may be served: call it again. Messages may precede it, see
-- outbox.lua.

local token = ARGV[1]
local holder = redis.pcall('GET', KEYS[1])

local function tellHolder(messages)
	local instance = string.match(token, '^(.*):')
	if instance then
		messages.publish(string.match(ARGV[3], '^%d+ %d %d+ (.*)$') .. instance, '! ' .. token .. ' ' .. ARGV[2])
	end
end

if type(holder) == 'table' then
	local here = holders()
	local messages = outbox()
	if not here.isSet() then
		return holder
	end
	here.forgetEnded()
	local held = here.remove(token) == 1
	here.leaveQueue(token)
	if held and ARGV[4] == '1' then
		tellHolder(messages)
	end
	local others = here.isHeld()
	local left = 'done'
	if held or others then
		left = here.serve(ARGV[2], ARGV[3], nil, messages)
	end
	if here.isSet() then
		here.expireWithTheLast()
	end
	if left == 'more' then
		return messages.answer('2')
	end
	return messages.answer(held and '1' or others and '-1' or '0')
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

local now, longest, receivers, retention, prefix
local popped = redis.call('ZPOPMIN', KEYS[3])
local waiter = popped[1]
while waiter do
	local entry = redis.call('HGET', KEYS[4], waiter)
	if now then
		redis.call('HDEL', KEYS[4], waiter)
	else
		local time = redis.call('TIME')
		now = time[1] * 1000000 + time[2]
		-- A place of the token itself has an entry too
		if redis.call('HDEL', KEYS[4], waiter, token) > (entry and 1 or 0) then
			redis.call('ZREM', KEYS[3], token)
		end
		longest, receivers, retention, prefix = string.match(ARGV[3], '^(%d+) (%d) (%d+) (.*)$')
	end
	local aliveUntil, lease, block, nonce, limit = string.match(entry or '', '^(%d+) (%d+) (%d+) (%-?%d+) ?(%d*)$')
	local instance = string.match(waiter, '^(.*):')
	if limit and limit ~= '' and aliveUntil * 1000 > now then
		-- It lets others hold beside it: back to its place, and on as for several holders
		local here = holders()
		redis.call('DEL', KEYS[1], KEYS[5])
		redis.call('ZADD', KEYS[3], popped[2], waiter)
		redis.call('HSET', KEYS[4], waiter, entry)
		messages = messages or outbox()
		local left = here.serve(ARGV[2], ARGV[3], nil, messages)
		if here.isSet() then
			here.expireWithTheLast()
		end
		return messages.answer(left == 'more' and '2' or '1')
	end
	if waiter ~= token and instance and aliveUntil and aliveUntil * 1000 > now then
		local retained = math.max(tonumber(retention), 2 * lease)
		local first = now
		local stored = string.format('%.0f %s', first + block - 1, block)
		local before = redis.pcall('SET', KEYS[2], stored, 'PX', retained, 'GET')
		if type(before) == 'table' then
			-- Redis before 6.2 does not know the command
			before = redis.call('GET', KEYS[2])
			redis.call('SET', KEYS[2], stored, 'PX', retained)
		end
		local last = tonumber(string.match(before or '', '^(%d+) %d+$') or 0)
		-- Values that we did not write count as nothing; beyond 2^53 one more makes no difference
		if last >= first and last < 9e15 then
			first = last + 1
			redis.call('SET', KEYS[2], string.format('%.0f %s', last + block, block), 'PX', retained)
		end
		local fence = string.format('%.0f', first)
		local grantLease = string.format('%.0f', math.min(lease, longest))
		redis.call('SET', KEYS[1], waiter, 'PX', grantLease)
		local inbox = prefix .. instance
		local grant = table.concat({waiter, fence, block, grantLease, nonce, ARGV[2]}, ' ')
		messages = messages or outbox()
		if messages.publish(inbox, grant) ~= 0 or receivers ~= '1' then
			return messages.answer('1')
		end
	end
	popped = redis.call('ZPOPMIN', KEYS[3])
	waiter = popped[1]
end

redis.call('DEL', KEYS[1])
return messages and messages.answer('1') or '1'
