package io.penstock;

import io.penstock.config.ConfigurationSnapshot;
import io.penstock.gateway.forward.UpstreamAddress;
import io.penstock.mock.MockAddress;
import io.penstock.mock.MockProvider;
import io.penstock.pool.UpstreamSpec;
import io.penstock.time.Ticker;
import java.net.URI;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Addresses of the upstreams. Starts the mock provider when the first upstream needs it. */
final class UpstreamAddresses implements UpstreamAddress, AutoCloseable {
  private final Ticker ticker;
  private final Map<URI, URI> mocks = new ConcurrentHashMap<>();
  private @Nullable MockProvider provider;

  UpstreamAddresses(Ticker ticker) {
    this.ticker = ticker;
  }

  /** Prepares the addresses that the configuration needs; may wait for a server to start. */
  synchronized void prepare(ConfigurationSnapshot snapshot) {
    for (var endpoint : snapshot.endpoints()) {
      for (UpstreamSpec upstream : endpoint.upstreams()) {
        if ("mock".equals(upstream.url().getScheme())) {
          mocks.computeIfAbsent(upstream.url(), url -> provider().baseUrl(MockAddress.parse(url)));
        }
      }
    }
  }

  private MockProvider provider() {
    MockProvider running = provider;
    if (running == null) {
      running = MockProvider.start(ticker);
      provider = running;
    }
    return running;
  }

  @Override
  public URI of(UpstreamSpec upstream) {
    return mocks.getOrDefault(upstream.url(), upstream.url());
  }

  @Override
  public synchronized void close() {
    if (provider != null) {
      provider.close();
    }
  }
}
