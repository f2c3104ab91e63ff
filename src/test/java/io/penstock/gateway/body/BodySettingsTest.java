package io.penstock.gateway.body;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.endpoint.EndpointFixture;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.queue.QueueBounds;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BodySettingsTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  @Test
  void pace_isOfTheSettings() {
    assertThat(new BodySettings(1, 1, Duration.ofSeconds(20), 500, Duration.ofMinutes(5)).pace())
        .isEqualTo(new BodyPace.Terms(20_000_000_000L, 500, 300_000_000_000L));
  }

  @Test
  void queueBoundAboveWhatMayWait_isSaid_whereItIsSet() {
    BodySettings settings = new BodySettings(1_000, 1, SECOND, 0, SECOND);
    assertThat(settings.warnings(List.of(endpoint("/a", 500, "max_queued_bytes")))).isEmpty();
    assertThat(settings.warnings(List.of(endpoint("/a", 501, "path")))).isEmpty();
    assertThat(settings.warnings(List.of(endpoint("/a", 501, "max_queued_bytes"))))
        .containsExactly(
            "max_queued_bytes of 1 endpoints (/a) is above 500, half of"
                + " penstock.max-buffered-bytes, which is all that bodies may hold that wait in"
                + " queues");
    List<EndpointSpec> many =
        Stream.of("/a", "/b", "/c", "/d", "/e", "/f")
            .map(path -> endpoint(path, 501, "max_queued_bytes"))
            .toList();
    assertThat(settings.warnings(many).getFirst())
        .startsWith("max_queued_bytes of 6 endpoints (/a, /b, /c, /d, /e, …) is");
  }

  private static EndpointSpec endpoint(String path, long maxQueuedBytes, String stated) {
    QueueBounds bounds = new QueueBounds(1, 1, maxQueuedBytes);
    return EndpointFixture.none(path).maxSkips(1).bounds(bounds).stated(Set.of(stated)).spec();
  }

  @ParameterizedTest
  @CsvSource({
    "0, 1, 1, 0, 1, penstock.max-buffered-bytes",
    "1, 0, 1, 0, 1, penstock.body.tenant-share",
    "1, 1.01, 1, 0, 1, penstock.body.tenant-share",
    "1, NaN, 1, 0, 1, penstock.body.tenant-share",
    "1, 1, 0, 0, 1, penstock.body-timeout",
    "1, 1, 1, -1, 1, penstock.body.min-bytes-per-second",
    "1, 1, 1, 0, -1, penstock.body.deadline"
  })
  void badValue_isRefusedByName(
      long most, double share, long timeout, long rate, long deadline, String name) {
    assertThatThrownBy(
            () ->
                new BodySettings(
                    most, share, Duration.ofSeconds(timeout), rate, Duration.ofSeconds(deadline)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(name + " is '")
        .hasMessageContaining("expected ");
  }
}
