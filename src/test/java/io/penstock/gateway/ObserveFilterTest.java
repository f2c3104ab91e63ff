package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.trace.Tracing;
import io.penstock.trace.Trail;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.cloud.gateway.filter.GlobalFilter;
import org.springframework.mock.env.MockEnvironment;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.web.server.MockServerWebExchange;

class ObserveFilterTest {
  private static @Nullable GlobalFilter filter(@Nullable Tracing tracing, String logged) {
    DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
    if (tracing != null) {
      beans.registerSingleton("tracing", tracing);
    }
    MockEnvironment environment = new MockEnvironment();
    environment.setProperty("penstock.log.access", logged);
    return new GatewayConfiguration()
        .observeFilter(beans.getBeanProvider(Tracing.class), () -> 0, environment);
  }

  @Test
  void whereNobodyWantsToKnow_thereIsNone_andNoTrailIsMade() {
    assertThat(filter(null, "0")).isNull();
    MockServerWebExchange unseen =
        MockServerWebExchange.from(MockServerHttpRequest.get("/a").build());
    assertThat(ObserveFilter.of(unseen)).isSameAs(Trail.NONE);
    assertThat(unseen.getAttributes()).doesNotContainKey(Trail.class.getName());
  }

  @Test
  void whereSomebodyDoes_thereIsOne() {
    assertThat(filter(null, "0.01")).isInstanceOf(ObserveFilter.class);
    Tracing tracing = (method, path, headers) -> Trail.NONE;
    assertThat(filter(tracing, "0")).isInstanceOf(ObserveFilter.class);
  }

  @Test
  void lineInTheLog_passesOnAllThatATrailIsTold() {
    assertThat(Trail.class.getMethods())
        .hasSizeGreaterThan(10)
        .allSatisfy(
            told ->
                assertThat(AccessLine.class.getDeclaredMethods())
                    .extracting(Method::getName)
                    .contains(told.getName()));
  }
}
