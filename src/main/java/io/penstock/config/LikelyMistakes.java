package io.penstock.config;

import io.penstock.config.shape.EffectiveValues;
import io.penstock.config.shape.RouteSetting;
import io.penstock.config.shape.SourceFindings;
import io.penstock.config.shape.WordShapes;
import io.penstock.cost.Dialect;
import io.penstock.dialect.DialectTable;
import io.penstock.dispatch.LimitAlgorithm;
import io.penstock.provider.ProviderProtocol;
import java.net.URI;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Warns of settings of one endpoint and its upstreams that are valid, and probably not what was
 * meant. All are warnings and not faults, because a file that is in use must go on working.
 */
final class LikelyMistakes {
  /** Matches the path of a call, where only the part in front of it was expected. */
  private static final Pattern CALL =
      Pattern.compile(
          ".*?(?<call>/(chat/completions|completions|responses|messages|embeddings|models))");

  private static final List<RouteSetting<Long>> TOKEN_LIMITS =
      List.of(UpstreamSettings.TPM, UpstreamSettings.ITPM, UpstreamSettings.OTPM);

  private final EffectiveValues endpoint;
  private final SourceFindings findings;

  LikelyMistakes(EffectiveValues endpoint, SourceFindings findings) {
    this.endpoint = endpoint;
    this.findings = findings;
  }

  /** Warns of settings of the endpoint itself. */
  void ofEndpoint() {
    if (endpoint.usable(EndpointSettings.ALGORITHM, EndpointSettings.UPSTREAMS)) {
      unusedBurst();
      unusedRate();
    }
  }

  private void unusedBurst() {
    if (endpoint.writes(EndpointSettings.BURST_SIZE)
        && endpoint.get(EndpointSettings.ALGORITHM) == LimitAlgorithm.STRICT) {
      warn(
          endpoint,
          EndpointSettings.BURST_SIZE,
          "burst_size is set, but algorithm is strict, which lets no two requests go together,"
              + " expected algorithm token_bucket, or no burst_size");
    }
  }

  private void unusedRate() {
    if (endpoint.writes(EndpointSettings.RATE)
        && endpoint.set(EndpointSettings.ALGORITHM).isEmpty()
        && endpoint.get(EndpointSettings.ALGORITHM) == LimitAlgorithm.NONE) {
      warn(
          endpoint,
          EndpointSettings.RATE,
          "rate is set, but algorithm is none, its default with upstreams, so the rate limits"
              + " nothing, expected algorithm strict, token_bucket or sliding_window");
    }
  }

  /** Warns of settings of one of its upstreams. */
  void ofUpstream(EffectiveValues upstream) {
    if (!endpoint.usable(EndpointSettings.DIALECT, EndpointSettings.STRIP_PREFIX)) {
      return;
    }
    ProviderProtocol dialect = endpoint.get(EndpointSettings.DIALECT);
    if (!dialect.readsBodies()) {
      uncountedTokens(upstream);
      return;
    }
    if (upstream.usable(UpstreamSettings.URL)) {
      URI url = upstream.get(UpstreamSettings.URL);
      if (url.getScheme().equals("mock")) {
        otherMock(upstream, url.getHost(), dialect);
      } else if (endpoint.usable(EndpointSettings.PATH)) {
        doubledPath(upstream, url.getPath(), dialect);
      }
    }
  }

  private void uncountedTokens(EffectiveValues upstream) {
    if (endpoint.set(EndpointSettings.COST_FROM).isPresent()
        || endpoint.set(EndpointSettings.DEFAULT_TOKENS).isPresent()) {
      return; // the amounts of tokens were thought of
    }
    for (RouteSetting<Long> limit : TOKEN_LIMITS) {
      if (upstream.usable(limit) && upstream.get(limit) > 0) {
        warn(
            upstream,
            limit,
            "%s is set, but the endpoint has no dialect, so a request counts as one token unless it"
                    .formatted(limit.name())
                + " states more, expected dialect "
                + WordShapes.oneOf(DialectTable.names(Dialect::readsBodies)));
        return;
      }
    }
  }

  private void otherMock(EffectiveValues upstream, String mock, ProviderProtocol dialect) {
    String expected = dialect.mockName();
    if (!mock.equals(expected)) {
      warn(
          upstream,
          UpstreamSettings.URL,
          "url is that of the mock of %s, but dialect is %s, expected mock://%s, or dialect %s"
              .formatted(mock, dialect.text(), expected, mock));
    }
  }

  private void doubledPath(EffectiveValues upstream, String urlPath, ProviderProtocol dialect) {
    Matcher call = CALL.matcher(urlPath);
    if (call.matches()) {
      warn(
          upstream,
          UpstreamSettings.URL,
          "url ends in %s, the path of a call, which clients send themselves, expected the address"
                  .formatted(call.group("call"))
              + " in front of it, without a version");
      return;
    }
    String path = endpoint.get(EndpointSettings.PATH);
    String last = dialect.repeatedSegment(urlPath);
    boolean strips = endpoint.get(EndpointSettings.STRIP_PREFIX);
    if (last.isEmpty() || (strips ? path.endsWith(last) : !startsWith(path, last))) {
      return;
    }
    String base = strips && path.length() > 1 ? path : "";
    warn(
        upstream,
        UpstreamSettings.URL,
        "url ends in %s, and so do the base URLs of clients: a request for %s/x would go to %s/x,"
                .formatted(last, base + last, urlPath + last)
            + " expected url without "
            + last
            + (strips ? ", or path " + base + last + " of the endpoint" : ""));
  }

  private static boolean startsWith(String path, String segment) {
    return path.equals("/") || path.equals(segment) || path.startsWith(segment + "/");
  }

  private void warn(EffectiveValues section, RouteSetting<?> setting, String message) {
    findings.warn(section.place(setting), message);
  }
}
