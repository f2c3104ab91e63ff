package io.penstock.store;

import io.penstock.cost.LimitMeasure;
import io.penstock.limit.LimitSpec;
import io.penstock.model.ModelLimits;
import io.penstock.sharing.LimitId;
import io.penstock.usage.SnapshotStore.Snapshot;
import io.penstock.usage.SnapshotStore.Spent;
import io.penstock.usage.UsageLedger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** A snapshot in the structure of files, which separates the limits of models from all others. */
final class StateRows {
  /**
   * Maximum number of requests in a model's minute that are stored one by one; more are stored as
   * sums, like those of other limits.
   */
  private static final int MOST_REQUESTS = 10_000;

  /** Latest accepted instant, so that additions to it cannot overflow. */
  static final long LATEST = Long.MAX_VALUE / 4 * 3;

  /** The usage of a model. */
  static final class ModelState {
    /** Instants, one for each request. */
    final List<Long> requests = new ArrayList<>();

    final List<Spent> tokens = new ArrayList<>();

    /** Start of the current day; its count is 0 if there is none. */
    long dayStart;

    long dayCount;
  }

  /** A charge of a limit that still counts. */
  record SpendRow(LimitId id, Spent spent) {
    String kind() {
      return id.kind().name().toLowerCase(Locale.ROOT);
    }
  }

  private static final Comparator<SpendRow> ORDER =
      Comparator.comparing(SpendRow::kind)
          .thenComparing(row -> row.id().owner())
          .thenComparing(row -> row.id().counts())
          .thenComparingLong(row -> row.spent().unixNanos());

  final Map<String, ModelLimits> quotas = new TreeMap<>();
  final Map<String, ModelState> models = new TreeMap<>();
  final List<SpendRow> spend = new ArrayList<>();
  final List<UsageLedger.Row> usage = new ArrayList<>();
  private final long minuteNanos;

  StateRows(long minuteNanos) {
    this.minuteNanos = minuteNanos;
  }

  static StateRows of(Snapshot snapshot, long minuteNanos) {
    StateRows rows = new StateRows(minuteNanos);
    rows.quotas.putAll(snapshot.overrides());
    snapshot.spent().forEach(rows::add);
    rows.spend.sort(ORDER);
    rows.usage.addAll(snapshot.usage());
    return rows;
  }

  /** Returns the number of rows. */
  int count() {
    int sum = quotas.size() + spend.size() + usage.size();
    for (ModelState state : models.values()) {
      sum += state.requests.size() + state.tokens.size() + (state.dayCount > 0 ? 1 : 0);
    }
    return sum;
  }

  ModelState model(String name) {
    return models.computeIfAbsent(name, absent -> new ModelState());
  }

  private void add(LimitId id, List<Spent> spent) {
    if (id.equals(requests(id.id())) && sum(spent) <= MOST_REQUESTS) {
      for (Spent each : spent) {
        for (long one = 0; one < each.amount(); one++) {
          model(id.id()).requests.add(each.unixNanos());
        }
      }
    } else if (id.equals(tokens(id.id()))) {
      model(id.id()).tokens.addAll(spent);
    } else if (id.equals(day(id.id())) && spent.size() == 1 && started(spent.getFirst())) {
      model(id.id()).dayStart = spent.getFirst().unixNanos() - LimitSpec.Day.NANOS;
      model(id.id()).dayCount = spent.getFirst().amount();
    } else {
      spent.forEach(each -> spend.add(new SpendRow(id, each)));
    }
  }

  private static boolean started(Spent day) {
    return day.unixNanos() >= LimitSpec.Day.NANOS;
  }

  private static long sum(List<Spent> spent) {
    long sum = 0;
    for (Spent each : spent) {
      sum = Math.min(MOST_REQUESTS + 1L, sum + Math.min(MOST_REQUESTS + 1L, each.amount()));
    }
    return sum;
  }

  private LimitId requests(String model) {
    return new LimitId(LimitId.Kind.MODEL, model, "", LimitMeasure.REQUESTS, minuteNanos);
  }

  private LimitId tokens(String model) {
    return new LimitId(LimitId.Kind.MODEL, model, "", LimitMeasure.TOKENS, minuteNanos);
  }

  private static LimitId day(String model) {
    return new LimitId(LimitId.Kind.MODEL, model, "", LimitMeasure.REQUESTS, LimitSpec.Day.NANOS);
  }

  Snapshot snapshot() {
    Map<LimitId, Map<Long, Long>> sums = new HashMap<>();
    models.forEach(
        (name, state) -> {
          state.requests.forEach(at -> add(sums, requests(name), new Spent(at, 1)));
          state.tokens.forEach(spent -> add(sums, tokens(name), spent));
          if (state.dayCount > 0) {
            long end = Math.addExact(state.dayStart, LimitSpec.Day.NANOS);
            add(sums, day(name), new Spent(end, state.dayCount));
          }
        });
    spend.forEach(row -> add(sums, row.id(), row.spent()));
    Map<LimitId, List<Spent>> spent = new HashMap<>();
    sums.forEach((id, cells) -> spent.put(id, list(cells)));
    return new Snapshot(quotas, spent, usage.stream().sorted().toList());
  }

  private static void add(Map<LimitId, Map<Long, Long>> sums, LimitId id, Spent spent) {
    sums.computeIfAbsent(id, absent -> new TreeMap<>())
        .merge(
            spent.unixNanos(),
            spent.amount(),
            (a, b) -> a > Long.MAX_VALUE - b ? Long.MAX_VALUE : a + b);
  }

  private static List<Spent> list(Map<Long, Long> cells) {
    return cells.entrySet().stream()
        .map(cell -> new Spent(cell.getKey(), cell.getValue()))
        .toList();
  }
}
