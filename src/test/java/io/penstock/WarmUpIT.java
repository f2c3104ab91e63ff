package io.penstock;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.LogCapture;
import io.penstock.fake.ProgramProcess;
import io.penstock.time.Ticker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

/** The requests that the program sends itself before it listens. */
@Isolated("It silences and reads the log of the JVM.")
class WarmUpIT {
  private static final String ROUTES =
      "endpoints: [{path: /a, dialect: openai, upstreams: [{id: u, url: 'mock://openai'}]}]";

  @TempDir private Path directory;

  @Test
  void requests_areAnswered() throws IOException {
    assertThat(WarmUp.run(Ticker.system())).isGreaterThanOrEqualTo(2);
  }

  @Test
  void program_hasNoTraceOfThem() throws IOException {
    Path routes = Files.writeString(directory.resolve("routes.yaml"), ROUTES);
    try (ProgramProcess program = new ProgramProcess(routes)) {
      assertThat(program.operator("/endpoints").text())
          .contains("\"path\":\"/a\"")
          .doesNotContain("warm-up");
      assertThat(program.operator("/upstreams").text())
          .contains("\"id\":\"u\"")
          .contains("\"pools\":[]");
      assertThat(program.operator("/usage?group_by=model").text()).contains("\"rows\":[]");
      assertThat(program.operator("/tickets").text()).doesNotContain("warm");
      assertThat(program.operator("/actuator/prometheus").text())
          .contains("penstock_")
          .doesNotContain("warm-up")
          .doesNotContain("penstock_tickets_total{");
      assertThat(String.join("\n", program.log())).contains("/a -> u").doesNotContain("warm");
    }
  }

  @Test
  void failure_isOneLineOfTheLog() {
    try (LogCapture log = LogCapture.listen()) {
      WarmUp.attempt(
          () -> {
            LoggerFactory.getLogger("io.penstock.lifecycle").warn("a line of the warm-up");
            throw new IOException("no port is free");
          });
      assertThat(log.lines())
          .containsExactly(
              "WARN io.penstock.lifecycle the first requests may be slow, because the warm-up"
                  + " failed: java.io.IOException: no port is free");
      LoggerFactory.getLogger("io.penstock.lifecycle").warn("a later line");
      assertThat(log.lines()).hasSize(2);
    }
  }
}
