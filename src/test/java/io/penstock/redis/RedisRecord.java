package io.penstock.redis;

import io.penstock.fake.RedisServer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * All keys of a namespace in Redis as text, from which the same keys can be restored. The text has
 * each key with its type and approximate time to live, followed by its content.
 */
public final class RedisRecord {
  private static final String SEPARATOR = " = ";
  private static final long MINUTE_MILLIS = 60_000;

  private final RedisServer server;
  private final String namespace;
  private final Map<String, Long> longestMillis = new HashMap<>();

  public RedisRecord(RedisServer server, String namespace) {
    this.server = server;
    this.namespace = namespace;
  }

  /** Returns the keys that match the pattern after the namespace, which is left out of the text. */
  public String of(String keys) {
    StringBuilder record = new StringBuilder();
    for (String key : new TreeSet<>(list("KEYS", namespace + keys))) {
      String type = server.command("TYPE", key).substring(1);
      record.append("NS").append(key.substring(namespace.length()));
      record.append(SEPARATOR).append(type).append(", kept ").append(kept(key)).append('\n');
      pairs(type, key)
          .forEach(
              (field, value) ->
                  record.append("  ").append(field).append(SEPARATOR).append(shown(value)));
    }
    return record.toString();
  }

  /** Returns the value in quotes, because it may be empty or end with a space. */
  private static String shown(String value) {
    return "'" + value.replace("\n", "\\n") + "'\n";
  }

  private static String read(String shown) {
    return shown.substring(1, shown.length() - 1).replace("\\n", "\n");
  }

  private Map<String, String> pairs(String type, String key) {
    List<String> words =
        switch (type) {
          case "hash" -> list("HGETALL", key);
          case "zset" -> list("ZRANGE", key, "0", "-1", "WITHSCORES");
          default -> throw new AssertionError(key + " is of type " + type + ", which is not known");
        };
    Map<String, String> pairs = new TreeMap<>();
    for (int at = 0; at < words.size(); at += 2) {
      pairs.put(words.get(at), words.get(at + 1));
    }
    return pairs;
  }

  /**
   * Notes the times to live. The record shows the longest one noted of each key: the server's time
   * goes on, so that is the one nearest to what was set.
   */
  public void note() {
    list("KEYS", namespace + "*").forEach(this::millisLeft);
  }

  private long millisLeft(String key) {
    long millis = Long.parseLong(server.command("PTTL", key).substring(1));
    longestMillis.merge(key, millis, Math::max);
    return millis;
  }

  /** Returns the longest time to live, rounded up to the minute. */
  private String kept(String key) {
    if (millisLeft(key) < 0) {
      return "for ever";
    }
    return "for " + Math.ceilDiv(longestMillis.getOrDefault(key, 0L), MINUTE_MILLIS) + " min";
  }

  private List<String> list(String... command) {
    String words =
        Arrays.stream(command).map(word -> "'" + word + "'").collect(Collectors.joining(","));
    String script = "return table.concat(redis.call(" + words + "), '\\31')";
    String text = server.command("EVAL", script, "0");
    return text.isEmpty() ? List.of() : List.of(text.split("\u001f", -1));
  }

  /** Creates the keys of a record in this namespace. */
  void restore(String record) {
    String key = "";
    String type = "";
    for (String line : record.lines().toList()) {
      String[] words = line.replaceFirst("^  ", "").split(SEPARATOR, 2);
      if (!line.startsWith(" ")) {
        key = namespace + words[0].substring(2);
        type = words[1].substring(0, words[1].indexOf(','));
      } else if (type.equals("hash")) {
        server.command("HSET", key, words[0], read(words[1]));
      } else {
        server.command("ZADD", key, read(words[1]), words[0]);
      }
    }
  }
}
