package io.penstock.quota;

import io.penstock.cost.Cost;
import io.penstock.refusal.Refusal;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * What one caller may spend: the quotas of its key, and of the group the key is in. Those who wait
 * do so at the same account only if it is the same object, which it stays when its terms change.
 * Safe from any thread.
 */
public final class Account {
  /** What came of a charge at arrival. */
  public sealed interface Charged {}

  /** All that was asked for was taken. */
  public record Taken(List<Spend> spends) implements Charged {}

  /** Nothing was taken. */
  public record Denied(Refusal refusal) implements Charged {}

  private final String name;
  private final BiFunction<@Nullable String, Long, List<Quota>> quotas;
  private volatile boolean waits;

  /**
   * Makes an account.
   *
   * @param name whose it is, for people
   * @param waits as {@link #waits}
   * @param quotas those of a model at an instant, in the order in which they are checked
   */
  public Account(
      String name, boolean waits, BiFunction<@Nullable String, Long, List<Quota>> quotas) {
    this.name = name;
    this.waits = waits;
    this.quotas = quotas;
  }

  /** Returns whose it is. */
  public String name() {
    return name;
  }

  /**
   * Returns whether requests wait for what they lack and are charged at release; otherwise they are
   * refused or charged, once, at arrival.
   */
  public boolean waits() {
    return waits;
  }

  /** Changes what {@link #waits} says, for who comes from now on. */
  public void waits(boolean waits) {
    this.waits = waits;
  }

  /** Returns the quotas that a request for {@code model} faces: those of the key come first. */
  public List<Quota> quotas(@Nullable String model, long now) {
    return quotas.apply(model, now);
  }

  /** Takes {@code cost} from all quotas at once, or says which of them denies it. */
  public Charged charge(@Nullable String model, Cost cost, long now) {
    List<Spend> spends = new ArrayList<>();
    for (Quota quota : quotas(model, now)) {
      if (!quota.take(cost, now, spends)) {
        spends.forEach(spend -> spend.giveBack(now));
        return new Denied(quota.denial(cost, now));
      }
    }
    return new Taken(spends);
  }

  @Override
  public String toString() {
    return "Account[" + name + "]";
  }
}
