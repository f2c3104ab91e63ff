package io.penstock.sync;

import io.penstock.coordination.Bounds;
import io.penstock.coordination.Kind;
import io.penstock.sync.RedisLink.Reply;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Admits new objects as long as there are not too many, and knows which objects existed before.
 * Used by one thread at a time.
 */
final class Registrar {
  private static final long NANOS_PER_MICRO = 1_000;
  private static final int OVERDUE = 6;

  /**
   * Decision about a new object.
   *
   * @param full whether there are too many objects
   * @param lost for the script, when an object of this name may have been lost; empty when unknown
   */
  record Admission(boolean full, String lost) {}

  private final Lane lane;
  private final Fellows fellows;
  private final Bounds bounds;
  private final Asking asking;
  private final Map<String, List<Consumer<Admission>>> asked = new HashMap<>();

  Registrar(Lane lane, Fellows fellows, Asking asking, Bounds bounds) {
    this.lane = lane;
    this.fellows = fellows;
    this.bounds = bounds;
    this.asking = asking;
  }

  private static String id(Kind kind, String name) {
    return kind.word() + ":" + name;
  }

  /** Asks to admit an object. */
  void admit(Kind kind, String name, Consumer<Admission> then) {
    String id = id(kind, name);
    List<Consumer<Admission>> others = asked.get(id);
    if (others != null) {
      others.add(then);
      return;
    }
    asked.put(id, new ArrayList<>(List.of(then)));
    admit(id, true);
  }

  private void admit(String id, boolean again) {
    lane.add(
        () ->
            fellows.call(
                "admit", List.of(id, Long.toString(bounds.objects()), Long.toString(idleMicros()))),
        reply -> admitted(id, again, reply));
  }

  private long idleMicros() {
    return bounds.idleNanos() / NANOS_PER_MICRO;
  }

  private void admitted(String id, boolean again, Reply reply) {
    List<String> words = fellows.words(reply);
    if (words == null || words.size() < OVERDUE) {
      tell(id, new Admission(false, ""));
      return;
    }
    boolean full = words.get(1).equals("F");
    List<String> overdue = words.subList(OVERDUE, words.size());
    for (int i = 0; i + 1 < overdue.size(); i += 2) {
      settle(overdue.get(i), overdue.get(i + 1), Long.parseLong(words.getFirst()));
    }
    if (full && again && !overdue.isEmpty()) {
      lane.add(() -> fellows.call("settle", List.of("", "", "")), done -> admit(id, false));
      return;
    }
    tell(id, new Admission(full, words.get(OVERDUE - 1)));
  }

  private void tell(String id, Admission admission) {
    List<Consumer<Admission>> all = asked.remove(id);
    if (all != null) {
      all.forEach(each -> each.accept(admission));
    }
  }

  /** Checks an object that may have been forgotten. */
  private void settle(String id, String due, long nowMicros) {
    int colon = id.indexOf(':');
    Kind kind = Kind.of(id.substring(0, Math.max(0, colon)));
    if (kind == null) {
      return; // from another version
    }
    String name = id.substring(colon + 1);
    asking.upkeep(
        fellows.key(kind, name),
        kind,
        "step",
        "",
        List::of,
        (said, trouble) -> {
          if (said != null) {
            String next = said.code() == 'D' ? Long.toString(nowMicros + kept(said)) : "";
            lane.add(() -> fellows.call("settle", List.of(id, due, next)), fellows::words);
          }
        });
  }

  /** Returns the time, in microseconds, after which the object is forgotten unless it is used. */
  private long kept(ObjectScript.Said looked) {
    long millis = Long.parseLong(looked.text());
    return millis < 0 ? idleMicros() : TimeUnit.MILLISECONDS.toMicros(millis);
  }

  /** Unregisters an object, before it is deleted. */
  void remove(Kind kind, String name, Consumer<@Nullable RedisTrouble> then) {
    lane.add(
        () -> fellows.call("remove", List.of(id(kind, name))),
        reply -> {
          RedisTrouble trouble = reply.trouble() == null ? ObjectScript.odd() : reply.trouble();
          then.accept(fellows.words(reply) == null ? trouble : null);
        });
  }
}
