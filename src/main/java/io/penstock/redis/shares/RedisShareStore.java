package io.penstock.redis.shares;

import io.penstock.redis.RedisBreaker;
import io.penstock.redis.RedisDiagnosis;
import io.penstock.redis.RedisDurability;
import io.penstock.redis.RedisLink;
import io.penstock.redis.RedisTrouble;
import io.penstock.redis.RedisTrouble.Kind;
import io.penstock.redis.TroubleLog;
import io.penstock.shares.ShareStore;
import io.penstock.sharing.LimitId;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Shares of limits at one Redis master, or in one slot of a cluster. A message is sent at once,
 * over one connection: the calls, and the beat last, so that it reveals anything lost before or
 * between the calls. In a cluster the key of the instances and those of their limits have the same
 * hash tag, so that all are on one master, and move and fail together.
 *
 * <p>A call about a limit whose key holds something else is answered as such. Any other failure
 * fails the whole message with {@link RedisTrouble}.
 */
public final class RedisShareStore implements ShareStore {
  /**
   * The hash tags in a cluster. Each costs an instance a beat. Their slots lie in different
   * quarters of all slots, so that up to four masters have a part of the limits.
   */
  private static final List<String> TAGS = List.of("{0}", "{1}", "{2}", "{3}");

  /** Some 300 bytes each. */
  private static final int MOST_TOLD_KEPT = 1_000_000;

  private static final int MOST_TOLD_AT_ONCE = 10_000;

  private record Listener(String member, Consumer<LimitId> changed) {}

  /**
   * Messages to the log about all slots of one Redis.
   *
   * @param failing the channels of the slots whose last message failed
   */
  private record Logs(
      TroubleLog troubles, TroubleLog news, RedisDurability durability, Set<String> failing) {
    Logs() {
      this(
          new TroubleLog("shared limits", "limit"),
          new TroubleLog("news of shared limits", "limit"),
          new RedisDurability(),
          ConcurrentHashMap.newKeySet());
    }
  }

  private final RedisLink link;
  private final Ticker ticker;
  private final LongAdder answered = new LongAdder();
  private final LongAdder answeredNanos = new LongAdder();
  private final String namespace;
  private final String tag;
  private final String instances;
  private final String channel;
  private final RedisBreaker breaker;
  private final Logs logs;
  private final AtomicBoolean listening = new AtomicBoolean();
  private volatile @Nullable Listener listener;

  private RedisShareStore(RedisLink link, String namespace, Ticker ticker, String tag, Logs logs) {
    this.link = link;
    this.ticker = ticker;
    this.namespace = namespace;
    this.tag = tag;
    this.instances = namespace + ":instances:" + (tag.isEmpty() ? "0" : tag);
    this.channel = namespace + ":shares" + tag;
    this.breaker = new RedisBreaker(ticker, link::connections);
    this.logs = logs;
  }

  /**
   * Creates the stores of all slots, in an order that is the same for all instances, without
   * contacting Redis: one for one master.
   *
   * @param namespace prefix of all keys, without braces
   */
  public static List<RedisShareStore> of(RedisLink link, String namespace, Ticker ticker) {
    Logs logs = new Logs();
    List<String> tags = link.isCluster() ? TAGS : List.of("");
    return tags.stream()
        .map(tag -> new RedisShareStore(link, namespace, ticker, tag, logs))
        .toList();
  }

  /**
   * Tells of limits at which another instance begins to wait, or leaves something for those who
   * wait. It begins after the next message that is answered, and again after a failure.
   *
   * @param member the name of this instance, of which nothing is told
   */
  public void listen(String member, Consumer<LimitId> changed) {
    listener = new Listener(member, changed);
  }

  private void listen() {
    Listener told = listener;
    if (told == null || !listening.compareAndSet(false, true)) {
      return;
    }
    var _ = link.listen(channel, text -> hear(told, text), () -> {}).whenComplete(this::listens);
  }

  private void listens(@Nullable Object done, @Nullable Throwable failure) {
    if (failure == null) {
      logs.news().recordSuccess();
    } else {
      logs.news().recordFailure(RedisDiagnosis.of(failure));
      listening.set(false);
    }
  }

  private void hear(Listener told, String text) {
    try {
      LimitId id = ShareScript.published(text, told.member());
      if (id != null) {
        told.changed().accept(id);
      }
    } catch (IllegalArgumentException odd) {
      logs.news().recordFailure(new RedisTrouble(Kind.ODD, String.valueOf(odd.getMessage())));
    }
  }

  @Override
  public CompletionStage<Reply> exchange(Message message) {
    if (!breaker.tryAcquire()) {
      return failed(new RedisTrouble(Kind.PAUSED));
    }
    List<RedisLink.Call> calls = new ArrayList<>();
    for (Call each : message.calls()) {
      String key = ShareScript.key(namespace, each.id()) + tag;
      List<String> arguments = ShareScript.arguments(message.member(), each, channel);
      calls.add(new RedisLink.Call(ShareScript.SCRIPT, key, arguments));
    }
    calls.add(beat(message));
    long begun = ticker.nanos();
    return link.call(calls)
        .thenApply(replies -> reply(message, replies))
        .handle((reply, failure) -> settled(reply, failure, begun))
        .thenCompose(stage -> stage);
  }

  private RedisLink.Call beat(Message message) {
    List<String> arguments =
        BeatScript.arguments(
            message.member(),
            message.beat(),
            UUID.randomUUID().toString(),
            MOST_TOLD_KEPT,
            MOST_TOLD_AT_ONCE);
    return new RedisLink.Call(BeatScript.SCRIPT, instances, arguments, true);
  }

  private Reply reply(Message message, List<RedisLink.Reply> replies) {
    List<Answer> answers = new ArrayList<>();
    for (int i = 0; i < message.calls().size(); i++) {
      answers.add(answer(message.calls().get(i).id(), replies.get(i)));
    }
    RedisLink.Reply last = replies.getLast();
    if (last.trouble() != null) {
      throw last.trouble();
    }
    try {
      return new Reply(answers, BeatScript.answer(last.content()));
    } catch (IllegalArgumentException odd) {
      throw new RedisTrouble(Kind.ODD, String.valueOf(odd.getMessage()));
    }
  }

  private Answer answer(LimitId id, RedisLink.Reply reply) {
    RedisTrouble trouble = reply.trouble();
    if (trouble == null) {
      try {
        Answer answer = ShareScript.answer(id, reply.content());
        logs.troubles().recordSuccess(id.toString());
        return answer;
      } catch (IllegalArgumentException odd) {
        trouble = new RedisTrouble(Kind.VALUE, String.valueOf(odd.getMessage()));
      }
    }
    if (trouble.kind() != Kind.VALUE) {
      throw trouble; // it concerns the whole server
    }
    logs.troubles().recordFailure(id.toString(), trouble);
    return Answer.ignored(id, Outcome.UNUSABLE);
  }

  private CompletionStage<Reply> settled(Reply reply, @Nullable Throwable failure, long begun) {
    breaker.record(failure == null);
    if (failure != null) {
      return failed(RedisDiagnosis.of(failure));
    }
    answered.increment();
    answeredNanos.add(ticker.nanos() - begun);
    logs.failing().remove(channel);
    if (logs.failing().isEmpty()) {
      logs.troubles().recordSuccess();
    }
    listen();
    return logs.durability().look(link, instances).thenApply(looked -> reply);
  }

  private CompletionStage<Reply> failed(RedisTrouble trouble) {
    logs.failing().add(channel);
    logs.troubles().recordFailure(trouble);
    return CompletableFuture.failedStage(trouble);
  }

  /** Returns how many messages were answered. */
  public long answered() {
    return answered.sum();
  }

  /** Returns how long the answered messages took together. */
  public long answeredNanos() {
    return answeredNanos.sum();
  }

  /** Returns the failures so far, of all slots of this Redis. */
  public TroubleLog troubles() {
    return logs.troubles();
  }
}
