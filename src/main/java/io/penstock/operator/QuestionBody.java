package io.penstock.operator;

import io.penstock.config.KeyTermsJson;
import java.util.function.Function;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferLimitException;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.HttpStatus;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;

/** Reads the body of a question, and answers what is wrong with it. */
final class QuestionBody {
  private QuestionBody() {}

  /** Thrown when a question is not understood; the message tells a person why. */
  static final class Unclear extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Unclear(String message) {
      super(message, null, false, false);
    }
  }

  /**
   * Answers a question from its body, which is empty if the question has none.
   *
   * @param mostBytes the longest body that is read
   */
  static Mono<ServerResponse> answered(
      ServerRequest request, int mostBytes, Function<Mono<byte[]>, Mono<ServerResponse>> answer) {
    Mono<byte[]> body =
        DataBufferUtils.join(request.bodyToFlux(DataBuffer.class), mostBytes)
            .map(QuestionBody::bytes)
            .defaultIfEmpty(new byte[0]);
    return orUnclear(answer.apply(body))
        .onErrorResume(
            DataBufferLimitException.class,
            large ->
                ProblemAnswer.answering(
                    HttpStatus.CONTENT_TOO_LARGE,
                    "the body is larger than " + mostBytes + " bytes"));
  }

  private static byte[] bytes(DataBuffer joined) {
    byte[] bytes = new byte[joined.readableByteCount()];
    joined.read(bytes);
    DataBufferUtils.release(joined);
    return bytes;
  }

  /** Answers with what is wrong with a question, if it is not understood. */
  static Mono<ServerResponse> orUnclear(Mono<ServerResponse> answer) {
    return answer.onErrorResume(
        error -> error instanceof Unclear || error instanceof KeyTermsJson.Unclear,
        unclear ->
            ProblemAnswer.answering(HttpStatus.BAD_REQUEST, String.valueOf(unclear.getMessage())));
  }
}
