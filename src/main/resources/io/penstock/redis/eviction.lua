-- Returns the eviction policy of one Redis master for a full memory.
--
-- KEYS[1]  a key on that master
-- Answers  its maxmemory-policy; '' when the user may not ask for it
local said = redis.pcall('INFO', 'memory')
local policy = type(said) == 'string' and string.match(said, 'maxmemory_policy:([%w-]+)')
return {policy or ''}
