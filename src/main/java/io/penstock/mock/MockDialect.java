package io.penstock.mock;

import io.netty.handler.codec.http.HttpHeaders;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import tools.jackson.databind.JsonNode;

/** The shapes of one provider. Implementations have no state. */
interface MockDialect {
  /**
   * Returns what reads a POST to {@code path}, or null when there is no such path.
   *
   * @param query what follows the path, raw; empty when nothing does
   * @param tokens how many tokens an answer has when the request states no lower maximum
   */
  @Nullable Function<JsonNode, MockAsk> reader(String path, String query, int tokens);

  /** Returns the answer to a GET of {@code path} if that asks for the models, or null. */
  default byte @Nullable [] models(String path) {
    return null;
  }

  /** Returns the answer to a request for vectors, in pieces. */
  default Flux<byte[]> vectors(MockAsk.Embed ask) {
    return MockVectors.pieces(ask);
  }

  /** Returns the answer to a request for a count of tokens. */
  byte[] counted(long tokens);

  /** Returns whether tokens of the answer are charged as they are produced. */
  boolean chargesOutput();

  /** Returns what {@code ask} is charged when it arrives. */
  long chargedAtArrival(MockAsk.Generate ask);

  /** Returns the body of an error. */
  byte[] error(MockAsk.Refused refused, String requestId);

  /** Returns the name of the header with the request's id. */
  String requestIdHeader();

  /** Adds what is left of the limits, and after a refusal when to come back. */
  void limits(MockLimit.Verdict verdict, long unixMillis, HttpHeaders headers);
}
