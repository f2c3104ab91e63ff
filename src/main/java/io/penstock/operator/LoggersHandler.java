package io.penstock.operator;

import io.penstock.operator.QuestionBody.Unclear;
import io.penstock.time.Ticker;
import io.penstock.time.WallClock;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.logging.LogLevel;
import org.springframework.http.HttpStatus;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.MissingNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Shows and changes levels of log categories, at the paths and in the form of Spring Boot's
 * endpoint for loggers.
 */
final class LoggersHandler {
  private static final Logger LOG = LoggerFactory.getLogger("io.penstock.operator");
  private static final String ALL = "/actuator/loggers";
  private static final String ONE = "/actuator/loggers/{category}";
  private static final String CONFIGURED = "configuredLevel";
  private static final int MOST_BYTES = 1_024;

  private final LogLevels levels;
  private final Ticker ticker;
  private final WallClock clock;

  LoggersHandler(LogLevels levels, Ticker ticker, WallClock clock) {
    this.levels = levels;
    this.ticker = ticker;
    this.clock = clock;
  }

  /** Returns the routes of this handler. */
  RouterFunction<ServerResponse> routes() {
    return RouterFunctions.route()
        .GET("/actuator/loggers", request -> OperatorJson.answer(all()))
        .GET("/actuator/loggers/{category}", this::show)
        .POST("/actuator/loggers/{category}", this::change)
        .path(ALL, () -> ProblemAnswer.only("GET"))
        .path(ONE, () -> ProblemAnswer.only("GET, POST"))
        .build();
  }

  private ObjectNode all() {
    ObjectNode view = OperatorJson.object();
    ArrayNode known = view.putArray("levels");
    LogLevels.LEVELS.forEach(each -> known.add(each.name()));
    ObjectNode loggers = view.putObject("loggers");
    LogLevels.CATEGORIES.forEach(each -> loggers.set(each, view(each)));
    return view;
  }

  private ObjectNode view(String category) {
    LogLevels.Level level = levels.of(category);
    return OperatorJson.object()
        .put(CONFIGURED, level.configured() == null ? null : level.configured().name())
        .put("effectiveLevel", level.effective().name())
        .put("until", level.untilNanos() == Ticker.NEVER ? null : now().text(level.untilNanos()));
  }

  private Mono<ServerResponse> show(ServerRequest request) {
    String category = request.pathVariable("category");
    return known(category) ? OperatorJson.answer(view(category)) : unknown();
  }

  private Mono<ServerResponse> change(ServerRequest request) {
    String category = request.pathVariable("category");
    return known(category)
        ? QuestionBody.answered(
            request, MOST_BYTES, body -> body.flatMap(json -> changed(category, json)))
        : unknown();
  }

  private Mono<ServerResponse> changed(String category, byte[] json) {
    Optional<LogLevel> level = level(OperatorJson.parsed(json));
    level.ifPresentOrElse(asked -> levels.set(category, asked), () -> levels.reset(category));
    ObjectNode view = view(category);
    LOG.info(
        "an operator set the log category {} to {} until {}",
        category,
        view.path("effectiveLevel").asString(),
        level.isPresent() ? view.path("until").asString() : "somebody sets it");
    return OperatorJson.answer(view);
  }

  /** Returns the level that is asked for; empty for that of before. */
  private static Optional<LogLevel> level(@Nullable JsonNode body) {
    JsonNode asked = body == null ? MissingNode.getInstance() : body.path(CONFIGURED);
    if (asked.isNull()) {
      return Optional.empty();
    }
    String name = asked.asString("").toUpperCase(Locale.ROOT);
    return Optional.of(
        LogLevels.LEVELS.stream()
            .filter(each -> each.name().equals(name))
            .findFirst()
            .orElseThrow(
                () ->
                    new Unclear(
                        "configuredLevel is expected to be ERROR, WARN, INFO or DEBUG, or null for"
                            + " the level of before")));
  }

  private static boolean known(String category) {
    return LogLevels.CATEGORIES.contains(category);
  }

  private static Mono<ServerResponse> unknown() {
    return ProblemAnswer.answering(
        HttpStatus.FORBIDDEN,
        "only levels of the categories that GET /actuator/loggers lists can be changed, because"
            + " other loggers write passwords, headers and bodies");
  }

  private ClockReading now() {
    return new ClockReading(ticker.nanos(), clock.unixMillis());
  }
}
