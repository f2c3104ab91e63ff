package io.penstock.coordination;

/** What is answered alike by all who keep objects. */
public final class Replies {
  /** It is done; there is nothing to say. */
  public static final Reply DONE = new Reply.Done();

  /** There is no such object. */
  public static final Reply MISSING = new Reply.Missing();

  /** It waited for as long as it may. */
  public static final Reply TIMED_OUT = new Reply.TimedOut();

  /** To the release of what nobody holds. */
  public static final Reply NOT_HELD =
      new Reply.Conflict("nothing is held under that key: it was released, or has expired");

  /** To an event that is sent twice. */
  public static final Reply SENT = new Reply.Conflict("the event was sent already");

  /** To who comes to a barrier after all have gone. */
  public static final Reply OPENED = new Reply.Conflict("the barrier has opened already");

  /** To what a counter cannot hold. */
  public static final Reply BEYOND = new Reply.Conflict("the counter would be beyond 64 bits");

  private Replies() {}

  /** Returns what those are told who wait at an object that is removed. */
  public static Reply deleted(Kind kind) {
    return kind == Kind.BARRIER ? DONE : new Reply.Conflict("the " + kind.word() + " was deleted");
  }

  /** Returns the answer when no more may wait. */
  public static Reply tooManyWait(Bounds bounds) {
    return new Reply.Full(bounds.waiters() + " clients wait already");
  }

  /** Returns the answer when there may be no more objects. */
  public static Reply tooManyObjects(Bounds bounds) {
    return new Reply.Full(bounds.objects() + " objects are there already");
  }

  /** Returns the answer when no more places may be held. */
  public static Reply tooManyHeld(long most) {
    return new Reply.Full(most + " places of semaphores are held already");
  }
}
