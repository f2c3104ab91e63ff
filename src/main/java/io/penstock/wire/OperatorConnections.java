package io.penstock.wire;

import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextType;
import org.springframework.boot.reactor.netty.NettyReactiveWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;

/** What holds of every connection holds of those to the operator port, a server of its own. */
@ManagementContextConfiguration(value = ManagementContextType.CHILD, proxyBeanMethods = false)
class OperatorConnections {
  /** A bean that customizes the server itself is not asked for there. */
  @Bean
  WebServerFactoryCustomizer<NettyReactiveWebServerFactory> operatorConnections() {
    return factory -> factory.addServerCustomizers(ConnectionGuard::guardOperators);
  }
}
