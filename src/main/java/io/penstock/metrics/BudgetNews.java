package io.penstock.metrics;

import io.penstock.cost.TokenUsage;
import io.penstock.event.Event;
import io.penstock.event.EventSink;
import io.penstock.key.KeyRegistry;
import io.penstock.key.KeySpec;
import io.penstock.limit.LimitBalance;
import io.penstock.quota.LimitUse;
import io.penstock.refusal.RefusalReason;
import io.penstock.tenant.SharedState;
import io.penstock.time.Ticker;
import io.penstock.usage.UsageSink;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Tells that a budget of a key or group is used to 80 and to 100 percent, each once in its day or
 * month. All usage is passed on to another sink. Safe from any thread.
 *
 * <p>Tokens that running requests keep do not count as used. A budget that was given back is told
 * again.
 */
public final class BudgetNews implements UsageSink {
  private static final int NEARLY = 80;
  private static final int WHOLE = 100;

  private final EventSink events;
  private final KeyRegistry keys;
  private final Ticker ticker;
  private final UsageSink next;

  /**
   * The news that was told of a budget.
   *
   * @param percent the higher of the percentages
   * @param untilNanos when its day or month ends
   */
  private record Told(int percent, long untilNanos) {}

  /** By owner and size of the budget; those that are less used are not here. */
  @SharedState("accounts of keys")
  private final Map<String, Told> told = new ConcurrentHashMap<>();

  /** Creates an object that has told nothing. */
  public BudgetNews(EventSink events, KeyRegistry keys, Ticker ticker, UsageSink next) {
    this.events = events;
    this.keys = keys;
    this.ticker = ticker;
    this.next = next;
  }

  @Override
  public void add(
      @Nullable String key, @Nullable String group, @Nullable String model, TokenUsage used) {
    next.add(key, group, model, used);
    KeySpec spec = key == null ? null : keys.find(key);
    if (spec == null || (group == null && !keys.hasBudget(spec.name()))) {
      return;
    }
    long now = ticker.nanos();
    int known = told.size();
    for (LimitUse use : keys.uses(spec, now)) {
      RefusalReason reason = use.metered().reason();
      if (reason == RefusalReason.KEY_BUDGET || reason == RefusalReason.GROUP_BUDGET) {
        told.compute(
            use.owner() + ": " + use.metered().words(), (budget, before) -> tell(use, before, now));
      }
    }
    if (told.size() > known) {
      told.values().removeIf(each -> now >= each.untilNanos()); // keys may be gone by then
    }
  }

  private @Nullable Told tell(LimitUse use, @Nullable Told before, long now) {
    long used = used(use, now);
    double percent = 100.0 * used / Math.max(1, use.size());
    int reached = percent >= WHOLE ? WHOLE : percent >= NEARLY ? NEARLY : 0;
    Told known = before == null || isOver(before, use, now) ? null : before;
    if (reached <= (known == null ? 0 : known.percent())) {
      return known;
    }
    events.publish(
        new Event.BudgetUsed(now, use.owner(), use.metered().words(), reached, used, use.size()));
    return new Told(reached, use.wholeAtNanos());
  }

  private static long used(LimitUse use, long now) {
    LimitBalance balance = use.metered().limit().balance(now);
    return isShared(use) ? use.used() - balance.reserved() : balance.charged() + balance.debt();
  }

  /** Returns whether the period of earlier news has ended, or an operator began it anew. */
  private static boolean isOver(Told before, LimitUse use, long now) {
    return isShared(use)
        ? now >= before.untilNanos() // the end moves a little with what others tell
        : before.untilNanos() != use.wholeAtNanos();
  }

  private static boolean isShared(LimitUse use) {
    return use.metered().limit().sharing().isShared();
  }
}
