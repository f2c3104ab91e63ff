package io.penstock.shares;

/**
 * A period in which the store lost nothing.
 *
 * @param number of a later epoch is higher, ≥ 0
 * @param tag a random word, so that two epochs that began apart with the same number differ
 */
public record ShareEpoch(long number, String tag) {
  /** The epoch of an instance that has not heard of any. */
  public static final ShareEpoch NONE = new ShareEpoch(0, "");

  @Override
  public String toString() {
    return number + ":" + tag;
  }

  /** Returns whether this epoch is not the other one, and did not begin before it. */
  public boolean conflicts(ShareEpoch other) {
    return number >= other.number && !equals(other);
  }
}
