package io.penstock.cli;

import tools.jackson.databind.JsonNode;

/** Input of the thread that draws, from the gateway or from the keyboard. */
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
  /** Events arrive from now on. */
  record Connected() implements Message {}

  /** There is no connection, and why. */
  record Disconnected(String why) implements Message {}

  /** Connecting failed in a way that retries cannot change. */
  record Hopeless(String why) implements Message {}

  /** An event. */
  record Told(String name, JsonNode data) implements Message {}

  /** All endpoints. */
  record Endpoints(JsonNode all) implements Message {}

  /** All upstreams. */
  record Upstreams(JsonNode all) implements Message {}

  /** The tickets that wait at an endpoint. */
  record Tickets(String path, JsonNode page) implements Message {}

  /** The result of an action. */
  record Done(boolean good, String what, String path, String detail) implements Message {}
}
