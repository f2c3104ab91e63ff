package io.penstock.cli;

import tools.jackson.databind.JsonNode;

/** What the one who draws hears of: from the gateway, and from the keyboard. */
sealed interface Message
    permits Message.Connected,
        Message.Disconnected,
        Message.Hopeless,
        Message.Told,
        Message.Endpoints,
        Message.Upstreams,
        Message.Tickets,
        Message.Done,
        Press {
  /** Events come from now on. */
  record Connected() implements Message {}

  /** They do not, and why. */
  record Disconnected(String why) implements Message {}

  /** Trying again would not help. */
  record Hopeless(String why) implements Message {}

  /** An event. */
  record Told(String name, JsonNode data) implements Message {}

  /** All endpoints. */
  record Endpoints(JsonNode all) implements Message {}

  /** All upstreams. */
  record Upstreams(JsonNode all) implements Message {}

  /** Who waits at an endpoint. */
  record Tickets(String path, JsonNode page) implements Message {}

  /** What became of something that was asked for. */
  record Done(boolean good, String what, String path, String detail) implements Message {}
}
