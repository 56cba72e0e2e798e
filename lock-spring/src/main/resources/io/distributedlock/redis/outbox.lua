-- What scripts that publish have in common. It stands in front of them as the body of a
-- function, outbox(), that costs nothing unless it is called. It returns a table of functions.
--
-- Some servers refuse PUBLISH inside a script, such as those that shard it without telling.
-- They must not lose a grant that is made already: the client publishes the message then.

local here = {}
local refused = {}

-- Publishes a message. Returns how many received it, or nil if the client must publish it.
function here.publish(channel, message)
	local received = redis.pcall('PUBLISH', channel, message)
	if type(received) ~= 'table' then
		return received
	end
	local problem = received.err or ''
	if string.find(problem, 'NOPERM') or string.find(problem, "can't ") or string.find(problem, 'ACL failure') then
		-- A missing right is a mistake to be told
		redis.call('PUBLISH', channel, message)
	end
	refused[#refused + 1] = #channel .. ' ' .. #message .. ' ' .. channel .. message
	return nil
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
