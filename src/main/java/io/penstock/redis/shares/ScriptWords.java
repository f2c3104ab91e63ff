package io.penstock.redis.shares;

import io.penstock.shares.ShareStore.Row;
import io.penstock.shares.ShareUse.Cell;
import io.penstock.sharing.LimitId;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** How the scripts of shares write limits, names, numbers and rows: as words without spaces. */
final class ScriptWords {
  /** The largest number that a script knows; a larger one is written as this. */
  static final long MOST = (1L << 53) - 1;

  private static final int ROW = 7;

  private ScriptWords() {}

  static String of(long number) {
    return Long.toString(Math.clamp(number, -MOST, MOST));
  }

  static String of(boolean is) {
    return is ? "1" : "0";
  }

  /** Returns a name in which no space is left. */
  static String of(String name) {
    // the form encoder writes a space as a plus, and a plus as %2B: each plus here is a space
    return URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
  }

  static String of(LimitId id) {
    return id.kind().name().toLowerCase(Locale.ROOT) + "/" + id.owner() + "/" + id.counts();
  }

  /** Returns share, later, the four numbers of the cell, and decay. */
  static List<String> of(Row row) {
    Cell cell = row.cell();
    return List.of(
        of(row.share()),
        of(row.later()),
        of(cell.number()),
        of(cell.length()),
        of(cell.earlier()),
        of(cell.sinceMillis()),
        of(row.decayMillis()));
  }

  static String name(String word) {
    return URLDecoder.decode(word, StandardCharsets.UTF_8);
  }

  /**
   * Parses what {@link #of(LimitId)} returns.
   *
   * @throws IllegalArgumentException when it is malformed
   */
  static LimitId id(String word) {
    String[] parts = word.split("/", -1);
    if (parts.length != 3) {
      throw new IllegalArgumentException("limit '" + word + "' has not three parts");
    }
    return LimitId.parse(parts[0], parts[1], parts[2]);
  }

  /**
   * Parses what {@link #of(Row)} returns, from the word at {@code from} on.
   *
   * @param beat see {@link Row#beat}
   * @throws IllegalArgumentException when it is malformed
   */
  static Row row(String name, long beat, List<String> words, int from) {
    if (words.size() < from + ROW) {
      throw new IllegalArgumentException("row '" + words + "' is too short");
    }
    long[] numbers = new long[ROW];
    for (int i = 0; i < ROW; i++) {
      numbers[i] = Long.parseLong(words.get(from + i));
    }
    Cell cell = new Cell(numbers[2], numbers[3], numbers[4], numbers[5]);
    return new Row(name, beat, numbers[0], numbers[1], cell, numbers[6]);
  }

  /** A list in a reply, read from its beginning. */
  static final class Reply {
    private final List<?> list;
    private int next;

    /**
     * Begins to read.
     *
     * @throws IllegalArgumentException when it is no list
     */
    Reply(@Nullable Object content) {
      if (!(content instanceof List<?> all)) {
        throw new IllegalArgumentException("reply is not a list");
      }
      this.list = all;
    }

    boolean hasNext() {
      return next < list.size();
    }

    private Object next() {
      if (!hasNext()) {
        throw new IllegalArgumentException("reply ends after " + next + " words");
      }
      Object word = list.get(next++);
      if (word == null) {
        throw new IllegalArgumentException("word " + next + " of the reply is missing");
      }
      return word;
    }

    String word() {
      return String.valueOf(next());
    }

    long number() {
      return Long.parseLong(word());
    }

    boolean is() {
      return number() != 0;
    }

    void skip() {
      next();
    }

    Reply list() {
      return new Reply(next());
    }
  }
}
