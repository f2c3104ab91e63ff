package io.penstock.redis.coordination;

import io.penstock.coordination.ObjectBounds;
import io.penstock.coordination.ObjectKind;
import io.penstock.redis.RedisLink.Reply;
import io.penstock.redis.RedisTrouble;
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
final class ObjectRegistrar {
  private static final long NANOS_PER_MICRO = 1_000;
  private static final int OVERDUE = 6;

  /**
   * Decision about a new object.
   *
   * @param full whether there are too many objects
   * @param lost for the script, when an object of this name may have been lost; empty when unknown
   */
  record Admission(boolean full, String lost) {}

  private final ScriptPipeline scriptPipeline;
  private final Membership membership;
  private final ObjectBounds bounds;
  private final ObjectCalls objectCalls;
  private final Map<String, List<Consumer<Admission>>> asked = new HashMap<>();

  ObjectRegistrar(
      ScriptPipeline scriptPipeline,
      Membership membership,
      ObjectCalls objectCalls,
      ObjectBounds bounds) {
    this.scriptPipeline = scriptPipeline;
    this.membership = membership;
    this.bounds = bounds;
    this.objectCalls = objectCalls;
  }

  private static String id(ObjectKind kind, String name) {
    return kind.word() + ":" + name;
  }

  /** Asks to admit an object. */
  void admit(ObjectKind kind, String name, Consumer<Admission> then) {
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
    scriptPipeline.add(
        () ->
            membership.call(
                "admit", List.of(id, Long.toString(bounds.objects()), Long.toString(idleMicros()))),
        reply -> admitted(id, again, reply));
  }

  private long idleMicros() {
    return bounds.idleNanos() / NANOS_PER_MICRO;
  }

  private void admitted(String id, boolean again, Reply reply) {
    List<String> words = membership.words(reply);
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
      scriptPipeline.add(
          () -> membership.call("settle", List.of("", "", "")), done -> admit(id, false));
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
    ObjectKind kind = ObjectKind.of(id.substring(0, Math.max(0, colon)));
    if (kind == null) {
      return; // from another version
    }
    String name = id.substring(colon + 1);
    objectCalls.upkeep(
        membership.key(kind, name),
        kind,
        "step",
        "",
        List::of,
        (result, trouble) -> {
          if (result != null) {
            String next = result.code() == 'D' ? Long.toString(nowMicros + kept(result)) : "";
            scriptPipeline.add(
                () -> membership.call("settle", List.of(id, due, next)), membership::words);
          }
        });
  }

  /** Returns the time, in microseconds, after which the object is forgotten unless it is used. */
  private long kept(ObjectScript.CallResult looked) {
    long millis = Long.parseLong(looked.text());
    return millis < 0 ? idleMicros() : TimeUnit.MILLISECONDS.toMicros(millis);
  }

  /** Unregisters an object, before it is deleted. */
  void remove(ObjectKind kind, String name, Consumer<@Nullable RedisTrouble> then) {
    scriptPipeline.add(
        () -> membership.call("remove", List.of(id(kind, name))),
        reply -> {
          RedisTrouble trouble = reply.trouble() == null ? ObjectScript.odd() : reply.trouble();
          then.accept(membership.words(reply) == null ? trouble : null);
        });
  }
}
