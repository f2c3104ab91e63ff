package io.penstock.gateway.request;

import io.penstock.endpoint.EndpointSpec;
import io.penstock.pool.UpstreamSpec;
import io.penstock.provider.ProviderProtocol;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The call that a request makes to a provider, recognised by its method and by the path that is
 * sent upstream.
 *
 * @param reader the protocol that reads the body and the answer: the endpoint's own, or that of a
 *     provider whose calls the endpoint's answers too
 * @param path the path that is sent upstream, as far as needed to recognise the call, in the
 *     spelling in which calls are compared
 * @param weighed whether the body is read to estimate its cost; other bodies are streamed through
 */
public record ProviderCall(ProviderProtocol reader, String path, boolean weighed) {
  /**
   * Returns the call of a request.
   *
   * @param rawPath the path of the request, as it came
   */
  public static ProviderCall of(EndpointSpec spec, String method, String rawPath) {
    ProviderProtocol own = ProviderProtocol.of(spec.reading().dialect());
    String sent = own.versioned("", RawPaths.forwarded(spec, rawPath));
    String path = RawPaths.comparable(sent);
    ProviderCall call = weighed(own, method, path);
    if (call == null) {
      call = weighed(own, method, RawPaths.comparableWithParameters(sent));
    }
    for (UpstreamSpec each : spec.upstreams()) {
      String base = Objects.requireNonNullElse(each.url().getPath(), "");
      if (call == null && base.length() > 1) {
        call = weighed(own, method, RawPaths.comparable(base + "/" + path));
      }
    }
    return call == null ? new ProviderCall(own, path, false) : call;
  }

  private static @Nullable ProviderCall weighed(
      ProviderProtocol own, String method, @Nullable String path) {
    ProviderProtocol reader = path == null ? null : own.reader(method, path);
    return reader == null || path == null ? null : new ProviderCall(reader, path, true);
  }
}
