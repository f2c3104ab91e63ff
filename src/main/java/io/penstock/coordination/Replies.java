package io.penstock.coordination;

/** Replies that all implementations share. */
public final class Replies {
  /** The operation is done; there is no result. */
  public static final Reply DONE = new Reply.Done();

  /** There is no such object. */
  public static final Reply MISSING = new Reply.Missing();

  /** The longest wait has passed. */
  public static final Reply TIMED_OUT = new Reply.TimedOut();

  /** Reply to the release of a permit that is not held. */
  public static final Reply NOT_HELD =
      new Reply.Conflict("nothing is held under that key: it was released, or has expired");

  /** Reply when an event is sent again. */
  public static final Reply SENT = new Reply.Conflict("the event was sent already");

  /** Reply to a client that arrives at a barrier after it has opened. */
  public static final Reply OPENED = new Reply.Conflict("the barrier has opened already");

  /** Reply when the sum of a counter would exceed 64 bits. */
  public static final Reply BEYOND = new Reply.Conflict("the counter would be beyond 64 bits");

  private Replies() {}

  /** Returns the reply to clients that wait at an object when it is removed. */
  public static Reply deleted(Kind kind) {
    return kind == Kind.BARRIER ? DONE : new Reply.Conflict("the " + kind.word() + " was deleted");
  }

  /** Returns the reply when no more clients may wait. */
  public static Reply tooManyWait(Bounds bounds) {
    return new Reply.Full(bounds.waiters() + " clients wait already");
  }

  /** Returns the reply when no more objects may be created. */
  public static Reply tooManyObjects(Bounds bounds) {
    return new Reply.Full(bounds.objects() + " objects are there already");
  }

  /** Returns the reply when no more permits may be held. */
  public static Reply tooManyHeld(long most) {
    return new Reply.Full(most + " places of semaphores are held already");
  }
}
