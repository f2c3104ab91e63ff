package io.penstock.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.springframework.mock.env.MockEnvironment;
import reactor.netty.ChannelBindException;

class StartFailureTest {
  private final MockEnvironment environment = new MockEnvironment();

  @Test
  void portThatNeedsAPrivilege_isExplained() {
    ChannelBindException failure =
        ChannelBindException.fail(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 80),
            new BindException("Permission denied"));
    assertThat(StartFailure.sentence(new IllegalStateException(failure), environment))
        .isEqualTo(
            "this program may not listen on port 80, because ports below 1024 usually need a"
                + " privilege: choose another port with --port (server.port)");
    environment.setProperty("local.server.port", "8080");
    assertThat(StartFailure.sentence(failure, environment))
        .endsWith("with --operator-port (management.server.port)");
  }

  @Test
  void failureOfAnUnknownCause_hasNoSentence() {
    assertThat(StartFailure.sentence(new IllegalStateException("x"), environment)).isNull();
    ChannelBindException failure =
        ChannelBindException.fail(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 80),
            new BindException("out of handles"));
    assertThat(StartFailure.sentence(failure, environment)).isNull();
  }
}
