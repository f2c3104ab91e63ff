package io.penstock.operator;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/**
 * Answers errors of the framework and of the actuator in the same form as all others of this port.
 */
@RestControllerAdvice
final class OperatorErrors {
  private static final Logger LOG = LoggerFactory.getLogger("io.penstock.operator");

  @ExceptionHandler(Exception.class)
  ResponseEntity<byte[]> any(Exception error) {
    if (error instanceof ErrorResponse known) {
      String detail = known.getBody().getDetail();
      String message = detail == null ? "it cannot be answered" : detail;
      return answer(ProblemAnswer.of(known.getStatusCode(), message), known.getHeaders());
    }
    LOG.error("the operator port failed to answer", error);
    ProblemAnswer problem =
        ProblemAnswer.of(HttpStatus.INTERNAL_SERVER_ERROR, "an error, see the log");
    return answer(problem, HttpHeaders.EMPTY);
  }

  private static ResponseEntity<byte[]> answer(ProblemAnswer problem, HttpHeaders headers) {
    return ResponseEntity.status(problem.status())
        .headers(headers)
        .contentType(MediaType.APPLICATION_PROBLEM_JSON)
        .body(OperatorJson.bytes(problem));
  }
}
