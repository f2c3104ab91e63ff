package io.penstock.shares;

import io.penstock.shares.ShareStore.Life;
import java.util.List;
import java.util.Map;

/**
 * State of the sharing of limits at one store, as one instance knows it. All times are relative to
 * the instant at which it was asked for.
 *
 * @param member the name of the instance
 * @param epoch number and tag of the epoch, as they stand in the store
 * @param uncertain see {@link ShareStore.BeatAnswer#uncertain}
 * @param members all instances, this one first
 */
public record ShareFigures(
    String member,
    String epoch,
    boolean uncertain,
    Contact contact,
    List<Member> members,
    Limits limits) {
  /** Returns how many stopped instances have shares that still count. */
  public long stopped() {
    return members.stream().filter(each -> each.countsNanos() > 0).count();
  }

  /**
   * Contact with the store.
   *
   * @param wasHeard whether it was ever heard
   * @param settled see {@link ShareStore.BeatAnswer#settled}
   * @param listed see {@link ShareStore.BeatAnswer#listed}
   * @param silentNanos since when no message was answered, or since the beginning if none was
   * @param cutOff whether none was answered for a lease
   * @param living how many instances live, this one included
   */
  public record Contact(
      boolean wasHeard,
      boolean settled,
      boolean listed,
      long silentNanos,
      boolean cutOff,
      long living) {
    /** Returns whether the instance may be given shares. */
    public boolean isReady() {
      return settled && listed;
    }
  }

  /**
   * An instance.
   *
   * @param number that of its last beat
   * @param countsNanos for how long at most shares count that it held when it stopped, as far as is
   *     known here; 0 while it lives
   */
  public record Member(String name, long number, Life life, long countsNanos) {}

  /**
   * Numbers of limits.
   *
   * @param shared all limits
   * @param holding those of which this instance has a share
   * @param waiting those at which it waits for a larger one
   */
  public record Limits(int shared, int holding, int waiting) {}

  /**
   * Figures of one limit.
   *
   * @param share of this instance
   * @param target what it should shrink to while others wait
   * @param free what no instance had
   * @param capacity the least that any living instance stated
   * @param ageNanos since when free, target, capacity and shares of the dead may have changed
   * @param ofDead the shares that count of instances which stopped, by name
   */
  public record OfLimit(
      long share, long target, long free, long capacity, long ageNanos, Map<String, Long> ofDead) {}
}
