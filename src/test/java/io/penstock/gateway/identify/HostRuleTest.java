package io.penstock.gateway.identify;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http.HttpVersion;
import io.penstock.suite.Hostile;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostRuleTest {
  private static final HttpVersion TWO = HttpVersion.valueOf("HTTP/2.0");

  private static String fault(String... hosts) {
    return HostRule.fault(List.of(hosts), HttpVersion.HTTP_1_1);
  }

  @Test
  void oneHost_isRight() {
    assertThat(fault("llm.example:8080")).isNull();
    assertThat(fault("[::1]:8080")).isNull();
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void noHost_isWrongSinceHttp11() {
    assertThat(fault()).contains("no Host header");
    assertThat(HostRule.fault(List.of(), TWO)).contains("no Host header");
    assertThat(HostRule.fault(List.of(), HttpVersion.HTTP_1_0)).isNull();
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void twoHosts_areWrong_alsoTheSameTwice() {
    assertThat(fault("a", "b")).contains("more than one");
    assertThat(fault("a", "a")).contains("more than one");
    assertThat(HostRule.fault(List.of("a", "b"), HttpVersion.HTTP_1_0)).contains("more than one");
    assertThat(HostRule.fault(List.of("a", "b"), TWO)).contains("more than one");
    assertThat(HostRule.fault(List.of("a", "a"), TWO)).isNull();
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @ValueSource(strings = {"", " ", "a,b", "a b", "a/b", "user@a"})
  void whatIsNotTheNameOfOneHost_isWrong(String host) {
    assertThat(fault(host)).contains("not the name of one host");
  }
}
