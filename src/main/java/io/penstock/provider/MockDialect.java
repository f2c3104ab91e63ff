package io.penstock.provider;

import io.netty.handler.codec.http.HttpHeaders;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** The shapes of one provider. Implementations have no state. */
interface MockDialect {
  /** Returns what reads a POST to {@code path}, or null when there is no such path. */
  @Nullable Function<JsonNode, MockAsk> reader(String path, int tokens);

  /** Returns whether tokens of the answer are charged as they are produced. */
  boolean chargesOutput();

  /** Returns what {@code ask} is charged when it arrives. */
  long chargedAtArrival(MockAsk.Generate ask);

  /** Returns a whole answer. */
  byte[] whole(MockAnswer answer);

  /** Appends the events before the first token. */
  void begin(MockAnswer answer, MockBytes out);

  /** Appends events with the tokens after the first {@code from} up to the first {@code to}. */
  void tokens(MockAnswer answer, int from, int to, MockBytes out);

  /** Appends the events after the last token. */
  void end(MockAnswer answer, MockBytes out);

  /** Returns the body of an error. */
  byte[] error(MockAsk.Refused refused, String requestId);

  /** Returns the name of the header with the request's id. */
  String requestIdHeader();

  /** Adds what is left of the limits, and after a refusal when to come back. */
  void limits(MockLimit.Verdict verdict, long unixMillis, HttpHeaders headers);
}
