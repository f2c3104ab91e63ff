package io.penstock.gateway.request;

import io.penstock.cost.Cost;
import io.penstock.cost.RecentEntries;
import io.penstock.cost.TokenUsage;
import io.penstock.cost.UsageBound;
import io.penstock.key.ApiCaller;
import io.penstock.quota.CallerAccount;
import io.penstock.tenant.SharedState;
import io.penstock.usage.UsageLedger;
import java.time.LocalDate;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Charges usage that a provider states after the request that it is for was settled: of an answer
 * that is made in the background, when a client asks for it. Each id is charged once, to the key
 * whose request made the answer; the key that asks pays for an id that this instance does not know.
 * Safe from any thread.
 */
public final class LateUsage {
  /** For how long an id is remembered: 24 hours, in nanoseconds. */
  static final long KEPT_NANOS = 86_400_000_000_000L;

  /** Most answers that are remembered of those without usage, and of those with it. */
  static final int MOST_IDS = 100_000;

  /** Longest id that is remembered, in characters. */
  private static final int LONGEST_ID = 256;

  /** Parts of a table, so that forgetting a tenth of one takes little time. */
  private static final int PARTS = 16;

  /**
   * The client that pays for an answer.
   *
   * @param key the name of the key, or {@link UsageLedger#ANONYMOUS}
   * @param group the group of the key, or null
   * @param account the limits of the key; null where no key is needed
   * @param model the model that the request was for, or null
   */
  record Payer(
      String key, @Nullable String group, @Nullable CallerAccount account, @Nullable String model) {
    /** Returns the payer of a request for {@code model}; {@code caller} is null without a key. */
    static Payer of(@Nullable ApiCaller caller, @Nullable String model) {
      return caller == null
          ? new Payer(UsageLedger.ANONYMOUS, null, null, model)
          : new Payer(caller.spec().name(), caller.spec().terms().group(), caller.account(), model);
    }
  }

  /** The charge for an answer, with its day. */
  private record Charged(
      Payer payer, UsageBound bound, TokenUsage usage, LocalDate day, long atNanos) {}

  /** An answer that may be asked for. */
  private static final class Answer {
    private @Nullable Charged charged;
    private boolean settled;

    /** Notes what was charged, unless that is known. */
    synchronized void charged(Charged now) {
      Charged before = charged;
      if (before == null || now.atNanos() - before.atNanos() >= KEPT_NANOS) {
        charged = now;
        settled = false;
      }
    }

    /** Returns what was charged, the first time that it is asked; then null. */
    synchronized @Nullable Charged settle() {
      Charged first = settled ? null : charged;
      settled = true;
      return first;
    }

    synchronized boolean isCurrent(long now) {
      return charged != null && now - charged.atNanos() < KEPT_NANOS;
    }
  }

  /** Answers that have not stated their usage, or did so when they were asked for. */
  @SharedState("answers without usage")
  private final List<RecentEntries<String, Answer>> open = table();

  /** Answers that stated their usage to the request that made them, or are unknown otherwise. */
  @SharedState("answers without usage")
  private final List<RecentEntries<String, Answer>> known = table();

  private final UsageLedger ledger;

  public LateUsage(UsageLedger ledger) {
    this.ledger = ledger;
  }

  private static List<RecentEntries<String, Answer>> table() {
    return IntStream.range(0, PARTS)
        .mapToObj(part -> new RecentEntries<String, Answer>(MOST_IDS / PARTS, Answer::new))
        .toList();
  }

  private static RecentEntries<String, Answer> part(
      List<RecentEntries<String, Answer>> table, String id) {
    return table.get(Math.floorMod(id.hashCode(), PARTS));
  }

  /**
   * Notes an answer that was given, and settled.
   *
   * @param stated whether it stated its usage, so that nothing more is to be charged
   * @param bound what can be believed of a usage that it states later
   * @param usage what was charged
   */
  void answered(
      String id, Payer payer, boolean stated, UsageBound bound, TokenUsage usage, long now) {
    if (id.isEmpty() || id.length() > LONGEST_ID) {
      return;
    }
    Charged charged = new Charged(payer, bound, usage, ledger.today(), now);
    part(stated ? known : open, id).touch(id, payer.key()).charged(charged);
  }

  /**
   * Charges the usage that an answer states when it is asked for, less what was charged before.
   *
   * @param asks who asks for it
   * @param mayBeNew whether it may be an answer that another instance has charged nothing for
   * @param textTokens the tokens of the output text that came
   */
  void stated(
      String id, Payer asks, boolean mayBeNew, TokenUsage usage, long textTokens, long now) {
    if (id.isEmpty() || id.length() > LONGEST_ID) {
      return;
    }
    Answer answer = part(open, id).find(id);
    if (answer == null || !answer.isCurrent(now)) {
      Answer other = part(known, id).find(id);
      if (!mayBeNew || (other != null && other.isCurrent(now))) {
        return;
      }
      answer = part(known, id).touch(id, asks.key());
      answer.charged(new Charged(asks, UsageBound.CONTEXT, TokenUsage.NONE, ledger.today(), now));
    }
    Charged before = answer.settle();
    if (before != null) {
      charge(before, before.bound().within(usage, textTokens), now);
    }
  }

  private void charge(Charged before, TokenUsage usage, long now) {
    Payer payer = before.payer();
    ledger.correct(before.day(), payer.key(), payer.group(), payer.model(), before.usage(), usage);
    long input = Math.max(0, usage.inputTokens() - before.usage().inputTokens());
    long output = Math.max(0, usage.outputTokens() - before.usage().outputTokens());
    if (payer.account() != null && input + output > 0) {
      TokenUsage more =
          new TokenUsage(
              input, Math.min(input, usage.cacheReadTokens()), Math.min(output, Cost.MAX_TOKENS));
      payer.account().chargeLate(payer.model(), more, now);
    }
  }
}
