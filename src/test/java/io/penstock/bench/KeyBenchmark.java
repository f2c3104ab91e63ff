package io.penstock.bench;

import io.penstock.key.ApiCaller;
import io.penstock.key.KeyRegistry;
import io.penstock.key.KeySecrets;
import io.penstock.key.KeySpec;
import io.penstock.key.KeyTerms;
import io.penstock.sharing.LocalLimitSource;
import java.nio.charset.StandardCharsets;
import java.security.DigestException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures the cost of finding the caller among many keys, compared with that of the required
 * digest alone.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@State(Scope.Thread)
public class KeyBenchmark {
  /** Number of keys. */
  static final int KEYS = 100_000;

  /** Number of keys in use, drawn at random. */
  private static final int CALLERS = 1 << 13;

  private final KeyRegistry keyRegistry = new KeyRegistry(new LocalLimitSource(), 60_000_000_000L);
  private final String[] secrets = new String[CALLERS];
  private final byte[] hash = new byte[32];
  private final MessageDigest digest = digest();
  private int at;

  /** Creates the keys. */
  @Setup
  public void make() {
    List<KeySpec> all = new ArrayList<>();
    List<String> known = new ArrayList<>();
    for (int key = 0; key < KEYS; key++) {
      known.add(KeySecrets.make());
      all.add(key(key, known.getLast()));
    }
    keyRegistry.stored(all, 0);
    SplittableRandom random = new SplittableRandom(1);
    for (int caller = 0; caller < CALLERS; caller++) {
      // A copy, like one from a request: in another place than when the key was created.
      secrets[caller] = new String(known.get(random.nextInt(KEYS)).toCharArray());
    }
  }

  private static MessageDigest digest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("every Java has SHA-256", impossible);
    }
  }

  static KeySpec key(int number, String secret) {
    return new KeySpec(
        "customer-" + number,
        List.of(new KeySpec.Secret(KeySecrets.sha256(secret), KeySpec.NEVER)),
        KeyTerms.PLAIN);
  }

  private String next() {
    at = at + 1 & CALLERS - 1;
    return secrets[at];
  }

  /** Computes only the digest, in the same way. */
  @Benchmark
  public byte[] sha256() throws DigestException {
    digest.update(next().getBytes(StandardCharsets.UTF_8));
    digest.digest(hash, 0, hash.length);
    return hash;
  }

  /** Does all the work for a request. */
  @Benchmark
  public @Nullable ApiCaller caller() {
    return keyRegistry.caller(next(), 0);
  }
}
