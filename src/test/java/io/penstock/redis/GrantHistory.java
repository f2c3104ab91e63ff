package io.penstock.redis;

import io.penstock.cost.LimitMeasure;
import io.penstock.limit.CellAmount;
import io.penstock.limit.CellPartition;
import io.penstock.limit.ExactRate;
import io.penstock.limit.LimitSpec;
import io.penstock.limit.slice.KindChangeover;
import io.penstock.limit.slice.SliceLedger;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.SliceStore;
import io.penstock.time.ZoneMidnights;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;

/**
 * Random history of one limit. Its members have uneven demands and different capacities, and their
 * rounds are lost, repeated and late, while time runs across cells and sometimes back. Each step is
 * a call of the script, and the answer of the Java arithmetic.
 */
final class GrantHistory {
  static final long TTL = 2_000_000;
  private static final long HOUR = 3_600_000_000_000L;
  private static final int KINDS = 8;
  private static final long START = 1_700_000_000_000_000L;

  /**
   * One call.
   *
   * @param call of the script
   * @param ask from which the call is made
   * @param answer clock, capacity, birth, cells and amounts, amount left and until when
   * @param changed whether the member has the kind that a reload gives to the limit
   */
  record Step(GrantScript.Call call, SliceStore.Ask ask, List<Long> answer, boolean changed) {}

  private static final class Member {
    private final String name;
    private final double eagerness;
    private final TreeMap<Long, Long> own = new TreeMap<>();
    private long number;
    private long born = SliceStore.Ask.NONE;
    private int kind;
    private LimitSpec spec;

    Member(String name, int kind, LimitSpec spec, double eagerness) {
      this.name = name;
      this.kind = kind;
      this.spec = spec;
      this.eagerness = eagerness;
    }
  }

  private record Sent(Member member, long number, SliceStore.Ask ask, boolean changed) {}

  private final Random random;
  private final LimitId id;
  private final List<Member> members = new ArrayList<>();
  private final List<Sent> sent = new ArrayList<>();
  private final List<Step> steps = new ArrayList<>();
  private final int kind;

  /** Kind that a reload gives to the limit, and back; in most histories the same kind. */
  private final int otherKind;

  private final int window;
  private final long capacity;
  private final long pace;
  private final KindChangeover shares;
  private long now;

  GrantHistory(long seed) {
    random = new Random(seed);
    id = new LimitId(LimitId.Kind.UPSTREAM, "h" + seed, "m", LimitMeasure.TOKENS, 60_000_000_000L);
    kind = random.nextInt(7);
    otherKind = random.nextInt(3) == 0 ? random.nextInt(KINDS) : kind;
    capacity = random.nextInt(20) == 0 ? random.nextLong(1L << 44) + 1 : random.nextInt(200) + 1;
    window = 1 + random.nextInt(20);
    now = START + random.nextLong(86_400_000_000L);
    boolean days = kind == 3 || kind == 4;
    boolean quick = !days || (kind != otherKind && random.nextBoolean());
    pace = quick ? random.nextInt(4) * 500_000L + 200_000 : 20_000_000_000L;
    int count = 2 + random.nextInt(9);
    for (int i = 0; i < count; i++) {
      double eagerness = i == 0 ? 1 : random.nextDouble();
      members.add(new Member("m " + i, kind, spec(kind), eagerness));
    }
    shares = new KindChangeover(id.durationNanos() / 1_000);
  }

  private LimitSpec spec(int kind) {
    long own = random.nextInt(4) == 0 ? Math.max(1, capacity * 3 / 4) : capacity;
    long guard = random.nextInt(3) * (kind == 3 || kind == 4 ? HOUR : 50_000_000L);
    // sometimes a member is configured with another window
    long nanos = (random.nextInt(60) == 0 ? window + 1 : window) * 1_000_000_000L;
    return switch (kind) {
      case 0 -> new LimitSpec.FixedWindow(own, nanos);
      case 1 -> new LimitSpec.TrailingWindow(own, 10 * nanos / 3, guard, 1);
      case 2 -> new LimitSpec.Concurrency(own);
      case 3 -> new LimitSpec.Day(own, midnight(), guard);
      case 4 -> new LimitSpec.Day(own, null, guard);
      case 5 -> new LimitSpec.TokenBucket(rate(), Math.min(own, 1L << 20));
      case 7 -> new LimitSpec.Day(own, new ZoneMidnights(ZoneOffset.UTC, () -> 0), guard);
      default -> new LimitSpec.Strict(random.nextInt(3) == 0 ? fast() : rate(), 0);
    };
  }

  private ZoneMidnights midnight() {
    return new ZoneMidnights(ZoneId.of("America/Los_Angeles"), () -> 0, ZoneMidnights.Each.DAY);
  }

  private ExactRate fast() {
    return new ExactRate(random.nextInt(5) == 0 ? 1_000_000_000 : 1 + random.nextInt(3_000), 1);
  }

  private ExactRate rate() {
    return random.nextInt(10) == 0
        ? new ExactRate(123_456_789, 1_000_000_000)
        : new ExactRate(1 + random.nextInt(50), 1 + random.nextInt(20));
  }

  /** Plays the given number of rounds. */
  List<Step> play(int rounds) {
    for (int i = 0; i < rounds; i++) {
      now += (long) (random.nextDouble() * random.nextDouble() * pace * 2);
      if (random.nextInt(40) == 0) {
        now += random.nextInt(3) == 0 ? -random.nextLong(3_000_000) : 3 * pace;
      }
      if (otherKind != kind && random.nextInt(20) == 0) {
        now += 1_100_000_000; // members with the old kind are no longer waited for
      }
      Sent next = next();
      boolean arrives = random.nextInt(12) != 0;
      if (arrives) {
        play(next);
      }
      if (random.nextInt(12) == 0) {
        play(sent.get(random.nextInt(sent.size()))); // repeated, late, or both
      }
    }
    return steps;
  }

  private Sent next() {
    Member member = members.get(random.nextInt(members.size()));
    while (random.nextDouble() > member.eagerness) {
      member = members.get(random.nextInt(members.size()));
    }
    if (otherKind != kind && random.nextInt(10) == 0) {
      member.kind = member.kind == kind ? otherKind : kind;
      member.spec = spec(member.kind);
      member.own.clear();
    }
    member.number++;
    Sent made = new Sent(member, member.number, ask(member), member.kind != kind);
    sent.add(made);
    return made;
  }

  private SliceStore.Ask ask(Member member) {
    Long out = member.own.get(CellPartition.OUT);
    if (out != null) {
      long used = random.nextLong(out + 1);
      long minute = now / CellPartition.of(member.spec).cellMicros();
      member.own.put(CellPartition.OUT, out - used);
      member.own.merge(minute, used, Long::sum);
    }
    if (member.kind == 4 && random.nextInt(40) == 0) { // it knows when its day began
      member.own.merge(now - random.nextLong(30 * HOUR / 1_000), 1 + random.nextLong(9), Long::sum);
    }
    while (member.own.size() > 70) {
      member.own.pollFirstEntry();
    }
    List<Long> cells = new ArrayList<>(member.own.keySet());
    long from = cells.isEmpty() ? 0 : cells.get(random.nextInt(cells.size()));
    List<CellAmount> uses = new ArrayList<>();
    member
        .own
        .tailMap(from, true)
        .replaceAll((cell, amount) -> random.nextInt(3) == 0 ? spent(amount) : amount);
    member.own.tailMap(from, true).forEach((cell, sum) -> uses.add(new CellAmount(cell, sum)));
    long much = Math.max(1, Math.min(capacity, 1L << 45));
    long head = random.nextInt(3) == 0 ? random.nextLong(much) + 1 : 0;
    long wanted = random.nextInt(3) == 0 ? 0 : (long) (random.nextDouble() * much * 1.2);
    boolean bars = random.nextInt(60) == 0 && !cells.isEmpty();
    long barred =
        bars && cells.getLast() < CellPartition.OUT ? cells.getLast() : SliceStore.Ask.NONE;
    long born = random.nextInt(100) == 0 ? now - 1 : member.born;
    return new SliceStore.Ask(id, member.spec, from, uses, head, wanted, barred, born);
  }

  /** Returns a smaller amount, or sometimes a larger one, as when usage exceeds the estimate. */
  private long spent(long amount) {
    return random.nextInt(8) == 0 ? amount + random.nextInt(20) : random.nextLong(amount + 1);
  }

  private void play(Sent round) {
    SliceStore.Ask ask = round.ask();
    List<CellAmount> uses = ask.uses();
    SliceLedger.Report report =
        new SliceLedger.Report(
            round.member().name,
            round.number(),
            ask.from(),
            uses,
            ask.lackedAtOnce(),
            ask.wanted(),
            ask.barred(),
            ask.born());
    steps.add(new Step(call(round), ask, answer(round, report), round.changed()));
  }

  private GrantScript.Call call(Sent round) {
    return GrantScript.call(
            round.member().name, round.number(), round.ask(), TTL * 1_000, now * 1_000)
        .at(now);
  }

  private List<Long> answer(Sent round, SliceLedger.Report report) {
    CellPartition at = CellPartition.of(round.ask().spec());
    SliceLedger.Granted granted = shares.round(report, at, now, TTL);
    if (granted.born() == SliceLedger.NONE) {
      return List.of(now);
    }
    List<Long> answer = new ArrayList<>(List.of(now, granted.capacity(), granted.born()));
    boolean lost = random.nextInt(10) == 0;
    round.member().born = lost ? round.member().born : granted.born();
    for (CellAmount part : granted.parts()) {
      answer.add(part.cell());
      answer.add(part.amount());
      if (!lost) {
        round.member().own.merge(part.cell(), part.amount(), Long::sum);
      }
    }
    if (granted.barred() != SliceLedger.NONE) {
      answer.addAll(List.of(SliceLedger.NONE, granted.barred()));
    }
    answer.add(granted.left().amount());
    answer.add(granted.left().fullMicros());
    return answer;
  }
}
