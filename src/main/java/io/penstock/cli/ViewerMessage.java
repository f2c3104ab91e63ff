package io.penstock.cli;

import tools.jackson.databind.JsonNode;

/** Input of the thread that draws, from the gateway or from the keyboard. */
sealed interface ViewerMessage
    permits ViewerMessage.Connected,
        ViewerMessage.Disconnected,
        ViewerMessage.Hopeless,
        ViewerMessage.LiveUpdate,
        ViewerMessage.LogEvent,
        ViewerMessage.Configured,
        ViewerMessage.Done,
        KeyPress {
  /** The state of the gateway arrives from now on. */
  record Connected() implements ViewerMessage {}

  /** There is no connection, and why. */
  record Disconnected(String why) implements ViewerMessage {}

  /** Connecting failed in a way that retries cannot change. */
  record Hopeless(String why) implements ViewerMessage {}

  /** A change of state, from {@code GET /live}. */
  record LiveUpdate(String name, JsonNode data) implements ViewerMessage {}

  /** An event, from {@code GET /events?lines}. */
  record LogEvent(String name, JsonNode data) implements ViewerMessage {}

  /** The configuration of an endpoint. */
  record Configured(String path, JsonNode config) implements ViewerMessage {}

  /** The result of an action. */
  record Done(boolean good, String what, String path, String detail) implements ViewerMessage {}
}
