-- Functions that all scripts that publish share. This text precedes them as the body of a
-- function, outbox(), which costs nothing unless it is called. It returns a table of functions.
--
-- Some servers refuse PUBLISH inside a script, such as those that shard it without telling.
-- A grant that was made already must not be lost, so the client then publishes the message.

local here = {}
local refused = {}

-- Publishes a message, or leaves that to the client.
function here.publish(channel, message)
	local received = redis.pcall('PUBLISH', channel, message)
	if type(received) ~= 'table' then
		return
	end
	local problem = received.err or ''
	if string.find(problem, 'NOPERM') or string.find(problem, "can't ") or string.find(problem, 'ACL failure') then
		-- A missing right is a mistake that must be reported
		redis.call('PUBLISH', channel, message)
	end
	refused[#refused + 1] = #channel .. ' ' .. #message .. ' ' .. channel .. message
end

-- The answer of a script: in front of it "!count " and, for each message that the client must
-- publish, "length length " of the channel and the message, and both of them.
function here.answer(text)
	if #refused == 0 then
		return text
	end
	return '!' .. #refused .. ' ' .. table.concat(refused) .. text
end

return here
