package io.penstock.redis;

import io.penstock.time.StepAlarm;
import io.penstock.time.Ticker;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A random secret that all instances of a namespace have in common: the first of them notes it in
 * Redis. Each looks from time to time, so that they agree again after Redis was away, or has lost
 * its data. Thread-safe; nothing blocks.
 */
public final class SharedSecret {
  /** Time between two looks. */
  static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final int BYTES = 32;
  private static final String FIELD = "secret";

  private final String key;
  private final Consumer<String> learner;
  private CompletableFuture<?> last = CompletableFuture.completedFuture(null);
  private String known;

  /**
   * Creates a secret that is not shared yet.
   *
   * @param name the name of what it is for
   * @param learner is told the secret whenever it becomes another one
   */
  public SharedSecret(String namespace, String name, Consumer<String> learner) {
    this.key = namespace + ":" + name;
    this.learner = learner;
    byte[] random = new byte[BYTES];
    new SecureRandom().nextBytes(random);
    this.known = HexFormat.of().formatHex(random);
    learner.accept(known);
  }

  /**
   * Looks now, and again from time to time.
   *
   * @param alarm used for nothing else
   */
  public void follow(RedisLink link, StepAlarm alarm, Ticker ticker) {
    look(link);
    alarm.at(ticker.nanos() + LOOK_NANOS, () -> follow(link, alarm, ticker));
  }

  /** Looks once; the result completes when this is done, whether or not Redis answered. */
  synchronized CompletionStage<?> look(RedisLink link) {
    if (last.isDone()) {
      // failures of Redis are logged elsewhere
      last =
          RedisFormat.first(link, key, FIELD, known)
              .thenAccept(this::learn)
              .exceptionally(failure -> null)
              .toCompletableFuture();
    }
    return last;
  }

  private synchronized void learn(String secret) {
    if (!secret.equals(known)) {
      known = secret;
      learner.accept(secret);
    }
  }
}
