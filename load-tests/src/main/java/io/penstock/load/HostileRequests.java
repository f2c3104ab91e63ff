package io.penstock.load;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;

/** The requests of a hostile tenant, as they go over the wire. */
final class HostileRequests {
  /** The endpoint that both tenants use, where keys take turns. */
  static final String FAIR = "/load";

  /** One in the order of arrival. */
  static final String FIFO = "/load-fifo";

  private static final String CHAT = FAIR + Cast.PATH;

  private static final int SMALLEST = 64 * 1024;
  private static final int DOUBLINGS = 8;
  private static final int LONG_LINE = 64 * 1024;
  private static final int MANY_FIELDS = 3_000;
  private static final int DEEP = 10_000;
  private static final int MESSAGE = 1_000;
  private static final int BEGINNING_WORDS = 500;

  /** Every so many attempts there is another request that holds a slot of the key. */
  static final int SLOW_EVERY = 8;

  /** Every so many attempts there is another request that can be asked about. */
  static final int ASKED_EVERY = 4;

  private static final String MODEL = "{\"model\":\"load\",";
  private static final String MESSAGES = "\"messages\":[{\"role\":\"user\",\"content\":\"Hello\"}]";

  private HostileRequests() {}

  /** Returns a head with the key's secret, and the fields, each ended by CR LF. */
  static byte[] head(String method, String target, String secret, String fields) {
    String text =
        "%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\n%s\r\n"
            .formatted(method, target, secret, fields);
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  /** Returns a whole request that posts a body to the endpoint. */
  static byte[] post(String secret, byte[] body) {
    return post(CHAT, secret, "", body);
  }

  private static byte[] post(String target, String secret, String more, byte[] body) {
    String fields =
        more + "Content-Type: application/json\r\nContent-Length: " + body.length + "\r\n";
    return joined(head("POST", target, secret, fields), body);
  }

  static byte[] get(String secret, String target) {
    return head("GET", target, secret, "");
  }

  private static byte[] joined(byte[] head, byte[] body) {
    byte[] all = Arrays.copyOf(head, head.length + body.length);
    System.arraycopy(body, 0, all, head.length, body.length);
    return all;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Returns what a tenant that behaves sends to an endpoint. */
  static byte[] harmless(String endpoint, String secret) {
    return post(endpoint + Cast.PATH, secret, "", bytes(Load.BODY));
  }

  /** Returns a request whose prompt is a word that the upstream obeys. */
  static byte[] prompting(String secret, String word) {
    return post(secret, bytes(prompt("", word)));
  }

  /** Returns one that takes long, to the endpoint in the order of arrival. */
  static byte[] queued(String secret) {
    return post(FIFO + Cast.PATH, secret, "", bytes(prompt("", PromptedUpstream.SLOW)));
  }

  /** Returns one that takes long, for a model that no other names. */
  static byte[] naming(String secret, long number) {
    String model = "\"load-%d\"".formatted(number);
    return post(secret, bytes(prompt("", PromptedUpstream.SLOW).replaceFirst("\"load\"", model)));
  }

  /** Returns one for the model of the other tenant that lets the provider search. */
  static byte[] searching(String secret) {
    String search = prompt("\"web_search_options\":{},", PromptedUpstream.FIND);
    return post(secret, bytes(search.replaceFirst("load", "gpt-4o-mini")));
  }

  /** Returns one that continues from an answer which the gateway does not know. */
  static byte[] continuing(String secret, long number) {
    String body =
        "{\"model\":\"hidden\",\"max_output_tokens\":100,\"previous_response_id\":\"resp-%d\","
                .formatted(number)
            + "\"input\":\"%s\"}".formatted(PromptedUpstream.FIND);
    return post(FAIR + "/v1/responses", secret, "", bytes(body));
  }

  /** Returns one that hardly waits, with a beginning that is long enough for a cache. */
  static byte[] beginning(String secret, long number) {
    String words = "beginning-%d ".formatted(number).repeat(BEGINNING_WORDS);
    return post(CHAT, secret, "x-penstock-timeout: 0.001\r\n", bytes(prompt("", words)));
  }

  /** Returns one that asks for a stream, with its usage at the end. */
  static byte[] streaming(String secret, String word) {
    return post(
        secret,
        bytes(prompt("\"stream\":true,\"stream_options\":{\"include_usage\":true},", word)));
  }

  private static String prompt(String more, String word) {
    return MODEL
        + "\"max_tokens\":100,"
        + more
        + "\"messages\":[{\"role\":\"user\",\"content\":\""
        + word
        + "\"}]}";
  }

  /** Returns one whose body is 64 KiB doubled up to seven times. */
  static byte[] large(String secret, long number) {
    return post(secret, bytes(prompt("", ofSize(SMALLEST << (number % DOUBLINGS)))));
  }

  private static String ofSize(int size) {
    return "ab ".repeat(size / 3);
  }

  /** Returns one whose body is 8 MiB, and which takes long. */
  static byte[] largeAndSlow(String secret) {
    String words = PromptedUpstream.SLOW + " " + ofSize(SMALLEST << (DOUBLINGS - 1));
    return post(secret, bytes(prompt("", words)));
  }

  /** Returns one whose body does not keep what its head or its beginning promised. */
  static byte[] broken(String secret, long number) {
    String json = "Content-Type: application/json\r\n";
    String start = MODEL + "\"messages\":[{\"role\":\"us";
    return switch ((int) (number % 6)) {
      case 0 -> post(secret, bytes(start));
      case 1 -> post(secret, bytes(MODEL + "\"x\":" + "[".repeat(DEEP) + "}"));
      case 2 -> {
        // longer than it says: what follows is taken for another request
        String fields = json + "Content-Length: 10\r\n";
        yield joined(head("POST", CHAT, secret, fields), bytes(start));
      }
      case 3 -> {
        String fields = json + "Transfer-Encoding: chunked\r\n";
        yield joined(head("POST", CHAT, secret, fields), bytes("zz\r\n" + start + "\r\n"));
      }
      case 4 -> {
        byte[] noGzip = bytes("this is no gzip at all");
        String fields =
            json + "Content-Encoding: gzip\r\nContent-Length: " + noGzip.length + "\r\n";
        yield joined(head("POST", CHAT, secret, fields), noGzip);
      }
      default -> post(secret, bytes("\"}]{".repeat(MESSAGE)));
    };
  }

  /** Returns one with a member that is there twice. */
  static byte[] repeated(String secret, long number) {
    String twice =
        switch ((int) (number % 4)) {
          case 0 -> "\"model\":\"other\"," + MESSAGES;
          case 1 -> "\"Max_Tokens\":1,\"max_tokens\":100," + MESSAGES;
          case 2 -> MESSAGES + "," + MESSAGES;
          default -> "\"mod\\u0065l\":\"other\"," + MESSAGES;
        };
    return post(secret, bytes(MODEL + twice + "}"));
  }

  /** Returns one with a byte that is no UTF-8. */
  static byte[] invalid(String secret, long number) {
    String text =
        number % 2 == 0
            ? MODEL + "\"mod\u00c1\u00a5l\":\"other\"," + MESSAGES + "}"
            : MODEL + "\"messages\":[{\"role\":\"user\",\"content\":\"\u00ff\u00fe\"}]}";
    return post(secret, text.getBytes(StandardCharsets.ISO_8859_1));
  }

  /** Returns one whose stated maximum is above every limit, or above the key's alone. */
  static byte[] above(String secret, long number) {
    String maximum =
        switch ((int) (number % 3)) {
          case 0 -> "2000000000";
          case 1 -> String.valueOf(TwoTenants.UPSTREAM_TPM - 1);
          default -> "99999999999999999999";
        };
    return post(secret, bytes(MODEL + "\"max_tokens\":" + maximum + "," + MESSAGES + "}"));
  }

  /** Returns a WebSocket upgrade. */
  static byte[] upgrade(String secret, long number) {
    String key = Base64.getEncoder().encodeToString(bytes("%016d".formatted(number)));
    String fields =
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            + "Sec-WebSocket-Key: "
            + key
            + "\r\n";
    return head("GET", FAIR + "/v1/realtime?model=load", secret, fields);
  }

  /** Returns a call that makes another object, most of which take what they may. */
  static byte[] object(String secret, long number) {
    String target =
        switch ((int) (number % 4)) {
          case 0 -> "/v1/event/hostile-%d/send?message=" + "m".repeat(MESSAGE);
          case 1 -> "/v1/semaphore/hostile-%d/acquire?size=1000&expires=600000&maxwait=0";
          case 2 -> "/v1/watchdog/hostile-%d/kick?expires=600000";
          default -> "/v1/barrier/hostile-%d/wait?size=1000&maxwait=20";
        };
    return get(secret, target.formatted(number));
  }

  /** Returns a request that takes long, with an id by which it can be asked about. */
  static byte[] asked(String secret, long number) {
    byte[] body = bytes(prompt("", PromptedUpstream.SLOW));
    String fields =
        "x-request-id: asked-%d\r\nContent-Length: %d\r\n".formatted(number, body.length);
    return joined(head("POST", CHAT, secret, fields), body);
  }

  /** Returns a question about the key, or about the latest request that can be asked about. */
  static byte[] question(String secret, long number) {
    long asked = number - number % ASKED_EVERY;
    return get(
        secret, number % 2 == 0 ? "/v1/penstock/status" : "/v1/penstock/requests/asked-" + asked);
  }

  /** Returns the beginning of a body of 1 MiB of which the rest does not come. */
  static byte[] slow(String secret) {
    String fields = "Content-Type: application/json\r\nContent-Length: 1048576\r\n";
    return joined(head("POST", CHAT, secret, fields), bytes("{"));
  }

  /** Returns nothing, or half a head. */
  static byte[] silent(long number) {
    return number % 2 == 0 ? new byte[0] : bytes("POST " + CHAT + " HTTP/1.1\r\nHost: 127.");
  }

  /** Returns a head with very many fields, or with very long lines. */
  static byte[] flood(String secret, long number) {
    return switch ((int) (number % 3)) {
      case 0 -> {
        StringBuilder fields = new StringBuilder();
        for (int at = 0; at < MANY_FIELDS; at++) {
          fields.append("x-flood-").append(at).append(": ").append(number).append("\r\n");
        }
        yield head("GET", CHAT, secret, fields.toString());
      }
      case 1 -> head("GET", CHAT, secret, "x-flood: " + "f".repeat(LONG_LINE) + "\r\n");
      default -> get(secret, CHAT + "?" + "f".repeat(LONG_LINE));
    };
  }
}
