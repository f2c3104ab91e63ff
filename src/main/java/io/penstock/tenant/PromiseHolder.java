package io.penstock.tenant;

import java.util.Collection;

/**
 * A client that is told when to come back: a sender, or one of its sessions. It has one promise at
 * a time, so that a client which repeats a refused request all the time moves nobody's time away.
 *
 * @param sender equal for all requests of one sender: its key, or without keys its address
 * @param session the session that it names; empty for none
 */
public record PromiseHolder(Object sender, String session) {
  /** How many sessions of a sender have promises of their own. */
  public static final int MOST_SESSIONS = 16;

  /**
   * Returns the client that has the promise: this one, or all further sessions of the sender
   * together where {@value #MOST_SESSIONS} have promises.
   */
  public PromiseHolder among(Collection<PromiseHolder> present) {
    if (session.isEmpty() || present.contains(this)) {
      return this;
    }
    long sessions = present.stream().filter(each -> each.sender().equals(sender)).count();
    return sessions < MOST_SESSIONS ? this : new PromiseHolder(sender, "");
  }
}
