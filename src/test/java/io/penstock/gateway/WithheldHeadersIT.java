package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.HttpMessage;
import io.penstock.fake.RawUpstream;
import io.penstock.suite.Hostile;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests which headers of clients reach upstreams, and which of upstreams reach clients. */
@SuppressWarnings("StringConcatToTextBlock") // as on the wire
class WithheldHeadersIT extends HostileCase {
  private static final String CALL = "/v1/chat/completions";

  private static final List<String> OF_THE_CLIENT =
      List.of(
          "OpenAI-Organization: org-theirs",
          "OpenAI-Project: proj-theirs",
          "x-goog-user-project: theirs",
          "Cookie: session=theirs",
          "X-Real-IP: 203.0.113.9",
          "X-Forwarded-For: 203.0.113.9",
          "X-Forwarded-Host: theirs.example",
          "X-Forwarded-Prefix: /theirs",
          "Forwarded: for=203.0.113.9",
          "True-Client-IP: 203.0.113.9",
          "CF-Connecting-IP: 203.0.113.9",
          "X-Client-IP: 203.0.113.9",
          "X-Kept: theirs");

  private static final String OF_THE_UPSTREAM =
      "Set-Cookie: a=1\r\nSet-Cookie: b=2\r\nAlt-Svc: h3=\":443\"\r\n"
          + "Access-Control-Allow-Origin: *\r\nAccess-Control-Allow-Credentials: true\r\n"
          + "Strict-Transport-Security: max-age=9\r\nClear-Site-Data: \"*\"\r\nNEL: {}\r\n"
          + "Report-To: {}\r\nRefresh: 0\r\nTiming-Allow-Origin: *\r\nX-Kept: theirs\r\n";

  @Override
  String routes() {
    return """
    endpoints:
      - path: /plain
        dialect: openai
        upstreams:
          - {id: plain, url: "%1$s", api_key: "${SECRET}", headers: {X-Team: blue}}
      - path: /own
        dialect: openai
        upstreams: [{id: own, url: "%1$s", api_key: passthrough}]
      - path: /open
        dialect: openai
        forward_headers: [x-forwarded-*, x-real-ip, Cookie, openai-organization, true-client-ip]
        answer_headers: [set-cookie, alt-svc, location, access-control-*]
        upstreams: [{id: open, url: "%1$s"}]
    """;
  }

  private HttpMessage chat(String endpoint) {
    return ask(
        "POST "
            + endpoint
            + CALL
            + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
            + CLIENT_SECRET
            + "\r\n"
            + String.join("\r\n", OF_THE_CLIENT)
            + "\r\nContent-Type: application/json\r\nContent-Length: "
            + ASK.length()
            + "\r\n\r\n"
            + ASK);
  }

  private static String lower(HttpMessage message) {
    return String.join("\n", message.headers()).toLowerCase(Locale.ROOT);
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void billingCookiesAndAddresses_ofAClient_stayInTheGateway() throws InterruptedException {
    assertThat(chat("/plain").status()).isEqualTo(200);
    HttpMessage asked = upstream.received();
    assertThat(asked.header("x-kept")).isEqualTo("theirs");
    assertThat(asked.header("x-team")).isEqualTo("blue");
    assertThat(lower(asked))
        .doesNotContain("openai-organization")
        .doesNotContain("openai-project")
        .doesNotContain("x-goog-user-project")
        .doesNotContain("cookie")
        .doesNotContain("forwarded")
        .doesNotContain("-ip:")
        .doesNotContain("203.0.113.9");
  }

  @Test
  void billingOfAClientWithCredentialsOfItsOwn_reachesTheProvider() throws InterruptedException {
    assertThat(chat("/own").status()).isEqualTo(200);
    HttpMessage asked = upstream.received();
    assertThat(asked.header("authorization")).isEqualTo("Bearer " + CLIENT_SECRET);
    assertThat(asked.header("openai-organization")).isEqualTo("org-theirs");
    assertThat(asked.header("openai-project")).isEqualTo("proj-theirs");
    assertThat(asked.header("x-goog-user-project")).isEqualTo("theirs");
    assertThat(lower(asked)).doesNotContain("cookie").doesNotContain("203.0.113.9");
  }

  @Test
  void headersThatAnEndpointLists_reachItsUpstreams() throws InterruptedException {
    assertThat(chat("/open").status()).isEqualTo(200);
    HttpMessage asked = upstream.received();
    assertThat(asked.header("cookie")).isEqualTo("session=theirs");
    assertThat(asked.header("openai-organization")).isEqualTo("org-theirs");
    assertThat(asked.header("true-client-ip")).isEqualTo("203.0.113.9");
    assertThat(asked.all("x-forwarded-for")).containsExactly("127.0.0.1");
    assertThat(asked.all("x-forwarded-host")).containsExactly("localhost");
    assertThat(asked.all("x-real-ip")).containsExactly("127.0.0.1");
    assertThat(lower(asked))
        .doesNotContain("openai-project")
        .doesNotContain("x-forwarded-prefix")
        .doesNotContain("\nforwarded");
  }

  private HttpMessage answered(String endpoint, String start, String headers) {
    upstream.script(
        RawUpstream.answering(
            "HTTP/1.1 "
                + start
                + "\r\nContent-Type: application/json\r\nConnection: close\r\n"
                + headers
                + "Content-Length: 2\r\n\r\n{}"));
    return post(endpoint + CALL, ASK);
  }

  @Hostile(Hostile.By.UPSTREAM)
  @ParameterizedTest
  @ValueSource(strings = {"200 OK", "400 Bad Request", "404 Not Found"})
  void cookiesAndOtherStatementsOfAnUpstream_doNotReachClients(String start)
      throws InterruptedException {
    HttpMessage answer = answered("/plain", start, OF_THE_UPSTREAM);
    assertThat(answer.start()).contains(start.substring(0, 3));
    assertThat(answer.header("x-kept")).isEqualTo("theirs");
    assertThat(lower(answer))
        .doesNotContain("set-cookie")
        .doesNotContain("alt-svc")
        .doesNotContain("access-control")
        .doesNotContain("strict-transport")
        .doesNotContain("clear-site")
        .doesNotContain("nel:")
        .doesNotContain("report-to")
        .doesNotContain("refresh")
        .doesNotContain("timing-allow");
    upstream.received();
  }

  @Test
  void headersOfUpstreamsThatAnEndpointLists_reachClients() throws InterruptedException {
    String inside = "http://10.0.0.1/x";
    HttpMessage answer =
        answered("/open", "307 Moved", OF_THE_UPSTREAM + "Location: " + inside + "\r\n");
    assertThat(answer.all("set-cookie")).containsExactly("a=1", "b=2");
    assertThat(answer.header("alt-svc")).isEqualTo("h3=\":443\"");
    assertThat(answer.header("access-control-allow-origin")).isEqualTo("*");
    assertThat(answer.header("location")).isEqualTo(inside);
    assertThat(answer.header("strict-transport-security")).isNull();
    upstream.received();
  }

  @Hostile(Hostile.By.UPSTREAM)
  @Test
  void internalLocation_doesNotReachClients_andAPublicOneDoes() throws InterruptedException {
    String own = "Location: " + upstream.url() + "/v1/models/\r\n";
    HttpMessage answer = answered("/plain", "307 Temporary Redirect", own);
    assertThat(answer.status()).isEqualTo(307);
    assertThat(answer.header("location")).isNull();
    upstream.received();

    String elsewhere = "https://files.example.org/x?signature=y";
    HttpMessage led = answered("/plain", "302 Found", "Location: " + elsewhere + "\r\n");
    assertThat(led.header("location")).isEqualTo(elsewhere);
    upstream.received();
  }
}
