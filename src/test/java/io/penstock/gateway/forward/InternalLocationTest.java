package io.penstock.gateway.forward;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InternalLocationTest {
  private static final String UPSTREAM = "llm.example.com";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/v1/files/f-1",
        "v1/models/",
        "//files.example.org/x",
        "https://llm.example.com/v1/models/",
        "http://LLM.example.com.:8000/v1",
        "http://vllm-0:8000/v1/models/",
        "http://vllm.models.svc.cluster.local/v1",
        "http://db.internal/",
        "http://127.0.0.1:8000/",
        "http://10.1.2.3/",
        "http://172.16.0.1/",
        "http://192.168.1.1/",
        "http://169.254.169.254/latest/meta-data/",
        "http://100.64.0.1/",
        "http://[::1]/",
        "http://[fd00::1]/",
        "http://[::ffff:10.0.0.1]/",
        "http://0.0.0.0/",
        "ftp://files.example.org/x",
        "javascript:alert(1)",
        "http://a b/",
        "http:///x",
        "",
      })
  void locationAtTheUpstreamOrInAPrivateNetwork_isInternal(String location) {
    assertThat(InternalLocation.is(location, UPSTREAM)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://files.example.org/x?signature=y",
        "http://example.com/",
        "https://203.0.113.9/x",
        "https://[2001:db8::1]/x",
        " https://files.example.org/x",
      })
  void locationAtAnotherPublicHost_isNotInternal(String location) {
    assertThat(InternalLocation.is(location, UPSTREAM)).isFalse();
    assertThat(InternalLocation.is(location, null)).isFalse();
  }
}
