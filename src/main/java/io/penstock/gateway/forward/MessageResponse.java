package io.penstock.gateway.forward;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.websocketx.ContinuationWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.penstock.gateway.request.UpstreamFailure;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.reactivestreams.Publisher;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.core.io.buffer.NettyDataBufferFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.AbstractServerHttpResponse;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.http.server.reactive.ServerHttpResponseDecorator;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The answer to a message of a WebSocket. The events of a stream become messages again; an error
 * becomes an event with its status, its headers and its body. Belongs to the event loop of the
 * client.
 */
final class MessageResponse extends AbstractServerHttpResponse {
  private static final JsonMapper JSON = new JsonMapper();
  private static final byte[] BEGIN = "data: ".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] END = "\n\n".getBytes(StandardCharsets.US_ASCII);

  private final ServerHttpResponse upgrade;
  private final MessageCall call;
  private boolean within;

  /**
   * Creates an answer.
   *
   * @param upgrade the answer to the upgrade
   */
  MessageResponse(ServerHttpResponse upgrade, MessageCall call) {
    super(upgrade.bufferFactory());
    this.upgrade = upgrade;
    this.call = call;
  }

  /** Returns a part of a message as a part of an event, and takes its frame over. */
  static DataBuffer event(WebSocketFrame frame, boolean first, NettyDataBufferFactory factory) {
    ByteBuf text = frame.content();
    // between the values of JSON a line break is a space; in an event it would end the line
    for (int at = text.readerIndex(); at < text.writerIndex(); at++) {
      byte each = text.getByte(at);
      if (each == '\n' || each == '\r') {
        text.setByte(at, ' ');
      }
    }
    ByteBuf begin = first ? Unpooled.wrappedBuffer(BEGIN) : Unpooled.EMPTY_BUFFER;
    ByteBuf end = frame.isFinalFragment() ? Unpooled.wrappedBuffer(END) : Unpooled.EMPTY_BUFFER;
    return factory.wrap(Unpooled.wrappedBuffer(begin, text, end));
  }

  private WebSocketFrame frame(DataBuffer event) {
    ByteBuf text = NettyDataBufferFactory.toByteBuf(event);
    if (!within) {
      text.skipBytes(BEGIN.length);
    }
    int size = text.readableBytes();
    boolean last =
        size >= END.length && text.getByte(text.writerIndex() - 1) == END[END.length - 1];
    if (last) {
      text.writerIndex(text.writerIndex() - END.length);
    }
    WebSocketFrame frame =
        within
            ? new ContinuationWebSocketFrame(last, 0, text)
            : new TextWebSocketFrame(last, 0, text);
    within = !last;
    return frame;
  }

  @Override
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // as the interface says
  public <T> T getNativeResponse() {
    return (T) ServerHttpResponseDecorator.getNativeResponse(upgrade);
  }

  @Override
  protected Mono<Void> writeWithInternal(Publisher<? extends DataBuffer> body) {
    return fails() ? refused(body) : events(body);
  }

  @Override
  protected Mono<Void> writeAndFlushWithInternal(
      Publisher<? extends Publisher<? extends DataBuffer>> body) {
    return fails()
        ? refused(Flux.from(body).concatMap(part -> part, 1))
        : Flux.from(body).concatMap(this::events, 1).then();
  }

  private boolean fails() {
    HttpStatusCode status = getStatusCode();
    return status != null && status.value() >= UpstreamFailure.LOWEST_ERROR_STATUS;
  }

  private Mono<Void> events(Publisher<? extends DataBuffer> body) {
    return Flux.from(body).concatMap(each -> call.send(frame(each)), 1).then();
  }

  private Mono<Void> refused(Publisher<? extends DataBuffer> body) {
    return DataBufferUtils.join(body)
        .map(
            joined -> {
              byte[] bytes = new byte[joined.readableByteCount()];
              joined.read(bytes);
              DataBufferUtils.release(joined);
              return bytes;
            })
        .defaultIfEmpty(new byte[0])
        .flatMap(bytes -> call.refuse(status(), error(status(), bytes, getHeaders())));
  }

  private int status() {
    HttpStatusCode status = getStatusCode();
    return status == null ? 200 : status.value();
  }

  /** Returns an error as an event. */
  static byte[] error(int status, byte[] body, HttpHeaders headers) {
    JsonNode read = read(body);
    if (read.path("type").asString("").equals(MessageType.ERROR) && read.has("status")) {
      return body;
    }
    ObjectNode event = JsonNodeFactory.instance.objectNode();
    event.put("type", MessageType.ERROR).put("status", status);
    if (read.path("error").isObject()) {
      event.set("error", read.path("error"));
    } else {
      event.putObject("error").put("message", new String(body, StandardCharsets.UTF_8));
    }
    ObjectNode told = event.putObject("headers");
    headers.forEach(
        (name, values) -> {
          String lower = name.toLowerCase(Locale.ROOT);
          if (!lower.startsWith("content-") && !lower.equals("x-content-type-options")) {
            told.put(lower, String.join(", ", values));
          }
        });
    return JSON.writeValueAsBytes(event);
  }

  private static JsonNode read(byte[] body) {
    try {
      return JSON.readTree(body);
    } catch (JacksonException other) {
      return JsonNodeFactory.instance.missingNode();
    }
  }

  @Override
  protected void applyStatusCode() {}

  @Override
  protected void applyHeaders() {}

  @Override
  protected void applyCookies() {}
}
