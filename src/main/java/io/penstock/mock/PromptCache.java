package io.penstock.mock;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The mock provider's prompt cache for one model, which behaves like Anthropic's: an entry ends at
 * a mark, can be read once the answer that wrote it has begun, and lives for five minutes or one
 * hour from its last use. Shares no code with the gateway. Thread-safe.
 */
final class PromptCache {
  /** Blocks before a mark, itself included, at which an earlier entry may end to be found. */
  static final int LOOKED_AT = 20;

  /** Most entries; beyond it, the one that was used least recently is dropped. */
  static final int MOST_ENTRIES = 10_000;

  private static final int SHORT_LIVES_PER_HOUR = 12;

  /**
   * The tokens of one request by their use of the cache. The four numbers of tokens add up to the
   * prompt.
   *
   * @param read tokens read from it
   * @param written tokens written to it for five minutes
   * @param writtenForHour tokens written to it for one hour
   * @param uncached all other tokens
   * @param entries the entries that are written or used again once the answer begins
   */
  record Use(
      long read,
      long written,
      long writtenForHour,
      long uncached,
      Map<String, MockPrompt.Life> entries) {
    /** Returns what a request without marks does. */
    static Use none(long promptTokens) {
      return new Use(0, 0, 0, promptTokens, Map.of());
    }

    Use {
      entries = Map.copyOf(entries);
    }

    /** Returns the tokens that count against a limit of input tokens. */
    long counted() {
      return written + writtenForHour + uncached;
    }
  }

  private record Entry(MockPrompt.Life life, long expiresNanos) {}

  private final long leastTokens;
  private final long shortLifeNanos;

  /** Entries by prefix, least recently used first. */
  private final Map<String, Entry> entries = new LinkedHashMap<>();

  private boolean on = true;

  /**
   * Creates an empty cache.
   *
   * @param leastTokens the fewest tokens of an entry, ≥ 1
   * @param shortLifeNanos the five minutes; an hour is twelve times that
   */
  PromptCache(long leastTokens, long shortLifeNanos) {
    this.leastTokens = leastTokens;
    this.shortLifeNanos = shortLifeNanos;
  }

  /** Turns reading on or off; an entry that is not found is written again. */
  synchronized void readable(boolean readable) {
    on = readable;
  }

  /** Returns what a request that arrives at {@code nowNanos} would do. Changes nothing. */
  synchronized Use look(MockPrompt prompt, long nowNanos) {
    List<MockPrompt.Block> blocks = prompt.blocks();
    int found = found(blocks, nowNanos);
    Map<String, MockPrompt.Life> touched = new LinkedHashMap<>();
    long read = found < 0 ? 0 : blocks.get(found).tokens();
    for (int i = 0; i <= found; i++) {
      Entry entry = live(blocks.get(i).prefix(), nowNanos);
      if (entry != null) {
        touched.put(blocks.get(i).prefix(), entry.life());
      }
    }
    long toHour = read;
    long toLast = read;
    for (MockPrompt.Block block : blocks.subList(found + 1, blocks.size())) {
      if (block.mark() != null && block.tokens() >= leastTokens) {
        touched.put(block.prefix(), block.mark());
        toLast = block.tokens();
        toHour = block.mark() == MockPrompt.Life.HOUR ? toLast : toHour;
      }
    }
    return new Use(read, toLast - toHour, toHour - read, prompt.tokens() - toLast, touched);
  }

  /** Returns the last block up to which the prompt can be read, or −1. */
  private int found(List<MockPrompt.Block> blocks, long nowNanos) {
    int found = -1;
    for (int mark = 0; mark < blocks.size(); mark++) {
      if (blocks.get(mark).mark() == null) {
        continue;
      }
      for (int at = mark; at > found && at > mark - LOOKED_AT; at--) {
        if (live(blocks.get(at).prefix(), nowNanos) != null) {
          found = at;
        }
      }
    }
    return on ? found : -1;
  }

  private @Nullable Entry live(String prefix, long nowNanos) {
    Entry entry = entries.get(prefix);
    return entry == null || entry.expiresNanos() <= nowNanos ? null : entry;
  }

  /** Writes and refreshes the entries of a request as its answer begins. */
  synchronized void begin(Use use, long nowNanos) {
    use.entries()
        .forEach(
            (prefix, life) -> {
              long lives = life == MockPrompt.Life.HOUR ? SHORT_LIVES_PER_HOUR : 1;
              entries.remove(prefix);
              entries.put(prefix, new Entry(life, nowNanos + lives * shortLifeNanos));
            });
    Iterator<String> oldest = entries.keySet().iterator();
    while (entries.size() > MOST_ENTRIES) {
      oldest.next();
      oldest.remove();
    }
  }
}
