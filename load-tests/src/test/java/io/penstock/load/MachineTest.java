package io.penstock.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class MachineTest {
  private static String classPath(List<String> command) {
    return command.get(command.indexOf("-cp") + 1);
  }

  @Test
  void peers_runOnWhatPenstockRunsOn() {
    assertThat(classPath(Machine.main(Upstream.class))).contains("io_uring");
    assertThat(classPath(Machine.peer(BareGateway.class, "--a")))
        .doesNotContain("io_uring")
        .contains("transport-native-epoll", "spring-cloud-gateway");
    assertThat(Machine.peer(BareGateway.class, "--a")).endsWith(BareGateway.class.getName(), "--a");
  }
}
