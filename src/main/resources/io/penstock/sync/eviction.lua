-- What one Redis master does when its memory is full.
-- KEYS[1]: a key of it. Replies: its maxmemory-policy; nothing when that may not be asked.
local said = redis.pcall('INFO', 'memory')
local policy = type(said) == 'string' and string.match(said, 'maxmemory_policy:([%w-]+)')
return {policy or ''}
