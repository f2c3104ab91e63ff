package io.penstock.sync;

import io.penstock.coordination.Bounds;
import io.penstock.coordination.Kind;
import io.penstock.coordination.Operation;
import io.penstock.coordination.Replies;
import io.penstock.coordination.Reply;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The script {@code coordination.lua} that keeps one object in Redis: what it is called with, and
 * what it answers.
 *
 * <p>Why a script of our own for each kind, and no primitive of Redisson's, of which none is the
 * same: RSemaphore serves whoever asks first after a release, RPermitExpirableSemaphore too, and
 * both look again at times; neither knows holds by a key that its holder chose, or counts what is
 * held when the size changes. RRateLimiter counts over a trailing time, and its waiters poll.
 * RCountDownLatch, for events, has no message, and a barrier needs to know who went away.
 * RAtomicLong wraps around beyond 64 bits, and is not forgotten. Nothing there is a watchdog.
 */
final class ObjectScript {
  static final Script SCRIPT = Script.read("coordination.lua");

  /** The first argument that belongs to an operation. */
  static final int OWN = 12;

  /** There is nothing that time alone does. */
  static final long NEVER = -1;

  private static final long NANOS_PER_MICRO = 1_000;
  private static final long NANOS_PER_MILLI = 1_000_000;

  /**
   * What a turn was given, as far as it can be given back.
   *
   * @param code D, S, or what gives nothing
   * @param interval of which a token is, or empty
   * @param waited for how long, in microseconds; empty when that is not to be counted
   */
  record Given(char code, String interval, String waited) {}

  /** An answer to a turn that waited. */
  record Served(long number, Given given) {}

  /**
   * What came of a call.
   *
   * @param nowMicros by the clock of Redis
   * @param code what, as the script has it
   * @param text more about it
   * @param given with it
   * @param nextMicros when time alone lets the next of an instance's turns pass, or {@link #NEVER}
   * @param served other turns of the instance that are answered
   * @param message what was sent, if they, or this one, are answered that
   */
  record Said(
      long nowMicros,
      char code,
      String text,
      Given given,
      long nextMicros,
      List<Served> served,
      String message) {}

  /**
   * Who calls.
   *
   * @param name of the instance
   * @param living all that live, this one included
   * @param gone those that do not
   * @param fence until when what waits may be done, or empty
   * @param channels what the channels of instances begin with
   * @param now in tests the time; empty otherwise
   */
  record Caller(
      String name,
      List<String> living,
      List<String> gone,
      String fence,
      String channels,
      String now) {}

  private ObjectScript() {}

  /**
   * Returns the arguments of an operation.
   *
   * @param turn of which turn, with the name of its instance
   * @param made empty, or when an object of the name that was lost may have been used last
   * @param mode whether it may wait, as the script has it
   */
  static List<String> operation(
      Caller caller, String turn, Operation operation, Bounds bounds, String made, char mode) {
    List<String> args = begun(caller, operation.kind(), word(operation), turn, caller.fence());
    args.add(Long.toString(bounds.idleNanos() / NANOS_PER_MILLI));
    args.add(made);
    args.add(String.valueOf(mode));
    args.addAll(own(operation, bounds));
    return args;
  }

  /** Returns the arguments of what is done for turns, or for an object, such as {@code step}. */
  static List<String> upkeep(
      Caller caller, Kind kind, String word, String turn, Bounds bounds, List<String> more) {
    List<String> args = begun(caller, kind, word, turn, "");
    args.add(Long.toString(bounds.idleNanos() / NANOS_PER_MILLI));
    args.add("");
    args.add("n");
    args.addAll(more);
    return args;
  }

  private static List<String> begun(
      Caller caller, Kind kind, String word, String turn, String fence) {
    List<String> args = new ArrayList<>();
    args.add(kind.word());
    args.add(word);
    args.add(caller.name());
    args.add(turn);
    args.add(" " + String.join(" ", caller.living()) + " ");
    args.add(" " + String.join(" ", caller.gone()) + " ");
    args.add(fence);
    args.add(caller.channels());
    args.add(caller.now());
    return args;
  }

  private static String word(Operation operation) {
    return switch (operation) {
      case Operation.Release _ -> "release";
      case Operation.Send _ -> "send";
      case Operation.Kick _ -> "kick";
      case Operation.Count _ -> "count";
      case Operation.Value _ -> "value";
      case Operation.Reset _ -> "reset";
      case Operation.Inspect _ -> "stats";
      case Operation.Delete _ -> "delete";
      case Operation.TakeToken _,
          Operation.Acquire _,
          Operation.AwaitEvent _,
          Operation.AwaitSilence _,
          Operation.Arrive _ ->
          "wait";
    };
  }

  private static List<String> own(Operation operation, Bounds bounds) {
    return switch (operation) {
      case Operation.TakeToken(long size, long interval) ->
          List.of(Long.toString(size), Long.toString(Math.max(1, micros(interval))));
      case Operation.Acquire(long size, String key, long expires) ->
          List.of(
              Long.toString(size),
              Long.toString(micros(expires)),
              key,
              Long.toString(bounds.holds()));
      case Operation.Release(String key) -> List.of(key);
      case Operation.Send(String message) -> List.of(message);
      case Operation.Kick(long expires) -> List.of(Long.toString(micros(expires)));
      case Operation.Count(long amount) -> List.of(Long.toString(amount));
      case Operation.Reset(long value) -> List.of(Long.toString(value));
      case Operation.Arrive(long size) -> List.of(Long.toString(size));
      case Operation.Value _,
          Operation.Inspect _,
          Operation.Delete _,
          Operation.AwaitEvent _,
          Operation.AwaitSilence _ ->
          List.of();
    };
  }

  private static long micros(long nanos) {
    return Math.ceilDiv(nanos, NANOS_PER_MICRO);
  }

  /** Returns whether anything is given there that can be given back. */
  static boolean gives(Kind kind) {
    return gives(kind, 'D') || gives(kind, 'S');
  }

  /** Returns whether what a turn is given there can be given back. */
  static boolean gives(Kind kind, char code) {
    return switch (kind) {
      case TOKENBUCKET -> code == 'D';
      case SEMAPHORE -> code == 'S';
      case EVENT, WATCHDOG, COUNTER, BARRIER -> false;
    };
  }

  /**
   * Returns what a reply of the script says.
   *
   * @throws RedisTrouble when the script does not answer so
   */
  static Said said(@Nullable Object reply) {
    if (!(reply instanceof List<?> list) || list.size() != 8) {
      throw odd();
    }
    List<String> words = list.stream().map(String::valueOf).toList();
    String code = words.get(1);
    if (code.length() != 1) {
      throw odd();
    }
    return new Said(
        number(words.get(0)),
        code.charAt(0),
        words.get(2),
        new Given(code.charAt(0), words.get(3), words.get(4)),
        next(words.get(5)),
        served(words.get(6)),
        words.get(7));
  }

  /**
   * What an instance is told of an object at which turns of it wait.
   *
   * @param key of the object
   * @param nowMicros when it was said, by the clock of Redis
   */
  record Told(String key, long nowMicros, long nextMicros, List<Served> served, String message) {}

  /**
   * Returns what a publication says.
   *
   * @throws RedisTrouble when it is none of the script
   */
  static Told told(String publication) {
    String[] lines = publication.split("\n", 5);
    if (lines.length != 5) {
      throw odd();
    }
    return new Told(lines[0], number(lines[1]), next(lines[2]), served(lines[3]), lines[4]);
  }

  private static long next(String word) {
    return word.isEmpty() ? NEVER : number(word);
  }

  private static List<Served> served(String text) {
    if (text.isEmpty()) {
      return List.of();
    }
    String[] words = text.split(" ", -1);
    if (words.length % 4 != 0) {
      throw odd();
    }
    List<Served> served = new ArrayList<>();
    for (int i = 0; i < words.length; i += 4) {
      if (words[i + 1].length() != 1) {
        throw odd();
      }
      Given given = new Given(words[i + 1].charAt(0), words[i + 2], words[i + 3]);
      served.add(new Served(number(words[i]), given));
    }
    return served;
  }

  /** Returns the whole numbers of a text, or none. */
  static List<Long> numbers(String text) {
    List<Long> numbers = new ArrayList<>();
    for (String word : text.split(" ", -1)) {
      if (!word.isEmpty()) {
        numbers.add(number(word));
      }
    }
    return numbers;
  }

  private static long number(String word) {
    try {
      return Long.parseLong(word);
    } catch (NumberFormatException odd) {
      throw odd();
    }
  }

  static RedisTrouble odd() {
    return new RedisTrouble(RedisTrouble.Kind.ODD);
  }

  /** Returns what a code means for an operation; null for one that is no answer to it. */
  static @Nullable Reply reply(Operation operation, Said said, Bounds bounds) {
    return reply(operation, said.code(), said.text(), said.message(), bounds);
  }

  /** Returns what a code means for an operation, with what is said or was sent. */
  static @Nullable Reply reply(
      Operation operation, char code, String text, String message, Bounds bounds) {
    return switch (code) {
      case 'D' -> Replies.DONE;
      case 'S', 'H' -> new Reply.Said(words(operation, text, message));
      case 'T' -> Replies.TIMED_OUT;
      case 'C' -> conflict(operation.kind());
      case 'M' -> Replies.MISSING;
      case 'P' -> Replies.tooManyHeld(bounds.holds());
      case 'F' -> Replies.tooManyWait(bounds);
      case 'X' -> Replies.deleted(operation.kind());
      case 'K' -> ObjectStatistics.told(operation.kind(), text);
      default -> null;
    };
  }

  private static String words(Operation operation, String text, String message) {
    return switch (operation) {
      case Operation.Acquire(long size, String key, long expires) -> key;
      case Operation.AwaitEvent _ -> message;
      default -> text;
    };
  }

  private static @Nullable Reply conflict(Kind kind) {
    return switch (kind) {
      case SEMAPHORE -> Replies.NOT_HELD;
      case EVENT -> Replies.SENT;
      case COUNTER -> Replies.BEYOND;
      case BARRIER -> Replies.OPENED;
      case TOKENBUCKET, WATCHDOG -> null;
    };
  }
}
