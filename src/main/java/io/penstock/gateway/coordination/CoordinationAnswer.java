package io.penstock.gateway.coordination;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.channel.EventLoop;
import io.penstock.coordination.Coordination;
import io.penstock.coordination.Operation;
import io.penstock.coordination.Reply;
import io.penstock.coordination.Turn;
import io.penstock.gateway.Door;
import io.penstock.gateway.OwnPaths;
import io.penstock.gateway.Printable;
import io.penstock.gateway.body.BodyIntake;
import io.penstock.park.Parking;
import io.penstock.refusal.Reason;
import io.penstock.refusal.Refusal;
import io.penstock.wire.ConnectionGuard;
import io.penstock.wire.Names;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;
import tools.jackson.databind.json.JsonMapper;

/**
 * Serves the coordination API over HTTP: turns requests into operations, and replies into answers.
 */
final class CoordinationAnswer implements OwnPaths {
  private static final Logger LOG = LoggerFactory.getLogger("io.penstock.coordination");
  private static final MediaType TEXT = new MediaType(MediaType.TEXT_PLAIN, UTF_8);

  /** Text that bouncer answers when it is ready. */
  private static final String READY = "I'm ready!\n";

  private final Coordination coordination;

  CoordinationAnswer(Coordination coordination) {
    this.coordination = coordination;
  }

  @Override
  public boolean serves(String rawPath) {
    return CoordinationPath.serves(rawPath);
  }

  @Override
  public Mono<Void> write(ServerWebExchange exchange, String requestId) {
    ServerHttpRequest request = exchange.getRequest();
    HttpHeaders headers = exchange.getResponse().getHeaders();
    headers.set(Names.REQUEST_ID, requestId);
    headers.setCacheControl("no-store");
    HttpMethod method = request.getMethod();
    return switch (CoordinationPath.of(request.getURI().getRawPath())) {
      case CoordinationPath.Ready _ ->
          asks(method) ? ready(exchange) : notAllowed(exchange, "GET, POST");
      case CoordinationPath.Nothing _ ->
          refuse(exchange, HttpStatus.NOT_FOUND, "not_found", "there is nothing under this path");
      case CoordinationPath.Bad(String why) -> bad(exchange, why);
      case CoordinationPath.Itself itself ->
          HttpMethod.DELETE.equals(method)
              ? done(exchange, itself.name(), new Operation.Delete(itself.kind()))
              : notAllowed(exchange, "DELETE");
      case CoordinationPath.Action action ->
          asks(method) ? done(exchange, action) : notAllowed(exchange, "GET, POST");
    };
  }

  private Mono<Void> ready(ServerWebExchange exchange) {
    return coordination.ready()
        ? text(exchange, HttpStatus.OK, READY)
        : refuse(
            exchange, Refusal.of(Reason.LIMIT_UNAVAILABLE, "Redis does not answer, or not yet"));
  }

  private static boolean asks(HttpMethod method) {
    return HttpMethod.GET.equals(method) || HttpMethod.POST.equals(method);
  }

  private Mono<Void> done(ServerWebExchange exchange, CoordinationPath.Action path) {
    try {
      CoordinationQuery query = new CoordinationQuery(exchange.getRequest().getURI().getRawQuery());
      Operation operation = query.operation(path);
      if (LOG.isDebugEnabled()) {
        LOG.debug(
            "{} {} {} id=\"{}\"",
            path.kind().word(),
            path.action(),
            Printable.of(path.name()),
            Printable.of(query.id()));
      }
      return done(exchange, path.name(), operation, query.maxWaitNanos(operation));
    } catch (CoordinationQuery.BadQuery fault) {
      return bad(exchange, fault.why());
    }
  }

  private Mono<Void> done(ServerWebExchange exchange, String name, Operation operation) {
    try {
      var _ = new CoordinationQuery(exchange.getRequest().getURI().getRawQuery());
    } catch (CoordinationQuery.BadQuery fault) {
      return bad(exchange, fault.why());
    }
    return done(exchange, name, operation, 0);
  }

  private Mono<Void> done(
      ServerWebExchange exchange, String name, Operation operation, long maxWaitNanos) {
    ServerHttpRequest request = exchange.getRequest();
    EventLoop loop = ConnectionGuard.channel(request).eventLoop();
    Turn turn = coordination.call(name, operation, maxWaitNanos);
    if (turn.reply() == null) {
      BodyIntake.drain(request);
    }
    return Parking.await(turn, loop).flatMap(reply -> answer(exchange, turn, reply));
  }

  /**
   * Writes a reply. If the client has gone, the call is cancelled, so that nothing stays acquired
   * for a client that never learned of it.
   */
  private static Mono<Void> answer(ServerWebExchange exchange, Turn turn, Reply reply) {
    if (!ConnectionGuard.alive(exchange.getRequest())) {
      turn.cancel();
    }
    return turn.take() ? write(exchange, reply) : Mono.empty();
  }

  private static Mono<Void> write(ServerWebExchange exchange, Reply reply) {
    return switch (reply) {
      case Reply.Done _ -> {
        exchange.getResponse().setStatusCode(HttpStatus.NO_CONTENT);
        yield exchange.getResponse().setComplete();
      }
      case Reply.Said(String said) -> text(exchange, HttpStatus.OK, said);
      case Reply.Told told ->
          bytes(
              exchange,
              HttpStatus.OK,
              MediaType.APPLICATION_JSON,
              JsonMapper.shared().writeValueAsBytes(told.statistics()));
      case Reply.TimedOut _ ->
          refuse(
              exchange, HttpStatus.REQUEST_TIMEOUT, Reason.QUEUE_TIMEOUT.code(), "maxwait is over");
      case Reply.Conflict(String why) -> refuse(exchange, HttpStatus.CONFLICT, "conflict", why);
      case Reply.Missing _ ->
          refuse(exchange, HttpStatus.NOT_FOUND, "not_found", "there is no such object");
      case Reply.Full(String why) -> refuse(exchange, Refusal.of(Reason.QUEUE_FULL, why));
      case Reply.Stopping _ -> refuse(exchange, Door.CLOSED);
      case Reply.Unavailable(String why) ->
          refuse(exchange, Refusal.of(Reason.LIMIT_UNAVAILABLE, why));
    };
  }

  private static Mono<Void> bad(ServerWebExchange exchange, String why) {
    return refuse(exchange, Refusal.of(Reason.BAD_REQUEST, why));
  }

  private static Mono<Void> notAllowed(ServerWebExchange exchange, String allowed) {
    exchange.getResponse().getHeaders().set(HttpHeaders.ALLOW, allowed);
    return refuse(
        exchange,
        HttpStatus.METHOD_NOT_ALLOWED,
        Reason.BAD_REQUEST.code(),
        "the method is not allowed here, expected " + allowed);
  }

  private static Mono<Void> refuse(ServerWebExchange exchange, Refusal refusal) {
    HttpHeaders headers = exchange.getResponse().getHeaders();
    refusal.retryAfterSeconds().ifPresent(s -> headers.set("Retry-After", Long.toString(s)));
    refusal.retryAfterMillis().ifPresent(ms -> headers.set("retry-after-ms", Long.toString(ms)));
    HttpStatus status = HttpStatus.valueOf(refusal.reason().status());
    return refuse(exchange, status, refusal.reason().code(), refusal.detail());
  }

  private static Mono<Void> refuse(
      ServerWebExchange exchange, HttpStatus status, String reason, String why) {
    exchange.getResponse().getHeaders().set(Names.REASON, reason);
    return text(exchange, status, why);
  }

  private static Mono<Void> text(ServerWebExchange exchange, HttpStatus status, String text) {
    return bytes(exchange, status, TEXT, text.getBytes(UTF_8));
  }

  private static Mono<Void> bytes(
      ServerWebExchange exchange, HttpStatus status, MediaType type, byte[] bytes) {
    ServerHttpResponse response = exchange.getResponse();
    response.setStatusCode(status);
    response.getHeaders().setContentType(type);
    response.getHeaders().setContentLength(bytes.length);
    return response.writeWith(Mono.just(response.bufferFactory().wrap(bytes)));
  }
}
