package io.penstock.redis;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.NodeType;
import org.redisson.client.RedisConnection;
import org.redisson.config.BaseConfig;
import org.redisson.config.BaseMasterSlaveServersConfig;
import org.redisson.config.ClusterServersConfig;
import org.redisson.config.Config;
import org.redisson.config.EqualJitterDelay;
import org.redisson.config.ReadMode;
import org.redisson.config.SentinelServersConfig;
import org.redisson.config.SingleServerConfig;
import org.redisson.connection.ClientConnectionsEntry;
import org.redisson.connection.ConnectionListener;

/**
 * Creates Redis clients. They are small, because they only do background work, and never retry,
 * because a round must not be sent twice without the knowledge of its sender.
 */
final class RedisClients {
  /**
   * A connection without an answer for this long, or as long as answers may take, is closed and
   * replaced.
   */
  private static final int PING_MILLIS = 1_000;

  private static final int CONNECTIONS = 2;

  /** A thread for callbacks ends after this long without any. */
  private static final int IDLE_SECONDS = 10;

  private static final Duration FIRST_RETRY = Duration.ofMillis(50);
  private static final Duration LAST_RETRY = Duration.ofMillis(500);

  private RedisClients() {}

  /**
   * Connects; blocks until the connection is made.
   *
   * @param timeoutMillis for a connection, and for an answer
   * @param connected run whenever a server is newly connected
   * @param wanted run whenever a server refuses TLS because it wants a certificate
   */
  static Redisson open(
      RedisAddress address,
      @Nullable RedisTrust trust,
      int timeoutMillis,
      Runnable connected,
      Runnable wanted) {
    Config config = new Config();
    config.setExecutor(callbackExecutor());
    config.setNettyThreads(1);
    config.setUseScriptCache(false);
    config.setReferenceEnabled(false);
    config.setConnectionListener(new Connected(connected));
    config.setNettyHook(new TlsAlerts(wanted));
    if (address.user() != null) {
      config.setUsername(address.user());
    }
    if (address.password() != null) {
      config.setPassword(address.password());
    }
    if (trust != null) {
      secure(config, trust);
    }
    base(servers(config, address), timeoutMillis);
    return (Redisson) Redisson.create(config);
  }

  /**
   * Returns the executor of a client's callbacks. Redisson stops the executors that it makes itself
   * as soon as a client is shut down or could not connect, and a connection that is made a moment
   * later is then reported as an error of the event loop. This one is never stopped: its only
   * thread ends by itself when it has nothing to do.
   */
  private static ExecutorService callbackExecutor() {
    ThreadPoolExecutor executor =
        new ThreadPoolExecutor(
            1,
            1,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            Thread.ofPlatform().daemon().name("redisson-callbacks-", 0).factory());
    executor.allowCoreThreadTimeOut(true);
    return executor;
  }

  /**
   * Checks that the files for TLS can be read.
   *
   * @throws IllegalArgumentException when they cannot
   */
  static void check(RedisTrust trust) {
    secure(new Config(), trust);
  }

  private static void secure(Config config, RedisTrust trust) {
    if (trust.ca() != null) {
      config.setSslTrustManagerFactory(TlsMaterial.trusting(trust.ca()));
    }
    if (trust.certificate() != null && trust.key() != null) {
      config.setSslKeyManagerFactory(TlsMaterial.showing(trust.certificate(), trust.key()));
    }
  }

  private static String[] urls(RedisAddress address) {
    String scheme = address.tls() ? "rediss://" : "redis://";
    return address.nodes().stream().map(node -> scheme + node).toArray(String[]::new);
  }

  private static BaseConfig<?> servers(Config config, RedisAddress address) {
    return switch (address.kind()) {
      case SINGLE -> single(config.useSingleServer(), address);
      case SENTINEL -> sentinel(config.useSentinelServers(), address);
      case CLUSTER -> cluster(config.useClusterServers(), address);
    };
  }

  private static SingleServerConfig single(SingleServerConfig single, RedisAddress address) {
    return single
        .setAddress(urls(address)[0])
        .setDatabase(address.database())
        .setConnectionPoolSize(CONNECTIONS)
        .setConnectionMinimumIdleSize(1)
        .setSubscriptionConnectionPoolSize(1)
        .setSubscriptionConnectionMinimumIdleSize(0);
  }

  private static SentinelServersConfig sentinel(
      SentinelServersConfig sentinel, RedisAddress address) {
    sentinel
        .setMasterName(address.master())
        .setDatabase(address.database())
        .setCheckSentinelsList(false)
        .addSentinelAddress(urls(address));
    return pooled(sentinel);
  }

  private static ClusterServersConfig cluster(ClusterServersConfig cluster, RedisAddress address) {
    // only the data of an absent master is missed, even at the start
    cluster.setScanInterval(1_000).setCheckSlotsCoverage(false).addNodeAddress(urls(address));
    return pooled(cluster);
  }

  private static <T extends BaseMasterSlaveServersConfig<T>> T pooled(T servers) {
    servers.setReadMode(ReadMode.MASTER);
    servers.setMasterConnectionPoolSize(CONNECTIONS);
    servers.setMasterConnectionMinimumIdleSize(1);
    servers.setSlaveConnectionPoolSize(1);
    servers.setSlaveConnectionMinimumIdleSize(0);
    servers.setSubscriptionConnectionPoolSize(1);
    servers.setSubscriptionConnectionMinimumIdleSize(0);
    return servers;
  }

  private static void base(BaseConfig<?> servers, int timeoutMillis) {
    servers.setRetryAttempts(0);
    servers.setConnectTimeout(timeoutMillis);
    servers.setTimeout(timeoutMillis);
    // Redisson loses answers that are still under way when it pings
    servers.setPingConnectionInterval(Math.max(PING_MILLIS, timeoutMillis));
    servers.setReconnectionDelay(new EqualJitterDelay(FIRST_RETRY, LAST_RETRY));
  }

  /** Closes the connections to a server; Redisson replaces them. */
  static void closeConnections(ClientConnectionsEntry server) {
    server.getConnectionsHolder().getAllConnections().forEach(RedisClients::close);
    server.getPubSubConnectionsHolder().getAllConnections().forEach(RedisClients::close);
  }

  private static void close(RedisConnection connection) {
    var _ = connection.getChannel().close(); // Redisson does not replace what it closes itself
  }

  /** Listener for new connections; a lost one shows in the next round. */
  private record Connected(Runnable then) implements ConnectionListener {
    @Override
    public void onConnect(InetSocketAddress server, NodeType type) {
      then.run();
    }

    @Override
    @SuppressWarnings("deprecation") // required, but not called
    public void onConnect(InetSocketAddress server) {
      then.run();
    }

    @Override
    @SuppressWarnings("deprecation") // required
    public void onDisconnect(InetSocketAddress server) {}
  }
}
