package io.penstock;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.LogCapture;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.ProgramProcess;
import io.penstock.time.Ticker;
import java.io.IOException;
import java.net.SocketTimeoutException;
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
  void requests_areAnswered() {
    PatientWaits.await()
        .ignoreException(SocketTimeoutException.class) // until the code is warm enough for it
        .until(() -> WarmUp.run(Ticker.system()) >= 2);
  }

  @Test
  void program_hasNoTraceOfThem() throws IOException {
    Path routes = Files.writeString(directory.resolve("routes.yaml"), ROUTES);
    try (ProgramProcess program = new ProgramProcess(routes, "--penstock.warm-up=true")) {
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
      assertThat(program.log())
          .anyMatch(line -> line.contains("/a -> u"))
          .filteredOn(
              line -> !line.contains("could not answer a request of its own")) // on a slow machine
          .noneMatch(line -> line.contains("warm"));
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
              "WARN io.penstock.lifecycle the gateway could not answer a request of its own before"
                  + " it opened its port, so the first requests may take some seconds; nothing else"
                  + " is affected (no port is free)");
      LoggerFactory.getLogger("io.penstock.lifecycle").warn("a later line");
      assertThat(log.lines()).hasSize(2);
    }
  }
}
