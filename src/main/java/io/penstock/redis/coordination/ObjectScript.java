package io.penstock.redis.coordination;

import io.penstock.coordination.ObjectBounds;
import io.penstock.coordination.ObjectKind;
import io.penstock.coordination.ObjectOperation;
import io.penstock.coordination.ObjectReplies;
import io.penstock.coordination.ObjectReply;
import io.penstock.redis.LuaScript;
import io.penstock.redis.RedisTrouble;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Calls and replies of the script {@code coordination.lua}, which keeps one shared object in Redis.
 *
 * <p>There is an own script for each kind of object because no primitive of Redisson does the same.
 * After a release, RSemaphore and RPermitExpirableSemaphore serve whichever client asks first, and
 * their waiting clients poll at times; neither knows permits under a key chosen by the client, or
 * counts the permits in use when the size changes. RRateLimiter counts over a trailing time, and
 * its waiting clients poll. RCountDownLatch, as an event, has no message, and a barrier has to know
 * which clients went away. RAtomicLong wraps around beyond 64 bits and never expires. There is
 * nothing like a watchdog.
 */
final class ObjectScript {
  static final LuaScript SCRIPT = LuaScript.read("coordination.lua");

  /** Time for nothing that happens by time alone. */
  static final long NEVER = -1;

  private static final long NANOS_PER_MICRO = 1_000;
  private static final long NANOS_PER_MILLI = 1_000_000;

  /**
   * Result of a turn, as far as it can be given back.
   *
   * @param code D, S, or another code that gives nothing
   * @param interval to which a token belongs, or empty
   * @param waited waiting time in microseconds; empty when it is not to be counted
   */
  record TurnResult(char code, String interval, String waited) {}

  /** Answer to a turn that waited. */
  record ServedTurn(long number, TurnResult given) {}

  /**
   * Result of a call.
   *
   * @param nowMicros by the clock of Redis
   * @param code as the script defines it
   * @param text more about the result
   * @param given with the result
   * @param nextMicros when time alone lets the next waiting turn of an instance pass, or {@link
   *     #NEVER}
   * @param served other turns of the instance that are answered
   * @param message that was sent, if it is the answer to them or to this turn
   */
  record CallResult(
      long nowMicros,
      char code,
      String text,
      TurnResult given,
      long nextMicros,
      List<ServedTurn> served,
      String message) {}

  /**
   * Bytes for which an object must be admitted.
   *
   * @param needed by the operation
   * @param asked for, so that the object is seldom admitted again
   * @param each bytes of each further turn
   */
  record Growth(long needed, long asked, long each) {}

  /**
   * The calling instance.
   *
   * @param name of the instance
   * @param living all instances that live, including this one
   * @param departed instances that do not live
   * @param fence time until which a waiting operation may be executed, or empty
   * @param channels prefix of the instances' channels
   * @param now time to use in tests; empty otherwise
   */
  record Caller(
      String name,
      List<String> living,
      List<String> departed,
      String fence,
      String channels,
      String now) {}

  private ObjectScript() {}

  /**
   * Returns the arguments of an operation.
   *
   * @param turn with the name of its instance
   * @param admission of the object just now, or {@link ObjectAdmission#NONE}
   * @param mode whether the turn may wait, as the script defines it
   */
  static List<String> operation(
      Caller caller,
      String turn,
      ObjectOperation objectOperation,
      ObjectBounds bounds,
      ObjectAdmission admission,
      char mode) {
    List<String> begin =
        List.of(objectOperation.kind().word(), word(objectOperation), caller.name(), turn);
    return arguments(
        begin, caller, caller.fence(), bounds, admission, mode, own(objectOperation, bounds));
  }

  /** Returns the arguments of a call for turns or for an object, such as {@code step}. */
  static List<String> upkeep(
      Caller caller,
      ObjectKind objectKind,
      String word,
      String turn,
      ObjectBounds bounds,
      List<String> more) {
    List<String> begin = List.of(objectKind.word(), word, caller.name(), turn);
    return arguments(begin, caller, "", bounds, ObjectAdmission.NONE, 'n', more);
  }

  private static List<String> arguments(
      List<String> begin,
      Caller caller,
      String fence,
      ObjectBounds bounds,
      ObjectAdmission admission,
      char mode,
      List<String> own) {
    List<String> args = new ArrayList<>(begin);
    args.add(" " + String.join(" ", caller.living()) + " ");
    args.add(" " + String.join(" ", caller.departed()) + " ");
    args.add(fence);
    args.add(caller.channels());
    args.add(caller.now());
    args.add(Long.toString(bounds.idleNanos() / NANOS_PER_MILLI));
    args.add(admission.lost());
    args.add(String.valueOf(mode));
    args.add(admission.room());
    args.addAll(own);
    return args;
  }

  private static String word(ObjectOperation objectOperation) {
    return switch (objectOperation) {
      case ObjectOperation.Release _ -> "release";
      case ObjectOperation.Send _ -> "send";
      case ObjectOperation.Kick _ -> "kick";
      case ObjectOperation.Count _ -> "count";
      case ObjectOperation.Value _ -> "value";
      case ObjectOperation.Reset _ -> "reset";
      case ObjectOperation.Inspect _ -> "stats";
      case ObjectOperation.Delete _ -> "delete";
      case ObjectOperation.TakeToken _,
          ObjectOperation.Acquire _,
          ObjectOperation.AwaitEvent _,
          ObjectOperation.AwaitSilence _,
          ObjectOperation.Arrive _ ->
          "wait";
    };
  }

  private static List<String> own(ObjectOperation objectOperation, ObjectBounds bounds) {
    return switch (objectOperation) {
      case ObjectOperation.TakeToken(long size, long interval) ->
          List.of(Long.toString(size), Long.toString(Math.max(1, micros(interval))));
      case ObjectOperation.Acquire(long size, String key, long expires) ->
          List.of(
              Long.toString(size),
              Long.toString(micros(expires)),
              key,
              Long.toString(bounds.holds()));
      case ObjectOperation.Release(String key) -> List.of(key);
      case ObjectOperation.Send(String message) -> List.of(message);
      case ObjectOperation.Kick(long expires) -> List.of(Long.toString(micros(expires)));
      case ObjectOperation.Count(long amount) -> List.of(Long.toString(amount));
      case ObjectOperation.Reset(long value) -> List.of(Long.toString(value));
      case ObjectOperation.Arrive(long size) -> List.of(Long.toString(size));
      case ObjectOperation.Value _,
          ObjectOperation.Inspect _,
          ObjectOperation.Delete _,
          ObjectOperation.AwaitEvent _,
          ObjectOperation.AwaitSilence _ ->
          List.of();
    };
  }

  private static long micros(long nanos) {
    return Math.ceilDiv(nanos, NANOS_PER_MICRO);
  }

  /** Returns whether objects of a kind give anything that can be given back. */
  static boolean gives(ObjectKind objectKind) {
    return gives(objectKind, 'D') || gives(objectKind, 'S');
  }

  /** Returns whether the result with that code can be given back. */
  static boolean gives(ObjectKind objectKind, char code) {
    return switch (objectKind) {
      case TOKENBUCKET -> code == 'D';
      case SEMAPHORE -> code == 'S';
      case EVENT, WATCHDOG, COUNTER, BARRIER -> false;
    };
  }

  /**
   * Returns the content of a reply of the script.
   *
   * @throws RedisTrouble when the script cannot have replied so
   */
  static CallResult parseResult(@Nullable Object reply) {
    if (!(reply instanceof List<?> list) || list.size() != 8) {
      throw odd();
    }
    List<String> words = list.stream().map(String::valueOf).toList();
    String code = words.get(1);
    if (code.length() != 1) {
      throw odd();
    }
    return new CallResult(
        number(words.get(0)),
        code.charAt(0),
        words.get(2),
        new TurnResult(code.charAt(0), words.get(3), words.get(4)),
        next(words.get(5)),
        served(words.get(6)),
        words.get(7));
  }

  /**
   * News for an instance about an object at which its turns wait.
   *
   * @param key of the object
   * @param nowMicros time of the publication, by the clock of Redis
   */
  record Publication(
      String key, long nowMicros, long nextMicros, List<ServedTurn> served, String message) {}

  /**
   * Returns the content of a publication.
   *
   * @throws RedisTrouble when it is not from the script
   */
  static Publication parsePublication(String publication) {
    String[] lines = publication.split("\n", 5);
    if (lines.length != 5) {
      throw odd();
    }
    return new Publication(lines[0], number(lines[1]), next(lines[2]), served(lines[3]), lines[4]);
  }

  private static long next(String word) {
    return word.isEmpty() ? NEVER : number(word);
  }

  private static List<ServedTurn> served(String text) {
    if (text.isEmpty()) {
      return List.of();
    }
    String[] words = text.split(" ", -1);
    if (words.length % 4 != 0) {
      throw odd();
    }
    List<ServedTurn> served = new ArrayList<>();
    for (int i = 0; i < words.length; i += 4) {
      if (words[i + 1].length() != 1) {
        throw odd();
      }
      TurnResult given = new TurnResult(words[i + 1].charAt(0), words[i + 2], words[i + 3]);
      served.add(new ServedTurn(number(words[i]), given));
    }
    return served;
  }

  /**
   * Returns the content of the text of an answer that asks for admission, or null when the script
   * cannot have written it.
   */
  static @Nullable Growth parseGrowth(String text) {
    if (!text.matches("\\d{1,18} \\d{1,18} \\d{1,18}")) {
      return null;
    }
    List<Long> numbers = numbers(text);
    return new Growth(numbers.get(0), numbers.get(1), numbers.get(2));
  }

  /** Returns the whole numbers in a text. */
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

  /**
   * Returns the reply for a code, with the given text or the message that was sent; null when the
   * code is no answer to the operation.
   */
  static @Nullable ObjectReply reply(
      ObjectOperation objectOperation,
      char code,
      String text,
      String message,
      ObjectBounds bounds) {
    return switch (code) {
      case 'D' -> ObjectReplies.DONE;
      case 'S', 'H' -> new ObjectReply.Result(words(objectOperation, text, message));
      case 'T' -> ObjectReplies.TIMED_OUT;
      case 'C' -> conflict(objectOperation.kind());
      case 'M' -> ObjectReplies.MISSING;
      case 'P' -> ObjectReplies.tooManyHeld(bounds.holds());
      case 'F' -> ObjectReplies.tooManyWait(bounds);
      case 'X' -> ObjectReplies.deleted(objectOperation.kind());
      case 'K' -> ObjectStatistics.parse(objectOperation.kind(), text);
      default -> null;
    };
  }

  private static String words(ObjectOperation objectOperation, String text, String message) {
    return switch (objectOperation) {
      case ObjectOperation.Acquire(long size, String key, long expires) -> key;
      case ObjectOperation.AwaitEvent _ -> message;
      default -> text;
    };
  }

  private static @Nullable ObjectReply conflict(ObjectKind objectKind) {
    return switch (objectKind) {
      case SEMAPHORE -> ObjectReplies.NOT_HELD;
      case EVENT -> ObjectReplies.SENT;
      case COUNTER -> ObjectReplies.BEYOND;
      case BARRIER -> ObjectReplies.OPENED;
      case TOKENBUCKET, WATCHDOG -> null;
    };
  }
}
