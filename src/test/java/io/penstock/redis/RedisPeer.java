package io.penstock.redis;

import io.penstock.cost.LimitMeasure;
import io.penstock.fake.PatientWaits;
import io.penstock.redis.shares.RedisShareStore;
import io.penstock.shares.ShareEpoch;
import io.penstock.shares.ShareStore.Beat;
import io.penstock.shares.ShareStore.BeatAnswer;
import io.penstock.shares.ShareStore.Call;
import io.penstock.shares.ShareStore.Message;
import io.penstock.shares.ShareStore.Reply;
import io.penstock.shares.ShareUse;
import io.penstock.sharing.LimitId;
import io.penstock.time.Ticker;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** One instance from the view of Redis: its link, with shares and counts over that. */
final class RedisPeer implements AutoCloseable {
  static final String NAMESPACE = "ns";
  private static final long SECOND = 1_000_000_000L;
  private static final int TIMEOUT_MILLIS = 2_000;
  private static final BeatAnswer NOTHING =
      new BeatAnswer(
          ShareEpoch.NONE,
          0,
          0,
          false,
          false,
          false,
          false,
          List.of(),
          List.of(),
          List.of(),
          0,
          true);

  final RedisLink link;
  final List<RedisShareStore> stores;
  final BlockingQueue<LimitId> heard = new LinkedBlockingQueue<>();
  private final String name;
  private final Map<RedisShareStore, BeatAnswer> last = new HashMap<>();
  private long number;

  RedisPeer(String name, RedisAddress address, @Nullable RedisTrust trust) {
    this.name = name;
    // A breaker never waits if its clock advances an hour between two looks.
    long[] hours = {0};
    Ticker hasty = () -> ++hours[0] * 3_600 * SECOND;
    link = new RedisLink(address, trust, TIMEOUT_MILLIS, Ticker.system());
    stores = RedisShareStore.of(link, NAMESPACE, hasty);
    stores.forEach(each -> each.listen(name, heard::add));
  }

  RedisPeer(String name, String url) {
    this(name, RedisAddress.parse(url, null, null), null);
  }

  static LimitId id(String limit) {
    return new LimitId(LimitId.Kind.KEY, limit, "", LimitMeasure.TOKENS, 3_600 * SECOND);
  }

  /** Returns the key of the counts of a limit. */
  static String key(String limit) {
    return NAMESPACE + ":" + id(limit).text();
  }

  private Call call(String limit, long held, long first) {
    ShareUse use =
        new ShareUse(100, held, held, first, first, 0, ShareUse.Cell.NONE, false, 60_000);
    return new Call(id(limit), ++number, number, epoch(), true, held, 0, use, List.of(), List.of());
  }

  private ShareEpoch epoch() {
    return last.getOrDefault(stores.getFirst(), NOTHING).epoch();
  }

  /** Sends a message to one slot, and keeps in mind what is answered. */
  private Reply send(RedisShareStore store, Call... calls) {
    BeatAnswer before = last.getOrDefault(store, NOTHING);
    Beat beat =
        new Beat(
            ++number,
            before.epoch(),
            before.count(),
            before.version(),
            true,
            false,
            false,
            List.of(),
            List.of(),
            List.of(),
            List.of(),
            true,
            false,
            List.of(),
            0);
    Reply reply = PatientWaits.join(store.exchange(new Message(name, List.of(calls), beat)));
    last.put(store, reply.beat());
    return reply;
  }

  /** Sends a beat to each slot; returns the epoch of the first. */
  ShareEpoch beat() {
    stores.forEach(this::send);
    return epoch();
  }

  /** Says to the first slot what is held and waited for; returns the share. */
  long share(String limit, long held, long first) {
    beat();
    return send(stores.getFirst(), call(limit, held, first)).answers().getFirst().share();
  }

  /** Returns why a message fails, or null. */
  @Nullable RedisTrouble trouble() {
    try {
      var _ = share("one", 0, 0); // in a cluster of three, not where the instances are
      return null;
    } catch (CompletionException failed) {
      if (failed.getCause() instanceof RedisTrouble trouble) {
        return trouble;
      }
      throw failed;
    }
  }

  /** Sends messages until one is answered; returns the epoch. */
  ShareEpoch well() {
    PatientWaits.await("a message that is answered").until(() -> trouble() == null);
    return epoch();
  }

  /** Sends messages until one fails in that way; returns the failure. */
  RedisTrouble awaitTrouble(RedisTrouble.Kind kind) {
    AtomicReference<@Nullable RedisTrouble> latest = new AtomicReference<>();
    PatientWaits.await("trouble " + kind)
        .until(
            () -> {
              RedisTrouble trouble = trouble();
              latest.set(trouble);
              return trouble != null && trouble.kind() == kind;
            });
    return Objects.requireNonNull(latest.get());
  }

  @Override
  public void close() {
    link.close();
  }
}
