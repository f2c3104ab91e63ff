package io.penstock.redis;

import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.BatchOptions;
import org.redisson.api.RBatch;
import org.redisson.api.RScript;
import org.redisson.api.RScriptAsync;
import org.redisson.client.RedisNoScriptException;
import org.redisson.client.RedisRedirectException;
import org.redisson.client.RedisRetryException;
import org.redisson.connection.ConnectionManager;
import org.redisson.connection.MasterSlaveEntry;

/**
 * Connection to Redis. It is made on first use, and again whenever it is lost. Thread-safe; nothing
 * blocks.
 */
public final class RedisLink implements AutoCloseable {
  /** Minimum time between failed attempts at the first connection. */
  private static final long REOPEN_NANOS = 500_000_000L;

  /** Minimum time between two replacements of the connections to a server that is of no use. */
  private static final long REPLACE_NANOS = 1_000_000_000L;

  private static final String NO_CERTIFICATE = "over TLS: it wants a certificate of this client";

  /** These failures all look like a server that does not answer. */
  private static final String NO_TLS = "over TLS: nothing answers, or that port is not encrypted";

  /**
   * Call of a script for the data under one key.
   *
   * @param closing whether the call must come after all others of its master; it is then repeated
   *     after any call that had to be repeated
   */
  public record Call(LuaScript script, String key, List<String> args, boolean closing) {
    public Call {
      args = List.copyOf(args);
    }

    public Call(LuaScript script, String key, List<String> args) {
      this(script, key, args, false);
    }
  }

  /**
   * Result of a call; either {@code content} or {@code trouble} is null.
   *
   * @param content the reply: text, whole numbers, and lists of them
   */
  public record Reply(@Nullable Object content, @Nullable RedisTrouble trouble) {
    /** Returns whether the address may lead to another server by now. */
    boolean isOfOtherServer() {
      return trouble != null
          && switch (trouble.kind()) {
            case READ_ONLY, LOADING, CLUSTER -> true;
            case AWAY, ADDRESS, TLS, SLOW, PAUSED, ACCESS, MEMORY, DISK, BUSY, ODD, VALUE -> false;
          };
    }
  }

  private final RedisAddress address;
  private final @Nullable RedisTrust trust;
  private final int timeoutMillis;
  private final Ticker ticker;
  private final AtomicInteger connections = new AtomicInteger();
  private final Object lock = new Object();
  private @Nullable CompletableFuture<Redisson> client;
  private boolean closed;
  private long reopenAt;
  private long replaceAt;

  /**
   * Whether the server has refused TLS since the last connection because it wants a certificate.
   */
  private volatile boolean wantsCertificate;

  /**
   * Creates a link without connecting.
   *
   * @param trust certificates for checking the server; null for those of the platform
   * @param timeoutMillis for a connection, and for all answers to one set of calls, ≥ 1
   * @throws IllegalArgumentException when the files of {@code trust} cannot be used
   */
  public RedisLink(
      RedisAddress address, @Nullable RedisTrust trust, int timeoutMillis, Ticker ticker) {
    if (timeoutMillis < 1) {
      throw new IllegalArgumentException(
          "timeoutMillis is " + timeoutMillis + ", expected at least 1");
    }
    if (trust != null) {
      RedisClients.check(trust);
    }
    this.address = address;
    this.trust = trust;
    this.timeoutMillis = timeoutMillis;
    this.ticker = ticker;
    this.replaceAt = ticker.nanos();
  }

  /** Returns whether there are many masters, so that one may fail alone. */
  public boolean isCluster() {
    return address.kind() == RedisAddress.Kind.CLUSTER;
  }

  /** Returns the number of connections to servers made so far. */
  public int connections() {
    return connections.get();
  }

  /**
   * Calls scripts: all at once, those of one master in order over one connection, and none twice.
   * Only a call of a script that Redis does not know, because it was restarted, is repeated with
   * the text of the script.
   *
   * @return the results in the order of the calls; fails with {@link RedisTrouble} or a timeout
   *     when there is no connection or not all answers came in time, and then nothing is known of
   *     any call
   */
  public CompletableFuture<List<Reply>> call(List<Call> calls) {
    return whenOpen(open -> new Sending(open, calls).sent());
  }

  /**
   * Calls one script, and fails when the call does.
   *
   * @return the words of its reply
   */
  CompletableFuture<List<String>> ask(LuaScript script, String key, String... args) {
    return call(List.of(new Call(script, key, List.of(args))))
        .thenApply(replies -> words(replies.getFirst()));
  }

  private static List<String> words(Reply reply) {
    if (reply.trouble() != null) {
      throw reply.trouble();
    }
    if (reply.content() instanceof List<?> words) {
      return words.stream().map(String::valueOf).toList();
    }
    throw new RedisTrouble(RedisTrouble.Kind.ODD);
  }

  /**
   * Receives publications of a channel from now on, on one thread, in order.
   *
   * @param subscribed run whenever the subscription begins, also after a lost connection; anything
   *     published in between is never received
   * @return completes once the subscription has begun
   */
  public CompletableFuture<?> listen(
      String channel, Consumer<String> messageListener, Runnable subscribed) {
    return whenOpen(open -> RedisChannel.listen(open, channel, messageListener, subscribed));
  }

  private <T> CompletableFuture<T> whenOpen(Function<Redisson, CompletableFuture<T>> request) {
    CompletableFuture<Redisson> client = client();
    // The connection and the answer have a timeout each; a missing connection is reported as such.
    return client
        .thenCompose(request)
        .orTimeout(timeoutMillis + timeoutMillis / 10L, TimeUnit.MILLISECONDS)
        .exceptionallyCompose(
            failure ->
                CompletableFuture.failedFuture(
                    failure instanceof TimeoutException && !client.isDone() ? away() : failure));
  }

  private void connected() {
    wantsCertificate = false;
    connections.incrementAndGet();
  }

  private RedisTrouble away() {
    String overTls = wantsCertificate ? NO_CERTIFICATE : NO_TLS;
    return new RedisTrouble(RedisTrouble.Kind.AWAY, address.tls() ? overTls : "");
  }

  private CompletableFuture<Redisson> client() {
    synchronized (lock) {
      if (closed) {
        return CompletableFuture.failedFuture(new RedisTrouble(RedisTrouble.Kind.AWAY));
      }
      CompletableFuture<Redisson> known = client;
      if (known == null || (known.isCompletedExceptionally() && ticker.nanos() >= reopenAt)) {
        CompletableFuture<Redisson> next = new CompletableFuture<>();
        client = next;
        // Connecting blocks, so it has a thread of its own meanwhile.
        Thread.ofVirtual().name("penstock-redis").start(() -> connect(next));
        known = next;
      }
      // A copy, so that a caller that gives up does so only for itself.
      return known.copy();
    }
  }

  private void connect(CompletableFuture<Redisson> into) {
    Redisson made;
    try {
      made =
          RedisClients.open(
              address, trust, timeoutMillis, this::connected, () -> wantsCertificate = true);
    } catch (RuntimeException e) {
      synchronized (lock) {
        reopenAt = ticker.nanos() + REOPEN_NANOS;
      }
      RedisTrouble why = RedisDiagnosis.of(e);
      // A late connection tells nothing about how fast Redis answers.
      boolean late = why.kind() == RedisTrouble.Kind.SLOW;
      into.completeExceptionally(late ? away() : why);
      return;
    }
    boolean unwanted;
    synchronized (lock) {
      unwanted = closed;
    }
    if (unwanted) {
      shutDown(made);
      into.completeExceptionally(new RedisTrouble(RedisTrouble.Kind.AWAY));
      return;
    }
    into.complete(made);
  }

  /**
   * Closes the connections of a client, which then makes new ones; its name server is asked anew
   * every few seconds anyway. A server that has become a replica keeps its connections while the
   * address leads to its successor. In a cluster the nodes themselves tell which one is the master.
   */
  private void replaceConnections(Redisson client) {
    synchronized (lock) {
      long now = ticker.nanos();
      if (isCluster() || closed || now < replaceAt) {
        return;
      }
      replaceAt = now + REPLACE_NANOS;
    }
    for (MasterSlaveEntry master : manager(client).getEntrySet()) {
      master.getAllEntries().forEach(RedisClients::closeConnections);
    }
  }

  private static ConnectionManager manager(Redisson client) {
    return client.getCommandExecutor().getConnectionManager();
  }

  @Override
  public void close() {
    CompletableFuture<Redisson> last;
    synchronized (lock) {
      closed = true;
      last = client;
      client = null;
    }
    if (last != null && last.state() == Future.State.SUCCESS) {
      shutDown(last.resultNow());
    }
  }

  private static void shutDown(Redisson client) {
    client.shutdown(0, 2, TimeUnit.SECONDS);
  }

  /** Calls under way. */
  private final class Sending {
    private final Redisson client;
    private final List<Call> calls;
    private final List<CompletableFuture<Object>> answers = new ArrayList<>();

    Sending(Redisson client, List<Call> calls) {
      this.client = client;
      this.calls = calls;
      calls.forEach(call -> answers.add(new CompletableFuture<>()));
    }

    CompletableFuture<List<Reply>> sent() {
      return send(IntStream.range(0, calls.size()).boxed().toList(), false)
          .thenCompose(done -> again())
          .thenApply(done -> answers.stream().map(RedisLink.this::reply).toList())
          .thenApply(
              replies -> {
                if (replies.stream().anyMatch(Reply::isOfOtherServer)) {
                  replaceConnections(client);
                }
                return replies;
              });
    }

    private CompletableFuture<?> again() {
      List<Integer> unknown = new ArrayList<>();
      boolean any = false;
      for (int i = 0; i < answers.size(); i++) {
        boolean missing = failure(answers.get(i)) instanceof RedisNoScriptException;
        any |= missing;
        if (missing || calls.get(i).closing()) {
          unknown.add(i);
        }
      }
      return any ? send(unknown, true) : CompletableFuture.completedFuture(null);
    }

    private CompletableFuture<?> send(List<Integer> some, boolean loading) {
      Map<MasterSlaveEntry, List<Integer>> each = new LinkedHashMap<>();
      ConnectionManager manager = manager(client);
      for (int i : some) {
        MasterSlaveEntry owner = manager.getWriteEntry(manager.calcSlot(calls.get(i).key()));
        if (owner == null) {
          // Redisson would not free a call for a slot that no master has.
          answers.set(i, CompletableFuture.failedFuture(away()));
        } else {
          each.computeIfAbsent(owner, none -> new ArrayList<>()).add(i);
        }
      }
      return CompletableFuture.allOf(
          each.values().stream().map(its -> batch(its, loading)).toArray(CompletableFuture[]::new));
    }

    /** Sends one batch per master, so that a failed batch does not affect other masters. */
    private CompletableFuture<?> batch(List<Integer> some, boolean loading) {
      BatchOptions options =
          BatchOptions.defaults()
              .retryAttempts(0)
              .responseTimeout(timeoutMillis, TimeUnit.MILLISECONDS);
      RBatch batch = client.createBatch(options);
      RScriptAsync scripts = batch.getScript(HeapTextCodec.INSTANCE);
      List<LuaScript> loaded = new ArrayList<>();
      for (int i : some) {
        Call call = calls.get(i);
        boolean load = loading && !loaded.contains(call.script());
        if (load) {
          loaded.add(call.script());
        }
        answers.set(i, made(scripts, call, load));
      }
      return batch
          .executeAsync()
          .toCompletableFuture()
          .handle(
              (done, failed) -> {
                if (failed != null) {
                  some.forEach(i -> answers.get(i).completeExceptionally(unretried(failed)));
                }
                return null;
              });
    }

    /**
     * Returns the error to report. Redisson reports retryable errors only for the whole batch, with
     * other errors among the suppressed ones.
     */
    private static Throwable unretried(Throwable failed) {
      Throwable cause = failed.getCause();
      Throwable first = failed instanceof CompletionException && cause != null ? cause : failed;
      return Stream.concat(Stream.of(first), Stream.of(first.getSuppressed()))
          .filter(
              each -> each instanceof RedisRetryException || each instanceof RedisRedirectException)
          .findFirst()
          .orElse(first);
    }

    private static CompletableFuture<Object> made(RScriptAsync scripts, Call call, boolean load) {
      Object[] args = call.args().toArray();
      List<Object> keys = List.of(call.key());
      return (load
              ? scripts.<Object>evalAsync(
                  RScript.Mode.READ_WRITE,
                  call.script().text(),
                  RScript.ReturnType.LIST,
                  keys,
                  args)
              : scripts.<Object>evalShaAsync(
                  RScript.Mode.READ_WRITE,
                  call.script().sha1(),
                  RScript.ReturnType.LIST,
                  keys,
                  args))
          .toCompletableFuture();
    }
  }

  private Reply reply(CompletableFuture<Object> answer) {
    Throwable failure = failure(answer);
    if (failure == null) {
      return new Reply(answer.resultNow(), null);
    }
    RedisTrouble trouble = RedisDiagnosis.of(failure);
    return isCluster() && trouble.kind() == RedisTrouble.Kind.ADDRESS
        ? new Reply(null, new RedisTrouble(RedisTrouble.Kind.CLUSTER)) // nodes disagree on a slot
        : new Reply(null, trouble);
  }

  private static @Nullable Throwable failure(CompletableFuture<Object> answer) {
    return switch (answer.state()) {
      case SUCCESS -> null;
      case FAILED -> answer.exceptionNow();
      case CANCELLED, RUNNING -> new RedisTrouble(RedisTrouble.Kind.AWAY);
    };
  }
}
