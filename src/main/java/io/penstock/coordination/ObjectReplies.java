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

  /** Reply to what needs more memory while Redis has none. */
  public static final ObjectReply OUT_OF_MEMORY =
      new ObjectReply.Unavailable(
          "Redis is out of memory, so no object can be created or grow; those that exist can be"
              + " used and deleted");

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

  /** Returns the reply when no more clients of one tenant may wait. */
  public static ObjectReply tooManyOwnWait(ObjectBounds bounds) {
    return new ObjectReply.Full(
        bounds.ownWaiters()
            + " clients of yours wait already, which is the share of one key or address"
            + " (penstock.coordination.tenant-share)");
  }

  /** Returns the reply when no more objects may be created. */
  public static ObjectReply tooManyObjects(ObjectBounds bounds) {
    return new ObjectReply.Full(bounds.objects() + " objects are there already");
  }

  /** Returns the reply when a tenant may create no more objects. */
  public static ObjectReply tooManyOwnObjects(ObjectBounds bounds) {
    return new ObjectReply.Full(share(bounds.ownObjects() + " objects of yours are there already"));
  }

  /** Returns the reply when the objects may take no more memory. */
  public static ObjectReply tooManyBytes(ObjectBounds bounds) {
    return new ObjectReply.Full(
        "the objects would take more than their "
            + bounds.bytes()
            + " bytes (penstock.coordination.max-bytes); delete some, or wait until they expire");
  }

  /** Returns the reply when the objects of one tenant may take no more memory. */
  public static ObjectReply tooManyOwnBytes(ObjectBounds bounds) {
    return new ObjectReply.Full(
        share("your objects would take more than " + bounds.ownBytes() + " bytes"));
  }

  private static String share(String what) {
    return what
        + ", which is the share of one key or address (penstock.coordination.tenant-share); delete"
        + " objects, or wait until they expire";
  }

  /** Returns the reply when no more permits may be held. */
  public static ObjectReply tooManyHeld(long most) {
    return new ObjectReply.Full(most + " places of semaphores are held already");
  }
}
