package io.penstock.provider;

import io.penstock.endpoint.EndpointSpec;
import io.penstock.pool.UpstreamSpec;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.web.util.UriUtils;
import tools.jackson.databind.json.JsonMapper;

/**
 * The smallest request that a client could send to an endpoint: one word of input and one token of
 * output. For a permit endpoint or an unknown dialect it is a GET of the endpoint's path.
 *
 * @param method the HTTP method
 * @param path raw, including the query, if any
 * @param headers headers in addition to those of every request
 * @param json the body, or null
 */
public record ProbeRequest(
    String method, String path, Map<String, String> headers, @Nullable String json) {
  private static final String WORD = "Hi";
  private static final String VERSIONED = ".*/v[0-9]+[a-z]*/?";

  /** Common, small and cheap models, used if no upstream names the models it serves. */
  private static final String OPENAI = "gpt-4o-mini";

  private static final String ANTHROPIC = "claude-haiku-4-5";
  private static final String GEMINI = "gemini-2.0-flash";

  /**
   * Returns the request for an endpoint; it asks for {@code model}, or, if null, for a model that
   * the endpoint serves.
   */
  public static ProbeRequest of(EndpointSpec spec, @Nullable String model) {
    String version = versioned(spec) ? "" : "/v1";
    return switch (spec.permit() ? null : spec.reading().dialect()) {
      case OPENAI -> openAi(spec, version + "/chat/completions", named(spec, model, OPENAI));
      case AZURE -> {
        String deployment = named(spec, model, OPENAI);
        String call = "/openai/deployments/" + encoded(deployment) + "/chat/completions";
        yield openAi(spec, call + "?api-version=2024-10-21", deployment);
      }
      case ANTHROPIC ->
          post(
              spec,
              version + "/messages",
              Map.of("anthropic-version", "2023-06-01"),
              Map.of(
                  "model",
                  named(spec, model, ANTHROPIC),
                  "max_tokens",
                  1,
                  "messages",
                  new Object[] {Map.of("role", "user", "content", WORD)}));
      case GEMINI ->
          post(
              spec,
              (versioned(spec) ? "" : "/v1beta")
                  + "/models/"
                  + encoded(named(spec, model, GEMINI))
                  + ":generateContent",
              Map.of(),
              Map.of(
                  "contents",
                  new Object[] {
                    Map.of("role", "user", "parts", new Object[] {Map.of("text", WORD)})
                  },
                  "generationConfig",
                  Map.of("maxOutputTokens", 1)));
      case NONE -> new ProbeRequest("GET", spec.path(), Map.of(), null);
      case null -> new ProbeRequest("GET", spec.path(), Map.of(), null);
    };
  }

  private static ProbeRequest openAi(EndpointSpec spec, String call, String model) {
    return post(
        spec,
        call,
        Map.of(),
        Map.of(
            "model",
            model,
            "max_completion_tokens",
            1,
            "messages",
            new Object[] {Map.of("role", "user", "content", WORD)}));
  }

  private static ProbeRequest post(
      EndpointSpec spec, String call, Map<String, String> headers, Map<String, Object> body) {
    String path = spec.path().equals("/") ? call : spec.path() + call;
    return new ProbeRequest("POST", path, headers, JsonMapper.shared().writeValueAsString(body));
  }

  /** Returns whether the path or URL in front of a call already contains the version. */
  private static boolean versioned(EndpointSpec spec) {
    if (!spec.forwarding().stripPrefix()) {
      return spec.path().matches(VERSIONED);
    }
    for (UpstreamSpec each : spec.upstreams()) {
      URI url = each.url();
      String path = url.getPath();
      if (path != null && path.matches(VERSIONED)) {
        return true;
      }
    }
    return false;
  }

  private static String named(EndpointSpec spec, @Nullable String model, String usual) {
    if (model != null) {
      return model;
    }
    for (UpstreamSpec each : spec.upstreams()) {
      if (!each.models().isEmpty()) {
        return new TreeSet<>(each.models().keySet()).first();
      }
    }
    return usual;
  }

  private static String encoded(String model) {
    return UriUtils.encodePathSegment(model, StandardCharsets.UTF_8);
  }
}
