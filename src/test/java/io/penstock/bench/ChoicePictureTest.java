package io.penstock.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/**
 * Checks that the picture of limits and orders shows the core's present behaviour. {@code mvn test
 * -Dtest=ChoicePictureTest -Dpenstock.picture=src/docs/choosing.svg} draws it again.
 */
class ChoicePictureTest {
  private static final Path COMMITTED = Path.of("src", "docs", "choosing.svg");

  @Test
  void picture_drawnAgain_isTheCommittedOne() throws IOException {
    String drawn = ChoicePicture.draw();
    String file = System.getProperty("penstock.picture");
    if (file != null) {
      Files.writeString(Path.of(file), drawn);
    }
    assertThat(COMMITTED).hasContent(drawn);
  }
}
