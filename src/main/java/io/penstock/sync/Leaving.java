package io.penstock.sync;

import io.penstock.coordination.Kind;
import io.penstock.coordination.Operation;
import io.penstock.sync.ObjectScript.Given;
import io.penstock.sync.ObjectScript.Said;
import io.penstock.time.Ticker;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Turns that give up their place, or what they were given: said until it was heard, so that nothing
 * is kept for nobody. One thread at a time.
 */
final class Leaving {
  /** So many are remembered; what is beyond ends with this instance, or when it expires. */
  private static final int MOST = 100_000;

  /** By then an operation that was sent is done, or never will be. */
  private static final long SETTLED_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** One that is to be said again. */
  private record Later(String key, Kind kind, String id, String heldKey, long fromNanos) {}

  private final Asking asking;
  private final Ticker ticker;
  private final BiConsumer<String, Said> heard;
  private final Queue<Later> later = new ArrayDeque<>();

  /**
   * Makes one where nobody leaves.
   *
   * @param heard told what is answered for an object
   */
  Leaving(Asking asking, Ticker ticker, BiConsumer<String, Said> heard) {
    this.asking = asking;
    this.ticker = ticker;
    this.heard = heard;
  }

  /** Says it now; what was given may be null. */
  void now(Visit visit, @Nullable Given given) {
    String heldKey = heldKey(visit);
    List<String> more =
        given == null
            ? unsure(heldKey)
            : List.of(String.valueOf(given.code()), given.interval(), given.waited(), heldKey);
    say(new Later(visit.key, visit.kind(), visit.id(), heldKey, 0), more);
  }

  /** Says it once what was sent for it before is done, or never will be. */
  void later(Visit visit) {
    add(new Later(visit.key, visit.kind(), visit.id(), heldKey(visit), ticker.nanos()));
  }

  private static String heldKey(Visit visit) {
    return visit.operation() instanceof Operation.Acquire acquire ? acquire.key() : "";
  }

  /** What is held shows by its turn; whether a token was given back already nothing shows. */
  private static List<String> unsure(String heldKey) {
    return List.of(heldKey.isEmpty() ? "" : "S", "", "", heldKey);
  }

  private void add(Later each) {
    if (later.size() < MOST) {
      later.add(
          new Later(
              each.key(), each.kind(), each.id(), each.heldKey(), ticker.nanos() + SETTLED_NANOS));
    }
  }

  private void say(Later each, List<String> more) {
    asking.upkeep(
        each.key(),
        each.kind(),
        "leave",
        each.id(),
        () -> more,
        (said, trouble) -> {
          if (said == null) {
            add(each);
          } else {
            heard.accept(each.key(), said);
          }
        });
  }

  /** Says again what was not heard: Redis answers. */
  void again(long nowNanos) {
    List<Later> due = new ArrayList<>();
    for (Iterator<Later> all = later.iterator(); all.hasNext(); ) {
      Later each = all.next();
      if (each.fromNanos() <= nowNanos) {
        due.add(each);
        all.remove();
      }
    }
    due.forEach(each -> say(each, unsure(each.heldKey())));
  }
}
