package io.penstock.model;

import io.penstock.cost.Cost;
import io.penstock.cost.TokenUsage;
import io.penstock.quota.Charge;
import io.penstock.quota.Quota;
import io.penstock.tenant.SharedState;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reservations of quotas for requests that other programs send themselves, until they report the
 * real usage. A reservation that is not settled in time is forgotten: its request may have been
 * sent, so its charges stay. Safe from any thread.
 */
public final class QuotaReservations {
  /** Most reservations at once. */
  public static final int MOST = 10_000;

  private static final int ID_BYTES = 16;

  /** Result of {@link #reserve}. */
  public sealed interface Answer {}

  /**
   * The reservation was made.
   *
   * @param id the id to settle or release it by; cannot be guessed
   * @param expiresNanos the instant at which it is forgotten
   */
  public record Made(String id, long expiresNanos, ModelDecision decision) implements Answer {}

  /** There is no room; nothing was taken. */
  public record Denied(ModelDecision decision) implements Answer {}

  /** There are {@link #MOST} reservations already; nothing was taken. */
  public record TooMany() implements Answer {}

  /**
   * A reservation that was settled or released.
   *
   * @param model the model as the client named it
   * @param reservedTokens the tokens that were taken
   */
  public record Ended(String model, long reservedTokens) {}

  private record Reservation(
      String model, long tokens, @Nullable Quota quota, List<Charge> charges, long expiresNanos) {}

  private final ModelQuotas models;
  private final DecisionService decisionService;
  private final long timeoutNanos;
  private final SecureRandom random = new SecureRandom();

  @SharedState("reservations")
  private final LinkedHashMap<String, Reservation> oldestFirst = new LinkedHashMap<>();

  /**
   * Creates an empty set.
   *
   * @param timeoutNanos for how long a reservation may be settled after it was made, &gt; 0
   */
  public QuotaReservations(ModelQuotas models, DecisionService decisionService, long timeoutNanos) {
    if (timeoutNanos <= 0) {
      throw new IllegalArgumentException(
          "timeoutNanos is " + timeoutNanos + ", expected more than 0");
    }
    this.models = models;
    this.decisionService = decisionService;
    this.timeoutNanos = timeoutNanos;
  }

  /** Takes one request of {@code tokens} tokens from the quota of a model now, or nothing. */
  public synchronized Answer reserve(String model, long tokens, long now) {
    forgetExpired(now);
    if (oldestFirst.size() >= MOST) {
      return new TooMany();
    }
    List<Charge> charges = new ArrayList<>();
    while (true) {
      ModelDecision modelDecision = decisionService.decide(model, tokens, now);
      if (!modelDecision.allowed()) {
        return new Denied(modelDecision);
      }
      ModelNames.Known known = models.known(model);
      Quota quota = known == null ? null : models.quota(known, now);
      // Traffic may have taken the room since the decision; then the loop decides again.
      boolean anyway =
          modelDecision.code()
              == ModelDecision.Code.UNLIMITED; // counted as far as possible, but never denied
      if (quota == null || quota.take(Cost.ofInput(tokens), now, charges) || anyway) {
        long expires = now + timeoutNanos;
        String id = newId();
        oldestFirst.put(id, new Reservation(model, tokens, quota, charges, expires));
        return new Made(id, expires, decisionService.decide(model, 0, now));
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
   * Replaces the reserved tokens by those that were used; returns null when there is no such
   * reservation.
   *
   * @param tokens input and output together, 0 to {@link Cost#MAX_TOKENS}
   */
  public @Nullable Ended settle(String id, long tokens, long now) {
    Reservation ended = remove(id, now);
    if (ended == null) {
      return null;
    }
    // All as input: separate output would be charged after unused input was returned, and other
    // requests could take the room in between.
    TokenUsage tokenUsage = new TokenUsage(tokens, 0, 0);
    ended.charges().forEach(charge -> charge.settle(tokenUsage, 0, now));
    return woken(ended);
  }

  /**
   * Undoes a reservation of a request that was never sent; returns null when there is no such
   * reservation.
   */
  public @Nullable Ended release(String id, long now) {
    Reservation ended = remove(id, now);
    if (ended == null) {
      return null;
    }
    ended.charges().forEach(charge -> charge.giveBack(now));
    return woken(ended);
  }

  private static Ended woken(Reservation ended) {
    if (ended.quota() != null) {
      ended.quota().waitList().wake();
    }
    return new Ended(ended.model(), ended.tokens());
  }

  /** Returns the number of open reservations. */
  public synchronized int size() {
    return oldestFirst.size();
  }
}
