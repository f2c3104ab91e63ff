package io.penstock.region;

import io.penstock.cost.LimitMeasure;
import io.penstock.cost.Weight;
import io.penstock.fake.FakeTicker;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.sharing.CountStore;
import io.penstock.sharing.DenialStore;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.LocalLimitSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** One region with a fake database: the test answers its requests, at the time it chooses. */
final class Coast implements CountStore, DenialStore {
  static final long SECOND = 1_000_000_000L;
  static final long MINUTE = 60 * SECOND;

  /** Start of a cell. */
  static final long UNIX_MILLIS = 1_800_000_000_000L;

  static final long CELL = UNIX_MILLIS / 60_000;

  /** A request to the database, and its answer. */
  record Asked<Q, A>(Q what, CompletableFuture<A> answer) {
    Asked(Q what) {
      this(what, new CompletableFuture<>());
    }

    void answer(A with) {
      answer.complete(with);
    }

    void fail() {
      answer.completeExceptionally(new IllegalStateException("sick"));
    }
  }

  final FakeTicker ticker = new FakeTicker();
  final List<Asked<String, List<Count>>> recalls = new ArrayList<>();
  final List<Asked<List<Count>, List<Count>>> exchanges = new ArrayList<>();
  final List<Asked<List<Denial>, Void>> publishes = new ArrayList<>();
  final List<Asked<Long, Page>> looks = new ArrayList<>();
  final RegionSync frontier;
  final RegionLimitSource source;

  /** Number of calls of the callback for urgent work. */
  int wakes;

  /** Creates a region with its clock at the start of a cell. */
  Coast() {
    this(UNIX_MILLIS);
  }

  Coast(long unixMillis) {
    long start = 1_000 * SECOND;
    ticker.set(start);
    RegionSync.Stores shores =
        new RegionSync.Stores("east", this, this, () -> asked(recalls, new Asked<>("before")));
    frontier =
        new RegionSync(
            shores,
            null,
            ticker,
            () -> unixMillis + (ticker.nanos() - start) / 1_000_000,
            RegionSync.Terms.of(0.05),
            () -> 0);
    source = new RegionLimitSource(new LocalLimitSource(), frontier, id -> false);
    frontier.onDenial(() -> wakes++);
  }

  /** Returns a region that has read its own counts and looked for denials. */
  static Coast settled() {
    Coast coast = new Coast();
    coast.frontier.step();
    coast.recalls.getLast().answer(List.of());
    coast.looks.getLast().answer(new Page(List.of(), Page.START));
    return coast;
  }

  private static <Q, A> CompletionStage<A> asked(List<Asked<Q, A>> all, Asked<Q, A> next) {
    all.add(next);
    return next.answer();
  }

  @Override
  public CompletionStage<List<Count>> exchange(String writer, List<Count> own) {
    return asked(exchanges, new Asked<>(own));
  }

  @Override
  public CompletionStage<Void> publish(String region, List<Denial> denials) {
    return asked(publishes, new Asked<>(denials));
  }

  @Override
  public CompletionStage<Page> since(String region, long cursor) {
    return asked(looks, new Asked<>(cursor));
  }

  static LimitId id(String name) {
    return new LimitId(LimitId.Kind.KEY, name, "", LimitMeasure.TOKENS, MINUTE);
  }

  static LimitSpec spec() {
    return new LimitSpec.TrailingWindow(1_000, MINUTE, 0, LimitSpec.TrailingWindow.UNPACED);
  }

  static Count count(String name, long cell, long amount) {
    return new Count(id(name), cell, amount);
  }

  static Denial denial(String name) {
    return new Denial("key-tpm", name, 60_000, CELL, 1_000);
  }

  Limit limit(String name) {
    return source.limit(id(name), spec(), ticker.nanos());
  }

  Limit spent(String name, long amount) {
    Limit limit = limit(name);
    limit.take(Weight.exactly(amount), ticker.nanos());
    return limit;
  }

  /** Sends a request to a limit that is used up. */
  void deny(String name) {
    spent(name, 900).sharing().recordDenial(Weight.exactly(200), ticker.nanos());
  }

  long room(Limit limit) {
    return limit.room(ticker.nanos());
  }

  RegionStatistics ledger() {
    return frontier.ledger();
  }

  /** Advances time and does what is due; returns the time until the next step. */
  long stepAfter(long nanos) {
    ticker.advance(nanos);
    return frontier.step() - ticker.nanos();
  }
}
