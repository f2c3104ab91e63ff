package io.penstock.gateway.forward;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import io.penstock.gateway.request.ClientAddress;
import io.penstock.suite.Hostile;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springframework.cloud.gateway.filter.headers.ForwardedHeadersFilter;
import org.springframework.cloud.gateway.filter.headers.XForwardedHeadersFilter;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.web.server.MockServerWebExchange;

class ForwardedHeadersTest {
  private static final String INGRESS = "10.1.2.3";

  /**
   * Returns the headers that the upstream gets when an ingress forwards a request with headers
   * about its client.
   */
  private static HttpHeaders headersFrom(ForwardedHeaders origin) throws UnknownHostException {
    return headersFrom(origin, Set.of("x-forwarded-*", "forwarded", "x-real-ip"));
  }

  private static HttpHeaders headersFrom(ForwardedHeaders origin, Set<String> listed)
      throws UnknownHostException {
    var request =
        MockServerHttpRequest.post("http://gateway.example/openai")
            .remoteAddress(new InetSocketAddress(InetAddress.getByName(INGRESS), 4711))
            .header("Host", "gateway.example")
            .header("X-Forwarded-For", "203.0.113.9")
            .header("X-Forwarded-Proto", "https")
            .header("X-Real-IP", "203.0.113.77")
            .header("Forwarded", "for=203.0.113.9")
            .build();
    HttpHeaders headers = new DefaultHttpHeaders();
    origin.addTo(MockServerWebExchange.from(request), listed, headers);
    return headers;
  }

  private static ForwardedHeaders trusting(String proxies) {
    return new ForwardedHeaders(
        List.of(new ForwardedHeadersFilter(proxies), new XForwardedHeadersFilter(proxies)),
        new ClientAddress(proxies));
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void nobodyTrusted_saysWhoConnected() throws Exception {
    HttpHeaders headers = headersFrom(new ForwardedHeaders(List.of(), new ClientAddress(null)));

    assertThat(headers.getAll("X-Forwarded-For")).containsExactly(INGRESS);
    assertThat(headers.getAll("X-Forwarded-Proto")).containsExactly("http");
    assertThat(headers.getAll("X-Forwarded-Host")).containsExactly("gateway.example");
    assertThat(headers.getAll("X-Real-IP")).containsExactly(INGRESS);
    assertThat(headers.contains("Forwarded")).isFalse();
  }

  @Test
  void trustedProxy_isBelieved() throws Exception {
    HttpHeaders headers = headersFrom(trusting("10\\..*|203\\.0\\.113\\..*"));

    assertThat(headers.getAll("X-Forwarded-For")).containsExactly("203.0.113.9," + INGRESS);
    assertThat(headers.getAll("X-Forwarded-Proto")).containsExactly("https,http");
    assertThat(headers.getAll("X-Real-IP")).containsExactly("203.0.113.9");
    assertThat(headers.getAll("Forwarded").toString()).contains("203.0.113.9").contains(INGRESS);
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void whoIsNoTrustedProxy_isNotBelieved() throws Exception {
    HttpHeaders headers = headersFrom(trusting("192\\.168\\..*"));

    assertThat(headers.toString()).doesNotContain("203.0.113.9");
    assertThat(headers.getAll("X-Forwarded-For")).containsExactly(INGRESS);
    assertThat(headers.getAll("X-Forwarded-Proto")).containsExactly("http");
  }

  @Test
  void headersThatTheEndpointDoesNotList_areNotWritten() throws Exception {
    assertThat(headersFrom(trusting("10\\..*"), Set.of())).isEmpty();
    assertThat(headersFrom(trusting("10\\..*"), Set.of("x-real-ip", "cookie")).names())
        .containsExactly("X-Real-IP");
    assertThat(headersFrom(trusting("10\\..*"), Set.of("x-forwarded-for")).names())
        .containsExactly("X-Forwarded-For");
  }
}
