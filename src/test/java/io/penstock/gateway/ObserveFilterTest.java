package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.trace.RequestTracing;
import io.penstock.trace.RequestTrail;
import java.lang.reflect.Method;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.cloud.gateway.filter.GlobalFilter;

class ObserveFilterTest {
  private static @Nullable GlobalFilter filter(
      @Nullable RequestTracing requestTracing, double logged) {
    DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
    if (requestTracing != null) {
      beans.registerSingleton("tracing", requestTracing);
    }
    GatewaySettings settings = new GatewaySettings(false, logged, Duration.ofSeconds(60));
    return new GatewayConfiguration()
        .observeFilter(beans.getBeanProvider(RequestTracing.class), () -> 0, settings);
  }

  @Test
  void filter_isThere_asAnOperatorMayAskForTheAccessLogLater() {
    assertThat(filter(null, 0)).isInstanceOf(ObserveFilter.class);
    assertThat(filter(null, 0.01)).isInstanceOf(ObserveFilter.class);
    RequestTracing requestTracing = (method, path, headers) -> RequestTrail.NONE;
    assertThat(filter(requestTracing, 0)).isInstanceOf(ObserveFilter.class);
  }

  @Test
  void accessLine_passesOnEveryCallOfATrail() {
    assertThat(RequestTrail.class.getMethods())
        .hasSizeGreaterThan(10)
        .allSatisfy(
            event ->
                assertThat(AccessLine.class.getDeclaredMethods())
                    .extracting(Method::getName)
                    .contains(event.getName()));
  }
}
