package io.penstock.load;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.cloud.gateway.filter.ratelimit.KeyResolver;
import org.springframework.context.annotation.Bean;
import reactor.core.publisher.Mono;

/**
 * Spring Cloud Gateway as it comes: one route, and what filters its arguments name. Everything is
 * told by Spring arguments.
 */
@SpringBootApplication(proxyBeanMethods = false)
class BareGateway {
  public static void main(String[] arguments) {
    SpringApplication.run(BareGateway.class, arguments);
  }

  /** Who is limited: the client's credential, as with Penstock's keys. */
  @Bean
  KeyResolver credential() {
    return exchange ->
        Mono.justOrEmpty(exchange.getRequest().getHeaders().getFirst("Authorization"));
  }
}
