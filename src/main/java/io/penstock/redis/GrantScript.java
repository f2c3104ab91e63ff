package io.penstock.redis;

import io.penstock.limit.CellAmount;
import io.penstock.limit.CellPartition;
import io.penstock.sharing.SliceStore;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * Calls and replies of the script {@code grant.lua}, which keeps one shared limit in Redis. A model
 * of its arithmetic in Java, {@code SliceLedger}, belongs to the tests, which compare both.
 */
public final class GrantScript {
  private static final String FILE = "grant.lua";
  private static final long NANOS_PER_MICRO = 1_000;

  /** Limit of the whole numbers that a double represents exactly. */
  private static final long EXACT = 1L << 53;

  /**
   * One call of the script.
   *
   * @param key of the hash, without the namespace
   * @param arguments ARGV
   */
  public record Call(String key, List<String> arguments) {
    public Call {
      arguments = List.copyOf(arguments);
    }

    /** Returns the same call with a fixed time instead of the clock's, for tests. */
    public Call at(long micros) {
      List<String> timed = new ArrayList<>(arguments);
      timed.set(timed.size() - 1, Long.toString(micros));
      return new Call(key, timed);
    }
  }

  /**
   * Reply of the script.
   *
   * @param clockMicros time of the store
   * @param grant with no slices when nothing is granted; null when the call was late
   */
  public record Reply(long clockMicros, SliceStore.@Nullable Grant grant) {}

  private GrantScript() {}

  /** Returns the text of the script. */
  public static String source() {
    try (InputStream file = GrantScript.class.getResourceAsStream(FILE)) {
      if (file == null) {
        throw new IllegalStateException(FILE + " is not in the program, expected beside its class");
      }
      return new String(file.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  /**
   * Returns the call for an ask of a member.
   *
   * @param number of the member's round, below 2^53
   * @param ttlNanos lifetime of a slice, and silence after which a member counts as gone
   * @param nowNanos approximate time of the shared clock, which determines the calendar days
   * @throws IllegalArgumentException when the limit is not shared in slices
   */
  public static Call call(
      String member, long number, SliceStore.Ask ask, long ttlNanos, long nowNanos) {
    if (number < 0 || number >= EXACT) {
      throw new IllegalArgumentException(
          "number of the round is " + number + ", expected 0 to " + (EXACT - 1));
    }
    CellPartition partition = CellPartition.of(ask.spec());
    StringJoiner uses = new StringJoiner(" ");
    for (CellAmount use : ask.uses()) {
      uses.add(exact(use.cell())).add(exact(use.amount()));
    }
    StringJoiner midnights = new StringJoiner(" ");
    for (long midnight : partition.midnights(nowNanos / NANOS_PER_MICRO)) {
      midnights.add(exact(midnight));
    }
    return new Call(
        ask.id().text(),
        List.of(
            ask.id().field(),
            URLEncoder.encode(member, StandardCharsets.UTF_8),
            exact(number),
            partition.kind().name(),
            exact(partition.cellMicros()),
            exact(partition.reach()),
            exact(partition.capacity()),
            exact(partition.releases()),
            exact(partition.seconds()),
            exact(partition.fillMicros()),
            exact(Math.ceilDiv(ttlNanos, NANOS_PER_MICRO)),
            exact(ask.from()),
            exact(ask.lackedAtOnce()),
            exact(ask.wanted()),
            exact(ask.barred()),
            uses.toString(),
            midnights.toString(),
            exact(ask.born()),
            ""));
  }

  private static String exact(long value) {
    return Long.toString(Math.clamp(value, -1, EXACT - 1));
  }

  /**
   * Returns the content of a reply of the script.
   *
   * @throws IllegalArgumentException when the script cannot have replied so
   */
  public static Reply reply(SliceStore.Ask ask, @Nullable Object reply) {
    if (reply instanceof List<?> late && late.size() == 1) {
      return new Reply(number(ask, late.getFirst(), 0), null);
    }
    if (!(reply instanceof List<?> list) || list.size() < 5 || list.size() % 2 == 0) {
      throw garbage(ask, "no list of pairs");
    }
    List<CellAmount> slices = new ArrayList<>();
    long asked =
        Math.min(CellPartition.MOST, ask.lackedAtOnce())
            + Math.min(CellPartition.MOST, ask.wanted());
    long barred = SliceStore.Ask.NONE;
    int end = list.size() - 2;
    for (int i = 3; i < end; i += 2) {
      if (number(ask, list.get(i), SliceStore.Ask.NONE) == SliceStore.Ask.NONE) {
        barred = number(ask, list.get(i + 1), 0);
        continue;
      }
      long amount = number(ask, list.get(i + 1), 1);
      asked -= amount;
      if (asked < 0) {
        throw garbage(ask, "more than was asked for");
      }
      slices.add(new CellAmount(number(ask, list.get(i), 0), amount));
    }
    long capacity = number(ask, list.get(1), 1);
    long born = number(ask, list.get(2), 0);
    long left = number(ask, list.get(end), 0);
    long fullNanos = number(ask, list.get(end + 1), 0) * NANOS_PER_MICRO;
    return new Reply(
        number(ask, list.getFirst(), 0),
        new SliceStore.Grant(ask.id(), capacity, born, slices, barred, left, fullNanos));
  }

  private static long number(SliceStore.Ask ask, @Nullable Object value, long least) {
    if (value instanceof Long number && number >= least && number < EXACT) {
      return number;
    }
    throw garbage(ask, "'" + value + "'");
  }

  private static IllegalArgumentException garbage(SliceStore.Ask ask, String what) {
    return new IllegalArgumentException(
        "%s %s was answered %s, expected a clock, a capacity, a birth, slices, and what is left"
            .formatted(ask.id().text(), ask.id().field(), what));
  }
}
