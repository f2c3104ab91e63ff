package io.penstock.coordination;

/**
 * Service with named objects, such as semaphores and barriers, through which other programs
 * coordinate. An object is created by the first operation on it. Clients that wait for an object
 * are served in order of arrival. Safe from any thread; no method blocks.
 */
public interface CoordinationService extends AutoCloseable {
  /** Wait without a time limit. */
  long FOR_EVER = -1;

  /** Name of the tenant of callers that are not told apart. */
  String ANYONE = "anyone";

  /** Requests an operation of a caller that is not told apart from others. */
  default ClientTurn call(String name, ObjectOperation objectOperation, long maxWaitNanos) {
    return call(ANYONE, name, objectOperation, maxWaitNanos);
  }

  /**
   * Requests an operation on an object, which is done as soon as possible.
   *
   * @param tenant tells apart who has a share of the bounds of its own: not empty
   * @param name the name of the object, unique within its kind
   * @param maxWaitNanos the time after which the answer is {@link ObjectReply.TimedOut}: 0 to never
   *     wait, {@link #FOR_EVER} to wait without a limit; at most {@link ObjectOperation#MOST_NANOS}
   * @return the turn; the client {@linkplain ClientTurn#take takes} it once it has the answer
   */
  ClientTurn call(String tenant, String name, ObjectOperation objectOperation, long maxWaitNanos);

  /** Returns whether operations are possible now, as far as is known. */
  boolean ready();

  /** Returns the number of clients that wait at this instance. */
  long waiting();

  /** Returns the number of objects, as far as is known. */
  long objects();

  /** Returns the bytes of all objects, as far as is known; see {@link ObjectFootprint}. */
  long bytes();

  /** Ends the waits of all clients that wait at this instance now, with {@code answer}. */
  void dismiss(ObjectReply answer);

  @Override
  void close();
}
