package io.penstock.cli;

import tools.jackson.databind.JsonNode;

/** Input of the thread that draws, from the gateway or from the keyboard. */
sealed interface ViewerMessage
    permits ViewerMessage.Connected,
        ViewerMessage.Disconnected,
        ViewerMessage.Hopeless,
        ViewerMessage.Told,
        ViewerMessage.Endpoints,
        ViewerMessage.Upstreams,
        ViewerMessage.Tickets,
        ViewerMessage.Done,
        KeyPress {
  /** Events arrive from now on. */
  record Connected() implements ViewerMessage {}

  /** There is no connection, and why. */
  record Disconnected(String why) implements ViewerMessage {}

  /** Connecting failed in a way that retries cannot change. */
  record Hopeless(String why) implements ViewerMessage {}

  /** An event. */
  record Told(String name, JsonNode data) implements ViewerMessage {}

  /** All endpoints. */
  record Endpoints(JsonNode all) implements ViewerMessage {}

  /** All upstreams. */
  record Upstreams(JsonNode all) implements ViewerMessage {}

  /** The tickets that wait at an endpoint. */
  record Tickets(String path, JsonNode page) implements ViewerMessage {}

  /** The result of an action. */
  record Done(boolean good, String what, String path, String detail) implements ViewerMessage {}
}
