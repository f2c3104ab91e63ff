package io.penstock.fake;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/** A collector of traces that reads spans in OTLP as protobuf over HTTP. */
@SuppressWarnings("StringConcatToTextBlock") // as on the wire
public final class TraceCollector implements AutoCloseable {
  private static final String TAKEN =
      "HTTP/1.1 200 OK\r\nContent-Type: application/x-protobuf\r\nContent-Length: 0\r\n"
          + "Connection: close\r\n\r\n";

  private final List<Span> spans = new CopyOnWriteArrayList<>();
  private final List<String> targets = new CopyOnWriteArrayList<>();
  private final List<String> headers = new CopyOnWriteArrayList<>();

  /** Accepts everything. */
  public final RawUpstream.Script takes =
      (self, byteSocket) -> {
        HttpMessage request = byteSocket.request();
        targets.add(request.target());
        headers.addAll(request.headers());
        read(request.body());
        byteSocket.send(TAKEN);
      };

  private final RawUpstream server;

  private TraceCollector() {
    server = RawUpstream.start(takes);
  }

  /** Starts on a free port of the loopback. */
  public static TraceCollector start() {
    return new TraceCollector();
  }

  /**
   * A span.
   *
   * @param parent the id of its parent, empty if it has none
   * @param kind 1 internal, 2 server, 3 client
   * @param failed whether its status is an error
   */
  public record Span(
      String trace,
      String id,
      String parent,
      String name,
      long kind,
      long begunNanos,
      long endedNanos,
      boolean failed,
      Map<String, String> attributes) {
    /** Returns the value of an attribute as text, or null. */
    public String get(String attribute) {
      return attributes.get(attribute);
    }
  }

  /** Sets how later connections are handled. */
  public void script(RawUpstream.Script script) {
    server.script(script);
  }

  /** Returns its address. */
  public String url() {
    return server.url();
  }

  /** Returns the requested paths. */
  public List<String> targets() {
    return targets;
  }

  /** Returns the headers of requests. */
  public List<String> headers() {
    return headers;
  }

  /** Returns the number of connections. */
  public int connections() {
    return server.connections();
  }

  /** Returns the received spans, in the order in which they ended. */
  public List<Span> spans() {
    return spans;
  }

  /** Returns the received spans of a trace. */
  public List<Span> of(String trace) {
    return spans.stream().filter(span -> span.trace().equals(trace)).toList();
  }

  @Override
  public void close() {
    server.close();
  }

  private void read(byte[] request) {
    for (Field resource : fields(request)) {
      for (Field scope : fields(resource.bytes())) {
        if (scope.number() == 2) {
          fields(scope.bytes()).stream()
              .filter(field -> field.number() == 2)
              .forEach(field -> take(span(field.bytes())));
        }
      }
    }
  }

  /** Adds a span once, because a batch may be sent again if its answer was lost. */
  private void take(Span span) {
    if (spans.stream().noneMatch(known -> known.id().equals(span.id()))) {
      spans.add(span);
    }
  }

  private static Span span(byte[] bytes) {
    Map<Integer, Field> by = new HashMap<>();
    Map<String, String> attributes = new HashMap<>();
    for (Field field : fields(bytes)) {
      by.put(field.number(), field);
      if (field.number() == 9) {
        attribute(field.bytes(), attributes);
      }
    }
    Field status = by.get(15);
    boolean failed =
        status != null
            && fields(status.bytes()).stream()
                .anyMatch(field -> field.number() == 3 && field.value() == 2);
    return new Span(
        hex(by.get(1)),
        hex(by.get(2)),
        hex(by.get(4)),
        new String(by.get(5).bytes(), UTF_8),
        by.get(6).value(),
        by.get(7).value(),
        by.get(8).value(),
        failed,
        attributes);
  }

  private static void attribute(byte[] bytes, Map<String, String> attributes) {
    List<Field> pair = fields(bytes);
    Field value = fields(pair.get(1).bytes()).getFirst();
    attributes.put(
        new String(pair.get(0).bytes(), UTF_8),
        value.number() == 1 ? new String(value.bytes(), UTF_8) : Long.toString(value.value()));
  }

  private static String hex(Field field) {
    return field == null ? "" : HexFormat.of().formatHex(field.bytes());
  }

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Field(int number, long value, byte[] bytes) {}

  private static List<Field> fields(byte[] message) {
    ByteBuffer in = ByteBuffer.wrap(message).order(ByteOrder.LITTLE_ENDIAN);
    List<Field> fields = new ArrayList<>();
    while (in.hasRemaining()) {
      int tag = (int) varint(in);
      int number = tag >>> 3;
      switch (tag & 7) {
        case 0 -> fields.add(new Field(number, varint(in), new byte[0]));
        case 1 -> fields.add(new Field(number, in.getLong(), new byte[0]));
        case 2 -> {
          byte[] bytes = new byte[(int) varint(in)];
          in.get(bytes);
          fields.add(new Field(number, 0, bytes));
        }
        case 5 -> fields.add(new Field(number, in.getInt(), new byte[0]));
        default -> throw new AssertionError("no protobuf: wire type " + (tag & 7));
      }
    }
    return fields;
  }

  private static long varint(ByteBuffer in) {
    long value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      byte next = in.get();
      value |= (long) (next & 0x7f) << shift;
      if (next >= 0) {
        return value;
      }
    }
    throw new AssertionError("no protobuf: a number without an end");
  }
}
