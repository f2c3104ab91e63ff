package io.penstock.wire;

import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextType;
import org.springframework.boot.reactor.netty.NettyReactiveWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;

/** Adds the guard of connections to the operator port, which has a server of its own. */
@ManagementContextConfiguration(value = ManagementContextType.CHILD, proxyBeanMethods = false)
class OperatorConnections {
  /**
   * Creates a customizer of the factory. A bean that customizes the server itself would not be used
   * for this server.
   */
  @Bean
  WebServerFactoryCustomizer<NettyReactiveWebServerFactory> operatorConnections() {
    return factory -> factory.addServerCustomizers(ConnectionGuard::guardOperators);
  }
}
