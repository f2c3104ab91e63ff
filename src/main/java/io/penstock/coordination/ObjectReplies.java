package io.penstock.coordination;

/** Replies that all implementations share. */
public final class ObjectReplies {
  /** The operation is done; there is no result. */
  public static final ObjectReply DONE = new ObjectReply.Done();

  /** There is no such object. */
  public static final ObjectReply MISSING = new ObjectReply.Missing();

  /** The longest wait has passed. */
  public static final ObjectReply TIMED_OUT = new ObjectReply.TimedOut();

  /** Reply to the release of a permit that is not held. */
  public static final ObjectReply NOT_HELD =
      new ObjectReply.Conflict("nothing is held under that key: it was released, or has expired");

  /** Reply when an event is sent again. */
  public static final ObjectReply SENT = new ObjectReply.Conflict("the event was sent already");

  /** Reply to a client that arrives at a barrier after it has opened. */
  public static final ObjectReply OPENED =
      new ObjectReply.Conflict("the barrier has opened already");

  /** Reply when the sum of a counter would exceed 64 bits. */
  public static final ObjectReply BEYOND =
      new ObjectReply.Conflict("the counter would be beyond 64 bits");

  private ObjectReplies() {}

  /** Returns the reply to clients that wait at an object when it is removed. */
  public static ObjectReply deleted(ObjectKind kind) {
    return kind == ObjectKind.BARRIER
        ? DONE
        : new ObjectReply.Conflict("the " + kind.word() + " was deleted");
  }

  /** Returns the reply when no more clients may wait. */
  public static ObjectReply tooManyWait(ObjectBounds bounds) {
    return new ObjectReply.Full(bounds.waiters() + " clients wait already");
  }

  /** Returns the reply when no more objects may be created. */
  public static ObjectReply tooManyObjects(ObjectBounds bounds) {
    return new ObjectReply.Full(bounds.objects() + " objects are there already");
  }

  /** Returns the reply when no more permits may be held. */
  public static ObjectReply tooManyHeld(long most) {
    return new ObjectReply.Full(most + " places of semaphores are held already");
  }
}
