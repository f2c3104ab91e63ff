package io.penstock.gateway.identify;

import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.endpoint.NormalPath;
import io.penstock.gateway.request.ClientIdentity;
import io.penstock.key.ApiCaller;
import io.penstock.key.KeyRegistry;
import io.penstock.provider.RefusedCall;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import io.penstock.time.WallClock;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;

/** Decides which requests may come in, before anything of a body is read. Safe from any thread. */
public final class EntryCheck {
  /** Longest secret, in characters; longer text matches no key and is not worth a hash. */
  private static final int LONGEST = 1024;

  private static final Refusal NO_KEY =
      Refusal.of(RefusalReason.UNAUTHENTICATED, "no key of the gateway came with the request");
  private static final Refusal BAD_KEY =
      Refusal.of(RefusalReason.UNAUTHENTICATED, "the key is not known, or not valid any more");
  private static final Refusal SEVERAL =
      Refusal.of(RefusalReason.BAD_REQUEST, "different keys came with the request, expected one");
  private static final Refusal MIXED =
      Refusal.of(
          RefusalReason.BAD_REQUEST,
          "a key of the gateway came in the place of the provider's: here it goes in"
              + " x-penstock-key only");
  private static final Refusal FORBIDDEN =
      Refusal.of(RefusalReason.FORBIDDEN_ENDPOINT, "the key may not use this endpoint");

  /** Result of a check. */
  sealed interface CheckResult {
    /** The request may come in. */
    record Admitted(ClientIdentity clientIdentity) implements CheckResult {}

    /**
     * The request may not come in.
     *
     * @param maskedKey the key that is not known, masked; null when the key is not the reason
     */
    record Rejected(Refusal refusal, @Nullable String maskedKey) implements CheckResult {
      Rejected(Refusal refusal) {
        this(refusal, null);
      }
    }
  }

  /** Result for all requests where no keys are required. */
  static final CheckResult ANYONE = new CheckResult.Admitted(ClientIdentity.ANYONE);

  private final KeyRegistry keyRegistry;
  private final boolean required;
  private final WallClock clock;

  /**
   * Creates a check that asks for a key once there is any.
   *
   * @param required whether it asks for one even when there are no keys
   */
  public EntryCheck(KeyRegistry keyRegistry, boolean required, WallClock clock) {
    this.keyRegistry = keyRegistry;
    this.required = required;
    this.clock = clock;
  }

  /** Returns whether requests need a key. */
  boolean requiresKey() {
    return required || keyRegistry.any();
  }

  /**
   * Checks a request where keys are required.
   *
   * @param endpoint the endpoint it goes to, or null when none has that path
   * @param path its path, raw
   */
  CheckResult check(
      HttpHeaders headers, @Nullable String rawQuery, @Nullable Endpoint endpoint, String path) {
    RequestCredentials credentials = RequestCredentials.of(headers, rawQuery);
    boolean through = endpoint != null && passesCredentials(endpoint.spec());
    Set<String> candidates = through ? credentials.ours() : credentials.all();
    if (candidates.size() > 1) {
      return new CheckResult.Rejected(SEVERAL);
    }
    if (candidates.isEmpty()) {
      return new CheckResult.Rejected(NO_KEY);
    }
    String secret = candidates.iterator().next();
    ApiCaller apiCaller = caller(secret);
    if (apiCaller == null) {
      return new CheckResult.Rejected(BAD_KEY, RefusedCall.masked(secret));
    }
    if (through && credentials.others().stream().anyMatch(other -> caller(other) != null)) {
      return new CheckResult.Rejected(MIXED);
    }
    boolean allowed = endpoint == null || allows(apiCaller, endpoint.spec(), path);
    return allowed
        ? new CheckResult.Admitted(new ClientIdentity(apiCaller, through))
        : new CheckResult.Rejected(FORBIDDEN);
  }

  /**
   * Checks a request to one of the gateway's own paths instead of an endpoint. Such a path has its
   * own query, so the key has to come in a header. A key that may use only some endpoints needs one
   * of them to cover the path.
   */
  CheckResult check(HttpHeaders headers, String path) {
    CheckResult result = check(headers, null, null, path);
    if (result instanceof CheckResult.Admitted(ClientIdentity clientIdentity)
        && clientIdentity.caller() != null) {
      Set<String> allowed = clientIdentity.caller().spec().terms().scope().endpoints();
      return allowed == null || covered(allowed, path)
          ? result
          : new CheckResult.Rejected(FORBIDDEN);
    }
    return result;
  }

  private static boolean covered(Set<String> allowed, String path) {
    return NormalPath.of(path) instanceof NormalPath.Good(String normal)
        && allowed.stream()
            .anyMatch(
                each -> each.length() == 1 || normal.equals(each) || normal.startsWith(each + "/"));
  }

  private @Nullable ApiCaller caller(String secret) {
    return secret.length() > LONGEST ? null : keyRegistry.caller(secret, clock.unixMillis());
  }

  /** Returns whether clients authenticate with the provider themselves. */
  private static boolean passesCredentials(EndpointSpec spec) {
    return spec.upstreams().stream().anyMatch(upstream -> upstream.access().passthrough());
  }

  /**
   * Returns whether a key may use the endpoint of a path. A path that may become an endpoint of its
   * own is checked as if it already were one. Permission for an endpoint covers the endpoints below
   * it.
   *
   * @param spec of the endpoint that serves the path now
   * @param path raw
   */
  static boolean allows(@Nullable ApiCaller apiCaller, EndpointSpec spec, String path) {
    Set<String> allowed = apiCaller == null ? null : apiCaller.spec().terms().scope().endpoints();
    if (allowed == null) {
      return true;
    }
    boolean named =
        spec.isDynamic() || (spec.entry().descendants().dynamic() && !path.equals(spec.path()));
    String looked =
        named && NormalPath.of(path) instanceof NormalPath.Good(String normal)
            ? normal
            : spec.path();
    int least = spec.entry().path().length();
    int end = looked.length();
    while (end >= least && end > 0) {
      if (allowed.contains(looked.substring(0, end))) {
        return true;
      }
      end = looked.lastIndexOf('/', end - 1);
    }
    return least == 1 && allowed.contains("/");
  }
}
