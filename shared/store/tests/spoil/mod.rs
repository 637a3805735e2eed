//! Making an outbox entry on Redis unreadable.

use protocol::{Service, Shard};
use servers::redis::RedisServer;

/// Entries of a stream cannot be changed: it is written anew.
const SPOIL: &str = r"
local entries = redis.call('XRANGE', KEYS[1], '-', '+')
redis.call('DEL', KEYS[1])
local spoiled = 0
for _, entry in ipairs(entries) do
  if entry[1] == ARGV[1] then
    for i = 1, #entry[2], 2 do
      if entry[2][i] == 's' then
        entry[2][i + 1] = 'nobody'
        spoiled = spoiled + 1
      end
    end
  end
  redis.call('XADD', KEYS[1], entry[1], unpack(entry[2]))
end
return spoiled
";

/// Gives the entry a receiver that does not exist.
pub async fn spoil(server: &RedisServer, prefix: &str, service: Service, shard: Shard, place: u64) {
    let key = format!("{prefix}:{{s{shard}}}:o:{service}");
    let id = format!("{place}-0");
    let eval = ["-c", "eval", SPOIL, "1", &key, &id];
    // -c follows redirections, between nodes that have ports.
    let eval = &eval[usize::from(server.port().is_none())..];
    let answer = server.cli(eval).await.expect("redis-cli");
    assert_eq!(answer, "1", "the entry is there");
}
