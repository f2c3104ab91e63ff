package io.penstock.cli;

import java.util.Locale;
import tools.jackson.databind.JsonNode;

/** Advice to operators on letting a waiting request go sooner. */
final class WaitRemedy {
  /** The advice where nothing but the requests before it holds a request. */
  static final String NOTHING = "Nothing: its turn comes.";

  private WaitRemedy() {}

  /**
   * Returns the advice, a sentence.
   *
   * @param binds what holds the request, as {@code GET /tickets/ID} tells; may be no object
   * @param path the path of the endpoint
   */
  static String of(JsonNode binds, String path) {
    String name = GatewayCommand.harmless(binds.path("name").asString(""));
    boolean away = binds.path("detail").asString("").startsWith("Redis has been away");
    String what = away ? "limit_unavailable" : binds.path("what").asString("");
    return switch (what.toLowerCase(Locale.ROOT)) {
      case "endpoint_paused" ->
          "Resume the endpoint in the console, or with POST /endpoints/resume?path=" + path + ".";
      case "queue_full" ->
          "Raise max_queue_size of the endpoint, or send fewer requests at a time.";
      case "limit" -> limit(binds.path("measure").asString("requests"), binds.path("kind"));
      case "slice" -> "Nothing: other instances have the rest, and the next round brings more.";
      case "limit_unavailable" ->
          "Bring Redis back; penstock.redis.on-outage says what happens until then.";
      case "limit_recovering" ->
          "Wait for the end of the window, day or month in which Redis lost data.";
      case "upstream_taken_out" -> "Resume it: penstock resume --upstream " + name + ".";
      case "upstream_paused" ->
          "Add another upstream, or end the pause with POST /upstreams/retry?id=" + name + ".";
      case "upstream_unhealthy" ->
          "Look at its last error with penstock status; let it be tried at once with POST"
              + " /upstreams/retry?id="
              + name
              + ".";
      case "cache_warmup" ->
          "Nothing: it goes once the answer to the first one begins; cache_warmup bounds the time.";
      case "no_upstream_enabled" ->
          "Set what the upstreams of its model lack; penstock status names it.";
      case "kept_for_another" ->
          "Nothing: its turn comes after the request that was passed too often.";
      default -> NOTHING;
    };
  }

  private static String limit(String measure, JsonNode kind) {
    String raise = "Raise the limit of " + measure.replace('_', ' ') + ", if it may be higher";
    boolean ofUpstream = kind.asString("").equals("upstream");
    return raise
        + (ofUpstream ? ", or add another upstream" : "")
        + (measure.contains("tokens")
            ? ". Clients can ask for fewer tokens of output, which are reserved."
            : ".");
  }
}
