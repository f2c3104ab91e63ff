package io.penstock.shares;

import io.penstock.limit.ShareNews;

/** A limit of this instance that spends a share of a limit of all. Safe from any thread. */
public interface ShareUser {
  /**
   * Lowers the share to {@code most}, and returns what was spent and is waited for: the share may
   * then be less than what was spent. It never raises the share. In a later day than that of the
   * share, it lowers what was to be spent then.
   */
  ShareUse shrink(long most, long now);

  /** Returns what was spent and is waited for at {@code now}. */
  ShareUse use(long now);

  /** Returns the share at {@code now}, whether or not it is spent. */
  long share(long now);

  /**
   * Lets the limit spend a share from now on.
   *
   * @param share in the running window, or in the day {@code cell}
   * @param later in a later day
   * @param cell see {@link ShareUse#cell}: the day of all instances, also if it has not begun at
   *     this one, or began later
   */
  void hold(long share, long later, ShareUse.Cell cell, long now);

  /**
   * Takes in what the store answered.
   *
   * @param free what no instance had
   */
  default void heard(long free, long now) {}

  /**
   * Takes in another contact with the store.
   *
   * @param members how many instances shared limits at the last contact, this one included; 0 if
   *     there was none
   */
  default void contact(ShareNews.Contact contact, long members, long now) {}

  /** Looks at once whether waiting requests can go, because something else has changed. */
  void wake();
}
