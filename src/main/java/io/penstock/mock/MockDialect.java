package io.penstock.mock;

import io.netty.handler.codec.http.HttpHeaders;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import tools.jackson.databind.JsonNode;

/** The formats of one provider. Implementations are stateless. */
interface MockDialect {
  /**
   * Returns a reader for a POST to {@code path}, or null if there is no such path.
   *
   * @param query raw query of the request; empty if there is none
   * @param address says how long an answer is if the request states no lower maximum, and whether
   *     it calls a tool that is merely offered
   */
  @Nullable Function<JsonNode, MockAsk> reader(String path, String query, MockAddress address);

  /** Returns the answer to a GET of {@code path} if that lists the models or names one, or null. */
  default byte @Nullable [] models(String path) {
    return null;
  }

  /**
   * Returns a reader for the messages of a WebSocket that may be opened at {@code path}, as at
   * OpenAI's responses, or null.
   */
  default @Nullable Function<JsonNode, MockAsk> messages(String path, MockAddress address) {
    return null;
  }

  /** Returns the answer to a request for vectors, in pieces. */
  default Flux<byte[]> vectors(MockAsk.Embed ask) {
    return MockVectors.pieces(ask);
  }

  /** Returns the answer to a request for a count of tokens. */
  byte[] counted(long tokens);

  /** Returns whether output tokens are charged as they are produced. */
  boolean chargesOutput();

  /** Returns the tokens that {@code ask} is charged on arrival. */
  long chargedAtArrival(MockAsk.Generate ask);

  /** Returns the body of an error. */
  byte[] error(MockAsk.Refused refused, String requestId);

  /** Returns the name of the header with the request's id. */
  String requestIdHeader();

  /** Adds headers that state what is left of the limits, and after a refusal when to retry. */
  void limits(MockLimit.Verdict verdict, long unixMillis, HttpHeaders headers);
}
