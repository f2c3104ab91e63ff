package io.penstock.operator;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.penstock.config.ConfigurationFault;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.reactive.function.server.RequestPredicates;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;

/**
 * An error answer (RFC 9457).
 *
 * @param type always {@code about:blank}: the title is that of the status
 * @param detail one sentence for a person
 * @param faults faults of route files, or null if it is not about those
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record ProblemAnswer(
    String type,
    String title,
    int status,
    String detail,
    @Nullable List<ConfigurationFault> faults) {
  static ProblemAnswer of(HttpStatusCode status, String detail) {
    return of(status, detail, null);
  }

  static ProblemAnswer of(
      HttpStatusCode status, String detail, @Nullable List<ConfigurationFault> faults) {
    HttpStatus known = HttpStatus.resolve(status.value());
    String title = known == null ? "Error" : known.getReasonPhrase();
    return new ProblemAnswer("about:blank", title, status.value(), detail, faults);
  }

  /** Answers with a problem. */
  static Mono<ServerResponse> answering(HttpStatusCode status, String detail) {
    return of(status, detail).answer();
  }

  /** Refuses every request that reaches it, because its method is not supported. */
  static RouterFunction<ServerResponse> only(String method) {
    ProblemAnswer problemAnswer =
        of(HttpStatus.METHOD_NOT_ALLOWED, "only " + method + " is understood here");
    return RouterFunctions.route(
        RequestPredicates.path("").or(RequestPredicates.path("/")),
        request -> problemAnswer.answer(HttpHeaders.ALLOW, method));
  }

  @JsonIgnore
  private byte[] body() {
    return OperatorJson.bytes(this);
  }

  Mono<ServerResponse> answer(String... header) {
    ServerResponse.BodyBuilder builder =
        ServerResponse.status(status).contentType(MediaType.APPLICATION_PROBLEM_JSON);
    for (int at = 0; at + 1 < header.length; at += 2) {
      builder.header(header[at], header[at + 1]);
    }
    return builder.bodyValue(body());
  }

  /** Writes the problem directly to a response, for use outside handlers. */
  Mono<Void> write(ServerHttpResponse response) {
    byte[] body = body();
    response.setStatusCode(HttpStatusCode.valueOf(status));
    response.getHeaders().setContentType(MediaType.APPLICATION_PROBLEM_JSON);
    response.getHeaders().setContentLength(body.length);
    return response.writeWith(Mono.just(response.bufferFactory().wrap(body)));
  }
}
