package io.penstock.gateway.request;

import io.penstock.dialect.DialectTable;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.pool.UpstreamSpec;
import io.penstock.provider.ProviderProtocol;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.server.reactive.ServerHttpRequest;

/**
 * The call that a request makes to a provider, recognised by its method and by the path that is
 * sent upstream. Paths are in the spelling in which calls are compared.
 *
 * @param reader the protocol that reads the body and the answer: the endpoint's own, or that of a
 *     provider whose calls the endpoint's answers too
 * @param path the path by which the call is recognised
 * @param sent the path that is sent upstream, without the path of the upstream's URL
 * @param weighed whether the body is read to estimate its cost; other bodies are streamed through
 * @param startsBatch whether the call lets the provider work on a batch of requests later
 * @param light whether the call costs nothing: it takes nothing from limits and never waits
 */
public record ProviderCall(
    ProviderProtocol reader,
    String path,
    String sent,
    boolean weighed,
    boolean startsBatch,
    boolean light) {
  /**
   * Returns the call of a request. An upstream may take a HEAD or a GET with a body, and one that
   * asks for another protocol, for something else: those are not light.
   */
  public static ProviderCall of(EndpointSpec spec, ServerHttpRequest request) {
    HttpHeaders headers = request.getHeaders();
    HttpMethod method = request.getMethod();
    ProviderCall call = of(spec, method.name(), request.getURI().getRawPath());
    boolean plain =
        method.equals(HttpMethod.POST)
            || (headers.getContentLength() <= 0
                && !headers.containsHeader(HttpHeaders.TRANSFER_ENCODING));
    return !call.light || (plain && headers.getUpgrade() == null)
        ? call
        : new ProviderCall(call.reader, call.path, call.sent, false, false, false);
  }

  /**
   * Returns the call of a request.
   *
   * @param rawPath the path of the request, as it came
   */
  public static ProviderCall of(EndpointSpec spec, String method, String rawPath) {
    ProviderProtocol own = ProviderProtocol.of(spec.reading().dialect());
    String raw = own.versioned("", RawPaths.forwarded(spec, rawPath));
    String sent = RawPaths.comparable(raw);
    ProviderCall call = recognised(own, method, sent, sent);
    String withParameters = RawPaths.comparableWithParameters(raw);
    if (call == null && withParameters != null) {
      call = recognised(own, method, withParameters, sent);
    }
    for (UpstreamSpec each : spec.upstreams()) {
      String base = Objects.requireNonNullElse(each.url().getPath(), "");
      if (call == null && base.length() > 1) {
        call = recognised(own, method, RawPaths.comparable(base + "/" + sent), sent);
      }
    }
    // what follows a parameter may be the call, or what is before it
    boolean light = withParameters == null && !spec.permit() && own.isLight(method, sent);
    return call == null ? new ProviderCall(own, sent, sent, false, false, light) : call;
  }

  /**
   * Returns whether the path of a weighed call names no other model than the one that is weighed.
   *
   * @param model the model that is weighed, or null
   * @param rawPath the path of the request, as it came
   */
  public boolean namesOnly(EndpointSpec spec, @Nullable String model, String rawPath) {
    // what the address of an upstream names is the operator's word
    String named = path.endsWith(sent) ? sent : path;
    return reader.namesOnly(model, RawPaths.forwarded(spec, rawPath), named);
  }

  private static @Nullable ProviderCall recognised(
      ProviderProtocol own, String method, String path, String sent) {
    ProviderProtocol reader = DialectTable.reader(own, method, path);
    if (reader != null) {
      return new ProviderCall(reader, path, sent, true, false, false);
    }
    return own.startsBatch(method, path)
        ? new ProviderCall(own, path, sent, false, true, false)
        : null;
  }
}
