package io.penstock.gateway.coordination;

import io.penstock.coordination.CoordinationService;
import io.penstock.gateway.identify.OwnPaths;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Wires the coordination API, if it is enabled. */
@Configuration(proxyBeanMethods = false)
public class CoordinationConfiguration {
  @Bean
  @Nullable OwnPaths coordinationPaths(ObjectProvider<CoordinationService> coordination) {
    CoordinationService objects = coordination.getIfAvailable();
    return objects == null ? null : new CoordinationAnswer(objects);
  }
}
