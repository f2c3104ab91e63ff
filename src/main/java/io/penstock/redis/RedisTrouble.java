package io.penstock.redis;

/** Failure of a request to Redis. The message contains no password, key or value. */
public final class RedisTrouble extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Kinds of failures. All except {@link #VALUE} concern everything that is shared. */
  public enum Kind {
    /** There is no connection. */
    AWAY("Redis cannot be reached"),
    /** There is a server, but it is not such a one as the address says. */
    ADDRESS("the address of Redis does not fit the server"),
    /** There is a server, but no encrypted connection to it: it or this instance is not trusted. */
    TLS("there is no encrypted connection to Redis"),
    /** There is a connection, but no answer in time. */
    SLOW("Redis does not answer in time"),
    /** Redis has failed too often and is not asked for some seconds. */
    PAUSED("Redis failed too often and is not asked for some seconds"),
    /** Redis requires another user, another password or more rights. */
    ACCESS("Redis refuses the user, the password or a command of theirs"),
    /** The server is a replica. */
    READ_ONLY("Redis is read-only"),
    /** Redis is out of memory. */
    MEMORY("Redis is out of memory"),
    /** Redis cannot save its data and therefore accepts no writes. */
    DISK("Redis cannot save and takes no writes"),
    /** Redis has just started. */
    LOADING("Redis is still loading its data"),
    /** The nodes of the cluster disagree about slots, or one is away. */
    CLUSTER("the cluster of Redis is not in order"),
    /** A script of some client runs too long. */
    BUSY("Redis is busy with a script"),
    /** Redis gives an answer that it never should. */
    ODD("Redis answers in a way that is not known"),
    /** A key contains a foreign value. */
    VALUE("a key in Redis holds something else than what belongs there");

    private final String says;

    Kind(String says) {
      this.says = says;
    }

    String says() {
      return says;
    }
  }

  /** Kind of the failure. */
  private final Kind kind;

  public RedisTrouble(Kind kind) {
    this(kind, "");
  }

  /**
   * Creates a failure.
   *
   * @param detail more about it, or empty
   */
  public RedisTrouble(Kind kind, String detail) {
    // Without a stack trace: while Redis is away, each round creates a failure.
    super(detail.isEmpty() ? kind.says() : kind.says() + " (" + detail + ")", null, false, false);
    this.kind = kind;
  }

  /** Returns the kind of the failure. */
  public Kind kind() {
    return kind;
  }
}
