package io.penstock.settings;

import io.penstock.coordination.ObjectBounds;
import io.penstock.gateway.body.BodySettings;
import io.penstock.sharing.OutagePolicy;
import io.penstock.sharing.SharingMode;
import jakarta.validation.Valid;
import jakarta.validation.constraints.DecimalMax;
import jakarta.validation.constraints.DecimalMin;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Pattern;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.hibernate.validator.constraints.Range;
import org.hibernate.validator.constraints.time.DurationMin;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * All settings of the program, which are the properties below {@code penstock}. The compiler makes
 * a description of each setting from the comments of the records in here, which editors and the
 * page about settings show. The message of a constraint says which values are accepted, as in
 * "expected {@code …}".
 */
public record PenstockSettings(
    Clients clients,
    Running running,
    Limits limits,
    Stores stores,
    Coordination coordination,
    Redis redis,
    RedisAccess redisAccess) {
  private static final String ABOVE_ZERO = "a duration above 0 such as 500ms, 30s or 10m";
  private static final String PART = "a number above 0 and up to 1";
  private static final String SHARE = "a number from 0 to 1";
  private static final String MILLION = "a whole number from 0 to 1000000";
  private static final int HEAP_PART = 4;
  private static final long LEAST_OBJECT_BYTES = 1L << 20;

  /**
   * Rights and bounds of clients.
   *
   * @param allowedHosts A gateway without keys serves requests for these host names, such as {@code
   *     llm.example,*.team.example}; {@code *} means any. The names of the loopback and the address
   *     on which the gateway listens are always among them. A request for another {@code Host} is
   *     refused with 421 {@code foreign_host}, because a web page can make a name of its own lead
   *     to 127.0.0.1. Without this setting, a gateway that listens on the loopback serves only the
   *     loopback names, and one that listens on another address serves any host and warns about it.
   * @param allowedOrigins Web pages of these origins may use the gateway and read its answers
   *     (CORS), such as {@code https://app.example.com,http://localhost:3000}; {@code *} means any.
   *     Without keys, requests of other pages are refused with 403 {@code foreign_origin}; with
   *     keys they are served, but get no CORS headers. The gateway answers preflights itself and
   *     never forwards them.
   * @param body The settings of request bodies.
   * @param bodyTimeout A client may pause this long within the body of a request before it is
   *     refused with 408 {@code body_timeout}; its rate is measured over the same time.
   * @param maxBufferedBytes All bodies that are being read, waiting or kept take at most this much
   *     memory together, such as {@code 64MB}. Without this setting it is a quarter of the heap.
   * @param websockets The settings of WebSockets.
   * @param writeTimeout A client may take nothing of its answer for this long, although more of it
   *     is there; then it is cut off, so that its request gives back its place.
   */
  @ConfigurationProperties("penstock")
  public record Clients(
      @DefaultValue List<String> allowedHosts,
      @DefaultValue List<String> allowedOrigins,
      @DefaultValue @Valid Body body,
      @DefaultValue("60s") @DurationMin(nanos = 1, message = ABOVE_ZERO) Duration bodyTimeout,
      @Nullable DataSize maxBufferedBytes,
      @DefaultValue @Valid Websockets websockets,
      @DefaultValue("60s") @DurationMin(nanos = 1, message = ABOVE_ZERO) Duration writeTimeout) {
    /**
     * Returns the terms for request bodies.
     *
     * @throws IllegalArgumentException when one of them is invalid
     */
    public BodySettings bodies() {
      return new BodySettings(
          maxBufferedBytes == null
              ? Runtime.getRuntime().maxMemory() / HEAP_PART
              : maxBufferedBytes.toBytes(),
          body.tenantShare(),
          bodyTimeout,
          body.minBytesPerSecond(),
          body.deadline());
    }
  }

  /**
   * Start, run and stop of the program.
   *
   * @param drainPause For this first part of {@code penstock.drain-timeout} new requests are still
   *     served, and clients are told to come back on another connection.
   * @param drainTimeout Waiting requests are still served for this long after SIGTERM or SIGINT.
   * @param log The settings of the log.
   * @param operator The settings of the operator port.
   * @param streamDrainTimeout Answers may still run for this long after SIGTERM or SIGINT.
   * @param warmUp Before it listens, the program sends itself requests for at most two seconds,
   *     unless this is {@code false}, so that its code is loaded when the first client comes.
   */
  @ConfigurationProperties("penstock")
  public record Running(
      @DefaultValue("0s") Duration drainPause,
      @DefaultValue("30s") Duration drainTimeout,
      @DefaultValue @Valid Log log,
      @DefaultValue @Valid Operator operator,
      @DefaultValue("600s") Duration streamDrainTimeout,
      @DefaultValue("true") boolean warmUp) {}

  /**
   * Keys and quotas.
   *
   * @param keys The settings of API keys.
   * @param quotas The settings of the quotas of models.
   * @param unlimitedTpm A tpm of an upstream counts as no limit from this many tokens on, because
   *     nobody can reach it.
   */
  @ConfigurationProperties("penstock")
  public record Limits(
      @DefaultValue @Valid Keys keys,
      @DefaultValue @Valid Quotas quotas,
      @DefaultValue("1000000000") @Min(value = 0, message = "a whole number from 0 on")
          long unlimitedTpm) {}

  /**
   * Data that is kept over restarts, or shared between instances or regions.
   *
   * @param database The settings of the SQL database.
   * @param prefix The settings of the fingerprints of prompts.
   * @param region The settings of sharing between regions.
   * @param state The settings of the state that is kept over restarts.
   * @param usage The settings of the statistics of usage.
   * @param workspace Regions share limits with those regions that have the same workspace.
   */
  @ConfigurationProperties("penstock")
  public record Stores(
      @DefaultValue @Valid Database database,
      @DefaultValue Prefix prefix,
      @DefaultValue @Valid Region region,
      @DefaultValue @Valid State state,
      @DefaultValue @Valid Usage usage,
      @DefaultValue("default") String workspace) {}

  /**
   * Request bodies.
   *
   * @param deadline A client may take this long to send one body that is read into memory.
   * @param minBytesPerSecond A client must send a body at least at this average rate, measured over
   *     each {@code penstock.body-timeout}; 0 means that any rate is accepted.
   * @param tenantShare One key, or without keys one client address, may hold this part of {@code
   *     penstock.max-buffered-bytes}, above 0 and up to 1; 1 means that there is no bound.
   */
  public record Body(
      @DefaultValue("10m") @DurationMin(nanos = 1, message = ABOVE_ZERO) Duration deadline,
      @DefaultValue("1024") @Min(value = 0, message = "a whole number from 0 on")
          long minBytesPerSecond,
      @DefaultValue("0.25")
          @DecimalMin(value = "0", inclusive = false, message = PART)
          @DecimalMax(value = "1", message = PART)
          double tenantShare) {}

  /**
   * The coordination API.
   *
   * @param enabled The gateway port serves the coordination API if this is {@code true}.
   * @param maxBytes All objects together take at most this much memory, here or in Redis.
   * @param maxObjects At most this many objects exist at the same time.
   * @param maxWaiters At most this many calls wait at objects at the same time.
   * @param redis The Redis of the coordination API, if it is another one than that of limits.
   * @param tenantShare One key, or without keys one client address, may have this part of {@code
   *     penstock.coordination.max-objects}, of {@code .max-bytes} and of {@code .max-waiters},
   *     above 0 and up to 1; 1 means that one key may have them all.
   */
  @ConfigurationProperties("penstock.coordination")
  public record Coordination(
      @DefaultValue("false") boolean enabled,
      @DefaultValue("64MB") DataSize maxBytes,
      @DefaultValue("100000")
          @Range(min = 1, max = 1_000_000, message = "a whole number from 1 to 1000000")
          long maxObjects,
      @DefaultValue("10000") @Range(min = 0, max = 1_000_000, message = MILLION) long maxWaiters,
      @DefaultValue CoordinationRedis redis,
      @DefaultValue("0.25")
          @DecimalMin(value = "0", inclusive = false, message = PART)
          @DecimalMax(value = "1", message = PART)
          double tenantShare) {
    /**
     * Checks the memory of objects.
     *
     * @throws IllegalArgumentException when it is too little
     */
    void checkBytes() {
      if (maxBytes.toBytes() < LEAST_OBJECT_BYTES) {
        throw new IllegalArgumentException(
            "penstock.coordination.max-bytes is "
                + maxBytes
                + ", expected at least 1MB, such as 64MB");
      }
    }

    /** Returns the bounds on objects and waiting calls. */
    public ObjectBounds bounds() {
      ObjectBounds standard = ObjectBounds.DEFAULT;
      return new ObjectBounds(
          maxWaiters,
          maxObjects,
          maxBytes.toBytes(),
          tenantShare,
          standard.holds(),
          standard.idleNanos());
    }
  }

  /**
   * The Redis of the coordination API.
   *
   * @param password This is the password of the user at {@code penstock.coordination.redis.url}.
   *     Without this setting it is that of the URL.
   * @param url Instances share the objects of the coordination API through the Redis at this
   *     address, in the same form as {@code penstock.redis.url}. Then objects cannot take memory
   *     from the Redis of limits. Without this setting it is {@code penstock.redis.url}.
   * @param user The gateway logs in as this user at {@code penstock.coordination.redis.url}.
   *     Without this setting it is the user of the URL.
   */
  public record CoordinationRedis(
      @Nullable SecretText password, @Nullable SecretText url, @Nullable String user) {}

  /**
   * The SQL database.
   *
   * @param migrate The gateway creates and changes the tables of regions at its start, unless this
   *     is {@code false}.
   * @param migrationUser This database user creates and changes the tables. Without this setting it
   *     is the user of the URL.
   * @param migrationPassword This is the password of the user that creates and changes the tables.
   * @param url Regions share limits through this database, which can also store keys: {@code
   *     r2dbc:mariadb://USER:PASSWORD@HOST:PORT/DATABASE} or {@code r2dbc:mysql:…}.
   */
  public record Database(
      @DefaultValue("true") boolean migrate,
      @Nullable String migrationUser,
      @Nullable SecretText migrationPassword,
      @Nullable SecretText url) {}

  /**
   * API keys.
   *
   * @param required Requests without a valid key are refused with 401 if this is {@code true}.
   *     Without this setting they are refused as soon as there is a key or a store of keys. Set it
   *     to {@code false} to serve everybody on an address other than the loopback.
   * @param store Keys that operators create are stored here: {@code file:PATH}, or {@code sql} for
   *     {@code penstock.database.url}. Without this setting keys stand only in route files.
   */
  public record Keys(
      @Nullable Boolean required,
      @Pattern(regexp = "sql|file:.+", message = "file:PATH or sql") @Nullable String store) {
    /** Returns whether each request needs a key, even while there are none. */
    public boolean demanded() {
      return Boolean.TRUE.equals(required);
    }
  }

  /**
   * The log.
   *
   * @param access This share of finished requests, from 0 to 1, gets a line in the log.
   * @param format The lines of the log are {@code plain} text for people, or {@code json} for
   *     programs.
   */
  public record Log(
      @DefaultValue("0") @Range(min = 0, max = 1, message = SHARE) double access,
      @DefaultValue("plain") Format format) {
    /** Format of the lines. */
    public enum Format {
      /** For people. */
      PLAIN,
      /** For programs: each line is one JSON object. */
      JSON
    }
  }

  /**
   * The operator port.
   *
   * @param token Everything on the operator port but health requires this token, as {@code
   *     Authorization: Bearer TOKEN}. On an address other than the loopback one must be set.
   * @param tokens Tokens of single operators by their names: {@code penstock.operator.tokens.NAME}.
   *     Each may do all that {@code token} may, and its name stands in the record of actions.
   */
  public record Operator(@Nullable SecretText token, @DefaultValue Map<String, SecretText> tokens) {
    /** Returns whether the operator port requires a token. */
    public boolean guarded() {
      return token != null || !tokens.isEmpty();
    }
  }

  /**
   * Fingerprints of prompts.
   *
   * @param secret Beginnings of prompts are told apart by hashes with this secret, the same for all
   *     instances, such as that of {@code openssl rand -hex 24}. Without this setting it is one
   *     that the first instance writes into Redis, or a random one for an instance alone.
   */
  public record Prefix(@Nullable SecretText secret) {}

  /**
   * Quotas of models.
   *
   * @param reservationTimeout A reservation of the decisions API is forgotten when it is not
   *     settled for this long.
   */
  public record Quotas(@DefaultValue("10m") Duration reservationTimeout) {}

  /**
   * Sharing between instances.
   *
   * @param namespace All keys in Redis begin with this namespace, and instances share limits within
   *     one namespace. Without this setting it is the first variable of {@code
   *     penstock.redis.namespace-from} that is set, else the environment variable {@code
   *     PENSTOCK_ENVIRONMENT}, else {@code default}.
   * @param namespaceFrom The namespace may be taken from these environment variables of other
   *     products, such as {@code REDIS_NAMESPACE,ENSEMBLE_ENVIRONMENT}; the first that is set
   *     counts. If one of these two is set, and neither this setting nor {@code
   *     penstock.redis.namespace} is, the gateway does not start.
   * @param onOutage This decides what happens at exact limits once Redis has not answered for
   *     {@code penstock.redis.lease}: {@code continue} lets each instance go on with its shares,
   *     {@code park} lets requests wait, {@code allow} lets everything pass, and {@code refuse}
   *     refuses everything.
   * @param unknownInOutage An instance may have no share of a limit when Redis goes. With {@code
   *     divide} it takes the limit divided by the number of instances; with {@code wait} requests
   *     wait until Redis is back. It matters with {@code continue}.
   * @param startWithoutRedis An instance that has not heard Redis since its start is not ready with
   *     {@code wait}. With {@code serve} it is, and applies exact limits as if it were alone.
   * @param sharing Limits without a {@code sharing} of their own are shared in this way.
   * @param lease An instance that Redis has not heard for this long counts as dead, from 400 ms to
   *     60 s.
   * @param syncInterval An instance tells Redis what it counted of eventual limits in rounds that
   *     are this far apart, from 20 ms to 10 s.
   */
  @ConfigurationProperties("penstock.redis")
  public record Redis(
      @Nullable String namespace,
      @DefaultValue List<String> namespaceFrom,
      @DefaultValue("continue") OutagePolicy onOutage,
      @DefaultValue("divide") UnknownInOutage unknownInOutage,
      @DefaultValue("wait") StartWithoutRedis startWithoutRedis,
      @DefaultValue("exact") SharingMode sharing,
      @DefaultValue("12s") Duration lease,
      @DefaultValue("100ms") Duration syncInterval) {}

  /** Part of a limit that an instance without a share of it uses while Redis is away. */
  public enum UnknownInOutage {
    /** An equal part. */
    DIVIDE,
    /** None. */
    WAIT
  }

  /** Behaviour of an instance that has not heard Redis since its start. */
  public enum StartWithoutRedis {
    /** It is not ready. */
    WAIT,
    /** It serves as if it were alone. */
    SERVE
  }

  /**
   * The way to the Redis of sharing.
   *
   * @param password This is the password of the Redis user. Without this setting it is that of the
   *     URL.
   * @param tls The certificates for connections to Redis.
   * @param url Instances share limits through the Redis at this address: {@code
   *     redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE]}, {@code redis-sentinel://HOST,HOST#MASTER}
   *     or {@code redis-cluster://HOST,HOST}, with {@code rediss} for TLS. Without this setting the
   *     instance is alone.
   * @param user The gateway logs in to Redis as this user. Without this setting it is the user of
   *     the URL.
   */
  @ConfigurationProperties("penstock.redis")
  public record RedisAccess(
      @Nullable SecretText password,
      @DefaultValue Tls tls,
      @Nullable SecretText url,
      @Nullable String user) {
    /**
     * Certificates for connections to Redis.
     *
     * @param ca The certificate of Redis must be signed by one in this PEM file. Without this
     *     setting it must be signed by one that the platform trusts.
     * @param cert The gateway shows Redis the certificate in this PEM file.
     * @param key The key of the certificate in {@code penstock.redis.tls.cert} is in this PEM file.
     */
    public record Tls(@Nullable String ca, @Nullable String cert, @Nullable String key) {}
  }

  /**
   * Sharing between regions.
   *
   * @param name This is the name of the region, the same for all its instances and different from
   *     that of each other region. With it, limits of keys and groups are shared with other
   *     regions.
   * @param share The counts of a cell are published to other regions once this share of a limit,
   *     from 0 to 1, is used.
   */
  public record Region(
      @Nullable String name,
      @DefaultValue("0.05") @Range(min = 0, max = 1, message = SHARE) double share) {}

  /**
   * State that is kept over restarts.
   *
   * @param file Spending, quotas set by operators and usage are kept in this file, as YAML, or as
   *     SQLite if its name ends in {@code .db}. Without this setting nothing survives a restart.
   * @param interval The file is saved once in this time, which is at least {@code 100ms}.
   */
  public record State(
      @Nullable String file,
      @DefaultValue("10s") @DurationMin(millis = 100, message = "a duration of at least 100ms")
          Duration interval) {}

  /**
   * Statistics of usage.
   *
   * @param rowsPerDay This many rows of usage are kept for each day; everything beyond is counted
   *     as {@code other}.
   */
  public record Usage(
      @DefaultValue("2000")
          @Range(
              min = 0,
              max = Integer.MAX_VALUE,
              message = "a whole number from 0 to " + Integer.MAX_VALUE)
          int rowsPerDay) {}

  /**
   * WebSockets.
   *
   * @param idleTimeout A WebSocket is closed when nothing has passed for this long, in neither
   *     direction.
   * @param maxOpen At most this many WebSockets are open at the same time; more are refused with
   *     429 {@code too_many_websockets}.
   * @param tenantShare One key, or without keys one client address, may have this part of them
   *     open, above 0 and up to 1; 1 means that there is no bound.
   */
  public record Websockets(
      @DefaultValue("10m") @DurationMin(nanos = 1, message = ABOVE_ZERO) Duration idleTimeout,
      @DefaultValue("1000")
          @Range(min = 1, max = 1_000_000, message = "a whole number from 1 to 1000000")
          int maxOpen,
      @DefaultValue("0.25")
          @DecimalMin(value = "0", inclusive = false, message = PART)
          @DecimalMax(value = "1", message = PART)
          double tenantShare) {}
}
