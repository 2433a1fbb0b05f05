import { createHash } from 'node:crypto';
import { MOST_READ_LENGTH } from './state-store.js';

/** A Lua script and the digest by which a server that knows it runs it. */
export interface RedisScript {
  readonly source: string;
  readonly sha1: string;
}

/** Bytes that an entry of a space counts beside its content: its names, and its places in the indexes. */
const SPACE_ENTRY_BYTES = 512;

/**
 * Takes an entry out of a space, with its places in the indexes. An index names entries as `SIZE NAME OWNER`, by their expiry; there is
 * one of all and one of each owner. A hash counts the bytes of each owner, and of all under the empty name.
 */
const DROP = `
    local function drop(member)
      local size, name, owner = string.match(member, '^(%d+) (%S+) (%S+)$')
      redis.call('DEL', ARGV[2] .. name)
      redis.call('ZREM', KEYS[2], member)
      redis.call('ZREM', KEYS[2] .. ':' .. owner, member)
      redis.call('HINCRBY', KEYS[3], '', '-' .. size)
      if redis.call('HINCRBY', KEYS[3], owner, '-' .. size) <= 0 then redis.call('HDEL', KEYS[3], owner) end
    end`;

/** Of a record that is too long to be one of ours no more than that it is there. */
const READ = `
    local function read(name)
      local long = redis.call('HSTRLEN', name, 'v') > ${MOST_READ_LENGTH}
      local record = redis.call('HMGET', name, 'v', 'n', 'e')
      if long then record[1] = '' end
      return record
    end`;

/**
 * One script per method, because Redis runs a script atomically: no other command runs between its reads and its writes.
 *
 * A record is a hash of `v` (JSON text), `n` (version), `e` (expiry) and `t` (tag, where it has one). An index is a sorted
 * set of record keys by expiry, one for a collection and one for a tag. A counter is a hash of `v` and `e`.
 *
 * Whether something has expired is decided by `e` and the gateway's clock (the first argument), as in the other stores;
 * Redis's own expiry only removes records, by their remaining lifetime, so its clock need not agree with ours. An index may
 * still name removed records: readers skip them, and each insertion trims.
 *
 * Scripts that go through an index compute the names of records themselves. That works in a cluster too, since all names
 * have one hash tag. Numbers are written with 17 digits: Lua's own conversion would lose some.
 */
const SOURCES = {
  insert: `
    local now, expires = tonumber(ARGV[1]), tonumber(ARGV[2])
    local present = redis.call('HGET', KEYS[1], 'e')
    if present and tonumber(present) > now then return 0 end
    redis.call('DEL', KEYS[1])
    local left = math.ceil(expires - now)
    if left <= 0 then return 1 end
    redis.call('HSET', KEYS[1], 'v', ARGV[3], 'n', ARGV[4], 'e', ARGV[2])
    if ARGV[6] then redis.call('HSET', KEYS[1], 't', ARGV[6]) end
    redis.call('PEXPIRE', KEYS[1], string.format('%.0f', left))
    for i = 2, #KEYS do
      redis.call('ZREMRANGEBYSCORE', KEYS[i], '-inf', ARGV[1])
      redis.call('ZADD', KEYS[i], ARGV[2], ARGV[5])
      if redis.call('PTTL', KEYS[i]) < left then redis.call('PEXPIRE', KEYS[i], string.format('%.0f', left)) end
    end
    return 1`,
  get: `${READ}
    local record = read(KEYS[1])
    if not record[1] or tonumber(record[3]) <= tonumber(ARGV[1]) then return false end
    return {record[1], record[2]}`,
  replace: `
    local record = redis.call('HMGET', KEYS[1], 'n', 'e')
    if record[1] ~= ARGV[2] or tonumber(record[2]) <= tonumber(ARGV[1]) then return 0 end
    redis.call('HSET', KEYS[1], 'v', ARGV[3])
    redis.call('HINCRBY', KEYS[1], 'n', 1)
    return 1`,
  remove: `
    local record = redis.call('HMGET', KEYS[1], 'e', 't')
    redis.call('DEL', KEYS[1])
    redis.call('ZREM', KEYS[2], ARGV[2])
    if record[2] then redis.call('ZREM', ARGV[3] .. record[2], ARGV[2]) end
    if record[1] and tonumber(record[1]) > tonumber(ARGV[1]) then return 1 end
    return 0`,
  removeTagged: `
    local removed = {}
    for _, key in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
      local name = ARGV[2] .. key
      local record = redis.call('HMGET', name, 'e', 't')
      if record[2] == ARGV[3] then
        redis.call('DEL', name)
        redis.call('ZREM', KEYS[2], key)
        if tonumber(record[1]) > tonumber(ARGV[1]) then removed[#removed + 1] = key end
      end
    end
    redis.call('DEL', KEYS[1])
    return removed`,
  list: `${READ}
    local records, left = {}, ${MOST_READ_LENGTH}
    for _, key in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. ARGV[1], '+inf')) do
      local record = read(ARGV[2] .. key)
      if record[1] then left = left - #key - #record[1] end
      if left < 0 then
        records[#records + 1] = {'', '', '0'}
        break
      end
      if record[1] then records[#records + 1] = {key, record[1], record[2]} end
    end
    return records`,
  purge: `
    for i = 1, #KEYS do redis.call('ZREMRANGEBYSCORE', KEYS[i], '-inf', ARGV[1]) end
    return 1`,
  increment: `
    local now, fits = tonumber(ARGV[1]), true
    local live, before, after = {}, {}, {}
    for i = 1, #KEYS do
      local counter = redis.call('HMGET', KEYS[i], 'v', 'e')
      live[i] = counter[2] and tonumber(counter[2]) > now
      before[i] = live[i] and tonumber(counter[1]) or 0
      after[i] = before[i] + tonumber(ARGV[3 * i - 1])
      local limit = tonumber(ARGV[3 * i + 1])
      if limit and after[i] > limit then fits = false end
    end
    local reply = {fits and 1 or 0}
    for i = 1, #KEYS do
      local text = string.format('%.17g', fits and after[i] or before[i])
      reply[i + 1] = text
      if fits and live[i] then
        redis.call('HSET', KEYS[i], 'v', text)
      elseif fits then
        redis.call('DEL', KEYS[i])
        local expires = ARGV[3 * i]
        local left = math.ceil(tonumber(expires) - now)
        if left > 0 then
          redis.call('HSET', KEYS[i], 'v', text, 'e', expires)
          redis.call('PEXPIRE', KEYS[i], string.format('%.0f', left))
        end
      end
    end
    return reply`,
  count: `
    local counter = redis.call('HMGET', KEYS[1], 'v', 'e')
    if counter[2] and tonumber(counter[2]) > tonumber(ARGV[1]) then return counter[1] end
    return '0'`,
  spacePut: `${DROP}
    local name, owner, expires, most, mostOfOwner = ARGV[3], ARGV[4], ARGV[5], tonumber(ARGV[6]), tonumber(ARGV[7])
    local size = #ARGV[8] + ${SPACE_ENTRY_BYTES}
    if size > most or size > mostOfOwner then return 0 end
    local present = redis.call('HGET', KEYS[1], 'm')
    if present then drop(present) end
    for _, member in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', ARGV[1])) do drop(member) end
    local function makeRoom(index, field, bound)
      while tonumber(redis.call('HGET', KEYS[3], field) or 0) + size > bound do
        local first = redis.call('ZRANGE', index, 0, 0)[1]
        if not first then return end
        drop(first)
      end
    end
    local own = KEYS[2] .. ':' .. owner
    makeRoom(own, owner, mostOfOwner)
    makeRoom(KEYS[2], '', most)
    local left = math.ceil(tonumber(expires) - tonumber(ARGV[1]))
    if left <= 0 then return 1 end
    local member = size .. ' ' .. name .. ' ' .. owner
    redis.call('HSET', KEYS[1], 'b', ARGV[8], 'm', member)
    redis.call('PEXPIRE', KEYS[1], string.format('%.0f', left))
    redis.call('ZADD', KEYS[2], expires, member)
    redis.call('ZADD', own, expires, member)
    redis.call('HINCRBY', KEYS[3], '', size)
    redis.call('HINCRBY', KEYS[3], owner, size)
    return 1`,
  spaceGet: `
    if redis.call('HSTRLEN', KEYS[1], 'b') > tonumber(ARGV[4]) then return false end
    return redis.call('HGET', KEYS[1], 'b')`,
  spaceRenew: `
    local member = redis.call('HGET', KEYS[1], 'm')
    if not member then return 0 end
    local left = math.ceil(tonumber(ARGV[4]) - tonumber(ARGV[1]))
    redis.call('PEXPIRE', KEYS[1], string.format('%.0f', left))
    redis.call('ZADD', KEYS[2], 'XX', ARGV[4], member)
    redis.call('ZADD', KEYS[2] .. ':' .. string.match(member, '(%S+)$'), 'XX', ARGV[4], member)
    return 1`,
  spaceRemove: `${DROP}
    local present = redis.call('HGET', KEYS[1], 'm')
    if present then drop(present) end
    return 1`,
} as const;

export type RedisScriptName = keyof typeof SOURCES;

export const REDIS_SCRIPTS = Object.fromEntries(
  Object.entries(SOURCES).map(([name, source]) => [
    name,
    { source, sha1: createHash('sha1').update(source).digest('hex') },
  ]),
) as Readonly<Record<RedisScriptName, RedisScript>>;
