package io.penstock.gateway.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.suite.Hostile;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;

class ClientAddressTest {
  private static final String PROXIES = "10\\..*";

  private static Object client(@Nullable String trusted, String peer, String... forwarded) {
    return new ClientAddress(trusted)
        .of(
            MockServerHttpRequest.post("/a")
                .remoteAddress(new InetSocketAddress(InetAddress.ofLiteral(peer), 1234))
                .header("X-Forwarded-For", forwarded)
                .build());
  }

  private static Object address(String literal) {
    return InetAddress.ofLiteral(literal);
  }

  @Test
  void noTrustedProxies_isWhoConnected() {
    assertThat(client(null, "192.0.2.1", "198.51.100.7")).isEqualTo(address("192.0.2.1"));
    assertThat(client("", "192.0.2.1", "198.51.100.7")).isEqualTo(address("192.0.2.1"));
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void anotherPeer_isNotBelieved() {
    assertThat(client(PROXIES, "192.0.2.1", "198.51.100.7")).isEqualTo(address("192.0.2.1"));
  }

  @Test
  void trustedProxy_isBelieved_asFarAsTrustedOnesSaySo() {
    assertThat(client(PROXIES, "10.0.0.1", "198.51.100.7")).isEqualTo(address("198.51.100.7"));
    assertThat(client(PROXIES, "10.0.0.1", "203.0.113.9, 198.51.100.7 ,10.0.0.2"))
        .isEqualTo(address("198.51.100.7"));
    assertThat(client(PROXIES, "10.0.0.1", "203.0.113.9", "198.51.100.7"))
        .isEqualTo(address("198.51.100.7"));
    assertThat(client(PROXIES, "10.0.0.1", "10.0.0.3, 10.0.0.2")).isEqualTo(address("10.0.0.3"));
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void noAddressWhereOneShouldBe_isTheLastThatIsKnown() {
    assertThat(client(PROXIES, "10.0.0.1", "198.51.100.7, example.org"))
        .isEqualTo(address("10.0.0.1"));
    assertThat(client(PROXIES, "10.0.0.1", "unknown, 10.0.0.2")).isEqualTo(address("10.0.0.2"));
    assertThat(client(PROXIES, "10.0.0.1", "")).isEqualTo(address("10.0.0.1"));
  }

  @Test
  void addressesOfVersion6_areOneClientWithinTheirNetwork() {
    assertThat(client(null, "2001:db8::1")).isEqualTo(client(null, "2001:db8::ffff:2"));
    assertThat(client(null, "2001:db8::1")).isNotEqualTo(client(null, "2001:db8:0:1::1"));
  }

  @Test
  void noAddress_isSomethingToo() {
    Object unknown = new ClientAddress(null).of(MockServerHttpRequest.get("/").build());
    assertThat(unknown).isEqualTo("unknown");
  }
}
