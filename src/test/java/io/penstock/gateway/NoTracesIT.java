package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import org.junit.jupiter.api.Test;
import org.springframework.test.util.ReflectionTestUtils;

/** Tests that there are no traces without a collector. */
class NoTracesIT extends HostileCase {
  private static final String PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

  @Override
  String routes() {
    return "endpoints: [{path: /openai, dialect: openai, upstreams: [{id: o, url: '%1$s'}]}]";
  }

  @Test
  void parentPassesUntouched() throws InterruptedException {
    String request =
        ByteSocket.request("POST", CHAT, ASK)
            .replace(
                "Host: penstock\r\n",
                "Host: penstock\r\ntraceparent: " + PARENT + "\r\ntracestate: a=b\r\n");
    assertThat(ask(request).status()).isEqualTo(200);
    HttpMessage asked = upstream.received();
    assertThat(asked.all("traceparent")).containsExactly(PARENT);
    assertThat(asked.all("tracestate")).containsExactly("a=b");
  }

  @Test
  void noneIsBegun() throws InterruptedException {
    assertThat(post(CHAT, ASK).status()).isEqualTo(200);
    assertThat(upstream.received().all("traceparent")).isEmpty();
  }

  @Test
  void nothingFollowsRequests() {
    Object tracing = ReflectionTestUtils.getField(gateway.bean(ObserveFilter.class), "tracing");
    assertThat(tracing).isNull();
  }
}
