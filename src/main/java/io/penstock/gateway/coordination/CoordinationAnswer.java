package io.penstock.gateway.coordination;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.channel.EventLoop;
import io.penstock.coordination.ClientTurn;
import io.penstock.coordination.CoordinationService;
import io.penstock.coordination.ObjectOperation;
import io.penstock.coordination.ObjectReply;
import io.penstock.gateway.body.BodyIntake;
import io.penstock.gateway.identify.OwnPaths;
import io.penstock.gateway.identify.ShutdownGate;
import io.penstock.gateway.request.PrintableText;
import io.penstock.park.TicketParking;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import io.penstock.refusal.RetryAdvice;
import io.penstock.wire.ConnectionGuard;
import io.penstock.wire.HeaderNames;
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

  private final CoordinationService coordinationService;

  CoordinationAnswer(CoordinationService coordinationService) {
    this.coordinationService = coordinationService;
  }

  @Override
  public boolean serves(String rawPath) {
    return CoordinationPath.serves(rawPath);
  }

  @Override
  public Mono<Void> write(ServerWebExchange exchange, String requestId, String tenant) {
    ServerHttpRequest request = exchange.getRequest();
    HttpHeaders headers = exchange.getResponse().getHeaders();
    headers.set(HeaderNames.REQUEST_ID, requestId);
    headers.setCacheControl("no-store");
    HttpMethod method = request.getMethod();
    return switch (CoordinationPath.of(request.getURI().getRawPath())) {
      case CoordinationPath.Ready _ ->
          isGetOrPost(method) ? ready(exchange) : notAllowed(exchange, "GET, POST");
      case CoordinationPath.Nothing _ ->
          refuse(exchange, HttpStatus.NOT_FOUND, "not_found", "there is nothing under this path");
      case CoordinationPath.Bad(String why) -> bad(exchange, why);
      case CoordinationPath.Itself itself ->
          HttpMethod.DELETE.equals(method)
              ? done(exchange, tenant, itself.name(), new ObjectOperation.Delete(itself.kind()))
              : notAllowed(exchange, "DELETE");
      case CoordinationPath.Action action ->
          isGetOrPost(method) ? done(exchange, tenant, action) : notAllowed(exchange, "GET, POST");
    };
  }

  private Mono<Void> ready(ServerWebExchange exchange) {
    return coordinationService.ready()
        ? text(exchange, HttpStatus.OK, READY)
        : refuse(
            exchange,
            Refusal.of(RefusalReason.LIMIT_UNAVAILABLE, "Redis does not answer, or not yet"));
  }

  private static boolean isGetOrPost(HttpMethod method) {
    return HttpMethod.GET.equals(method) || HttpMethod.POST.equals(method);
  }

  private Mono<Void> done(ServerWebExchange exchange, String tenant, CoordinationPath.Action path) {
    try {
      CoordinationQuery query = new CoordinationQuery(exchange.getRequest().getURI().getRawQuery());
      ObjectOperation objectOperation = query.operation(path);
      if (LOG.isDebugEnabled()) {
        LOG.debug(
            "{} {} {} id=\"{}\"",
            path.kind().word(),
            path.action(),
            PrintableText.of(path.name()),
            PrintableText.of(query.id()));
      }
      return done(
          exchange, tenant, path.name(), objectOperation, query.maxWaitNanos(objectOperation));
    } catch (CoordinationQuery.BadQuery fault) {
      return bad(exchange, fault.why());
    }
  }

  private Mono<Void> done(
      ServerWebExchange exchange, String tenant, String name, ObjectOperation objectOperation) {
    try {
      var _ = new CoordinationQuery(exchange.getRequest().getURI().getRawQuery());
    } catch (CoordinationQuery.BadQuery fault) {
      return bad(exchange, fault.why());
    }
    return done(exchange, tenant, name, objectOperation, 0);
  }

  private Mono<Void> done(
      ServerWebExchange exchange,
      String tenant,
      String name,
      ObjectOperation objectOperation,
      long maxWaitNanos) {
    ServerHttpRequest request = exchange.getRequest();
    EventLoop loop = ConnectionGuard.channel(request).eventLoop();
    ClientTurn turn = coordinationService.call(tenant, name, objectOperation, maxWaitNanos);
    if (turn.reply() == null) {
      BodyIntake.drain(request);
    }
    return TicketParking.await(turn, loop)
        .flatMap(objectReply -> answer(exchange, turn, objectReply));
  }

  /**
   * Writes a reply. If the client has gone, the call is cancelled, so that nothing stays acquired
   * for a client that never learned of it.
   */
  private static Mono<Void> answer(
      ServerWebExchange exchange, ClientTurn turn, ObjectReply objectReply) {
    if (!ConnectionGuard.alive(exchange.getRequest())) {
      turn.cancel();
    }
    return turn.take() ? write(exchange, objectReply) : Mono.empty();
  }

  private static Mono<Void> write(ServerWebExchange exchange, ObjectReply objectReply) {
    return switch (objectReply) {
      case ObjectReply.Done _ -> {
        exchange.getResponse().setStatusCode(HttpStatus.NO_CONTENT);
        yield exchange.getResponse().setComplete();
      }
      case ObjectReply.Result(String message) -> text(exchange, HttpStatus.OK, message);
      case ObjectReply.Statistics reply ->
          bytes(
              exchange,
              HttpStatus.OK,
              MediaType.APPLICATION_JSON,
              JsonMapper.shared().writeValueAsBytes(reply.statistics()));
      case ObjectReply.TimedOut _ ->
          refuse(
              exchange,
              HttpStatus.REQUEST_TIMEOUT,
              RefusalReason.QUEUE_TIMEOUT.code(),
              "maxwait is over");
      case ObjectReply.Conflict(String why) ->
          refuse(exchange, HttpStatus.CONFLICT, "conflict", why);
      case ObjectReply.Missing _ ->
          refuse(exchange, HttpStatus.NOT_FOUND, "not_found", "there is no such object");
      case ObjectReply.Full(String why) ->
          refuse(exchange, Refusal.of(RefusalReason.QUEUE_FULL, why));
      case ObjectReply.Stopping _ -> refuse(exchange, ShutdownGate.CLOSED);
      case ObjectReply.Unavailable(String why) ->
          refuse(exchange, Refusal.of(RefusalReason.LIMIT_UNAVAILABLE, why));
    };
  }

  private static Mono<Void> bad(ServerWebExchange exchange, String why) {
    return refuse(exchange, Refusal.of(RefusalReason.BAD_REQUEST, why));
  }

  private static Mono<Void> notAllowed(ServerWebExchange exchange, String allowed) {
    exchange.getResponse().getHeaders().set(HttpHeaders.ALLOW, allowed);
    return refuse(
        exchange,
        HttpStatus.METHOD_NOT_ALLOWED,
        RefusalReason.BAD_REQUEST.code(),
        "the method is not allowed here, expected " + allowed);
  }

  private static Mono<Void> refuse(ServerWebExchange exchange, Refusal refusal) {
    HttpHeaders headers = exchange.getResponse().getHeaders();
    RetryAdvice advice = RetryAdvice.withoutInstant(refusal); // none of these has a known time
    advice.afterSeconds().ifPresent(s -> headers.set("Retry-After", Long.toString(s)));
    advice.afterMillis().ifPresent(ms -> headers.set("retry-after-ms", Long.toString(ms)));
    HttpStatus status = HttpStatus.valueOf(refusal.reason().status());
    return refuse(exchange, status, refusal.reason().code(), refusal.detail());
  }

  private static Mono<Void> refuse(
      ServerWebExchange exchange, HttpStatus status, String reason, String why) {
    exchange.getResponse().getHeaders().set(HeaderNames.REASON, reason);
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
