package io.penstock.quota;

import io.penstock.cost.Cost;
import io.penstock.cost.Usage;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What was taken of quotas for requests that others send, until they say what those used. One that
 * nobody settles in time is forgotten: its request may have been sent, so what was taken stays
 * taken. Safe from any thread.
 */
public final class Reservations {
  /** How many there may be at once. */
  public static final int MOST = 10_000;

  private static final int ID_BYTES = 16;

  /** What came of asking for one. */
  public sealed interface Answer {}

  /**
   * It was made.
   *
   * @param id to settle or release it by; cannot be guessed
   * @param expiresNanos the instant from which it is forgotten
   */
  public record Made(String id, long expiresNanos, Decision decision) implements Answer {}

  /** There is no room; nothing was taken. */
  public record Denied(Decision decision) implements Answer {}

  /** There are {@link #MOST} already; nothing was taken. */
  public record TooMany() implements Answer {}

  /**
   * What was settled or released.
   *
   * @param model as it was asked for
   * @param reservedTokens what was taken
   */
  public record Ended(String model, long reservedTokens) {}

  private record Reservation(
      String model, long tokens, @Nullable Quota quota, List<Spend> spends, long expiresNanos) {}

  private final ModelQuotas models;
  private final Decisions decisions;
  private final long timeoutNanos;
  private final SecureRandom random = new SecureRandom();
  private final LinkedHashMap<String, Reservation> oldestFirst = new LinkedHashMap<>();

  /**
   * Makes an empty set.
   *
   * @param timeoutNanos how long after it was made one may be settled, &gt; 0
   */
  public Reservations(ModelQuotas models, Decisions decisions, long timeoutNanos) {
    if (timeoutNanos <= 0) {
      throw new IllegalArgumentException(
          "timeoutNanos is " + timeoutNanos + ", expected more than 0");
    }
    this.models = models;
    this.decisions = decisions;
    this.timeoutNanos = timeoutNanos;
  }

  /** Takes one request of so many tokens from a model's quota now, or nothing. */
  public synchronized Answer reserve(String model, long tokens, long now) {
    forgetExpired(now);
    if (oldestFirst.size() >= MOST) {
      return new TooMany();
    }
    List<Spend> spends = new ArrayList<>();
    while (true) {
      Decision decision = decisions.decide(model, tokens, now);
      if (!decision.allowed()) {
        return new Denied(decision);
      }
      ModelNames.Known known = models.known(model);
      Quota quota = known == null ? null : models.quota(known, now);
      // Traffic may have taken what was seen; then it is looked at anew.
      boolean anyway = decision.code() == Decision.Code.UNLIMITED; // counted as far as that goes
      if (quota == null || quota.take(Cost.ofInput(tokens), now, spends) || anyway) {
        long expires = now + timeoutNanos;
        String id = newId();
        oldestFirst.put(id, new Reservation(model, tokens, quota, spends, expires));
        return new Made(id, expires, decisions.decide(model, 0, now));
      }
    }
  }

  private String newId() {
    byte[] bytes = new byte[ID_BYTES];
    random.nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  private void forgetExpired(long now) {
    Iterator<Reservation> oldest = oldestFirst.values().iterator();
    while (oldest.hasNext() && oldest.next().expiresNanos() <= now) {
      oldest.remove();
    }
  }

  private synchronized @Nullable Reservation remove(String id, long now) {
    forgetExpired(now);
    return oldestFirst.remove(id);
  }

  /**
   * Replaces what was taken by what was used; null when there is no such reservation.
   *
   * @param tokens of input and output together, 0 to {@link Cost#MAX_TOKENS}
   */
  public @Nullable Ended settle(String id, long tokens, long now) {
    Reservation ended = remove(id, now);
    if (ended == null) {
      return null;
    }
    // All in one piece: output apart would be charged after the input was given back, and between
    // the two others could take what it needs.
    Usage usage = new Usage(tokens, 0, 0);
    ended.spends().forEach(spend -> spend.settle(usage, 0, now));
    return woken(ended);
  }

  /** Returns what was taken, for a request that was never sent; null when there is none. */
  public @Nullable Ended release(String id, long now) {
    Reservation ended = remove(id, now);
    if (ended == null) {
      return null;
    }
    ended.spends().forEach(spend -> spend.giveBack(now));
    return woken(ended);
  }

  private static Ended woken(Reservation ended) {
    if (ended.quota() != null) {
      ended.quota().line().wake();
    }
    return new Ended(ended.model(), ended.tokens());
  }

  /** Returns how many wait to be settled. */
  public synchronized int size() {
    return oldestFirst.size();
  }
}
