package io.penstock.redis.coordination;

import io.penstock.coordination.ObjectBounds;
import io.penstock.coordination.ObjectKind;
import io.penstock.coordination.ObjectReplies;
import io.penstock.coordination.ObjectReply;
import io.penstock.redis.RedisLink.Reply;
import io.penstock.redis.RedisTrouble;
import io.penstock.redis.coordination.ObjectScript.Growth;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Admits objects that are to be created or to grow, as long as there are not too many, and knows
 * which objects existed before. Used by one thread at a time.
 */
final class ObjectRegistrar {
  private static final long NANOS_PER_MICRO = 1_000;

  /** Index of the first object that may have expired, in answers to an admission. */
  private static final int AFTER_ADMISSION = Membership.COMMON_WORDS + 2;

  /** Most objects that are checked after each heartbeat. */
  private static final int SWEPT = 250;

  /** Requests of one tenant for one object, which are sent as one. */
  private static final class Request {
    private final String id;
    private final String tenant;
    private final List<Consumer<ObjectAdmission>> waiting = new ArrayList<>();
    private long needed;
    private long asked;

    Request(String id, String tenant) {
      this.id = id;
      this.tenant = tenant;
    }

    void add(Growth growth, Consumer<ObjectAdmission> then) {
      long others = waiting.isEmpty() ? 0 : asked + growth.each();
      needed = Math.max(needed, growth.needed());
      asked = Math.max(growth.asked(), others);
      waiting.add(then);
    }
  }

  private record RequestKey(String id, String tenant) {}

  private final ScriptPipeline scriptPipeline;
  private final Membership membership;
  private final ObjectBounds bounds;
  private final ObjectCalls objectCalls;
  private final Map<RequestKey, Request> unsent = new HashMap<>();
  private boolean sweeping;

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

  /** Asks to admit an object for a tenant. */
  void admit(
      ObjectKind kind, String name, String tenant, Growth growth, Consumer<ObjectAdmission> then) {
    RequestKey key = new RequestKey(id(kind, name), tenant);
    Request known = unsent.get(key);
    if (known != null) {
      known.add(growth, then);
      return;
    }
    Request request = new Request(key.id(), tenant);
    request.add(growth, then);
    unsent.put(key, request);
    send(request, true);
  }

  private void send(Request request, boolean again) {
    scriptPipeline.add(
        () -> {
          unsent.remove(new RequestKey(request.id, request.tenant), request);
          return membership.call(
              "admit",
              List.of(
                  request.id,
                  Long.toString(bounds.objects()),
                  Long.toString(idleMicros()),
                  request.tenant,
                  Long.toString(bounds.ownObjects()),
                  Long.toString(bounds.bytes()),
                  Long.toString(bounds.ownBytes()),
                  Long.toString(request.needed),
                  Long.toString(request.asked)));
        },
        reply -> {
          // it may have failed without being sent
          unsent.remove(new RequestKey(request.id, request.tenant), request);
          admitted(request, again, reply);
        });
  }

  private long idleMicros() {
    return bounds.idleNanos() / NANOS_PER_MICRO;
  }

  private void admitted(Request request, boolean again, Reply reply) {
    List<String> words = membership.words(reply);
    if (words == null || words.size() < AFTER_ADMISSION) {
      RedisTrouble trouble = reply.trouble();
      boolean full = trouble != null && trouble.kind() == RedisTrouble.Kind.MEMORY;
      tell(
          request,
          full ? ObjectAdmission.refused(ObjectReplies.OUT_OF_MEMORY) : ObjectAdmission.NONE);
      return;
    }
    List<String> overdue = words.subList(AFTER_ADMISSION, words.size());
    settleAll(overdue, Long.parseLong(words.getFirst()));
    boolean full = words.get(1).equals("F");
    if (full && again && !overdue.isEmpty()) {
      scriptPipeline.add(
          () -> membership.call("settle", List.of("", "", "", "0")), done -> send(request, false));
    } else if (words.get(1).equals("O")) {
      membership.recordMemory(false);
      tell(request, ObjectAdmission.refused(ObjectReplies.OUT_OF_MEMORY));
    } else {
      membership.recordMemory(true);
      tell(
          request,
          full
              ? ObjectAdmission.refused(refusal(words.get(AFTER_ADMISSION - 1)))
              : new ObjectAdmission(
                  null, words.get(Membership.COMMON_WORDS), words.get(AFTER_ADMISSION - 1)));
    }
  }

  private ObjectReply refusal(String full) {
    return switch (full) {
      case "own objects" -> ObjectReplies.tooManyOwnObjects(bounds);
      case "bytes" -> ObjectReplies.tooManyBytes(bounds);
      case "own bytes" -> ObjectReplies.tooManyOwnBytes(bounds);
      default -> ObjectReplies.tooManyObjects(bounds);
    };
  }

  private static void tell(Request request, ObjectAdmission admission) {
    request.waiting.forEach(each -> each.accept(admission));
  }

  /** Checks objects that may have been forgotten, so that they do not count any more. */
  void sweep() {
    if (sweeping) {
      return;
    }
    sweeping = true;
    scriptPipeline.add(
        () -> membership.call("overdue", List.of(Integer.toString(SWEPT))),
        reply -> {
          sweeping = false;
          List<String> words = membership.words(reply);
          if (words != null) {
            settleAll(
                words.subList(Membership.COMMON_WORDS, words.size()),
                Long.parseLong(words.getFirst()));
          }
        });
  }

  private void settleAll(List<String> overdue, long nowMicros) {
    for (int i = 0; i + 1 < overdue.size(); i += 2) {
      settle(overdue.get(i), overdue.get(i + 1), nowMicros);
    }
  }

  /** Checks an object that may have been forgotten. */
  private void settle(String id, String due, long nowMicros) {
    int colon = id.indexOf(':');
    ObjectKind kind = ObjectKind.of(id.substring(0, Math.max(0, colon)));
    if (kind == null) {
      return; // no name that this program gives
    }
    String name = id.substring(colon + 1);
    objectCalls.upkeep(
        membership.key(kind, name),
        kind,
        "step",
        "",
        List::of,
        result -> {
          if (result != null) {
            List<Long> looked = ObjectScript.numbers(result.text());
            boolean exists = result.code() == 'D';
            String next = exists ? Long.toString(nowMicros + kept(looked.getFirst())) : "";
            String bytes = Long.toString(looked.getLast());
            scriptPipeline.add(
                () -> membership.call("settle", List.of(id, due, next, bytes)), membership::words);
          }
        });
  }

  /** Returns the time, in microseconds, after which the object is forgotten unless it is used. */
  private long kept(long millis) {
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
