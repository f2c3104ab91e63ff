package io.penstock.sync;

/** Redis did not do what it was asked to. The message has no password, key or value in it. */
public final class RedisTrouble extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** What is wrong. All but {@link #VALUE} concern everything that is shared. */
  public enum Kind {
    /** There is no connection. */
    AWAY("Redis cannot be reached"),
    /** There is a server, but no encrypted connection to it: it or this instance is not trusted. */
    TLS("there is no encrypted connection to Redis"),
    /** There is a connection, and no answer in time. */
    SLOW("Redis does not answer in time"),
    /** It has failed too often: it is not asked for some seconds. */
    PAUSED("Redis failed too often and is not asked for some seconds"),
    /** It wants another user, another password or more rights. */
    ACCESS("Redis refuses the user, the password or a command of theirs"),
    /** It is a replica. */
    READ_ONLY("Redis is read-only"),
    /** It has no memory left. */
    MEMORY("Redis is out of memory"),
    /** It writes nothing because it cannot save. */
    DISK("Redis cannot save and takes no writes"),
    /** It has just started. */
    LOADING("Redis is still loading its data"),
    /** Its nodes do not agree who has what, or one is away. */
    CLUSTER("the cluster of Redis is not in order"),
    /** A script of somebody runs too long. */
    BUSY("Redis is busy with a script"),
    /** It answers what it never should. */
    ODD("Redis answers in a way that is not known"),
    /** One key holds something else than what belongs there. */
    VALUE("a key in Redis holds something else than what belongs there");

    private final String says;

    Kind(String says) {
      this.says = says;
    }

    String says() {
      return says;
    }
  }

  /** What is wrong. */
  private final Kind kind;

  RedisTrouble(Kind kind) {
    this(kind, "");
  }

  /**
   * Something is wrong.
   *
   * @param detail more about it, or empty
   */
  RedisTrouble(Kind kind, String detail) {
    // no stack trace: one is made for each round while Redis is away
    super(detail.isEmpty() ? kind.says() : kind.says() + " (" + detail + ")", null, false, false);
    this.kind = kind;
  }

  /** Returns what is wrong. */
  public Kind kind() {
    return kind;
  }
}
