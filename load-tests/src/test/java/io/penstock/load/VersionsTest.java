package io.penstock.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What Penstock is compared with stands on the same versions as it does. */
class VersionsTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "<artifactId>spring-boot-starter-parent</artifactId>\\s*<version>[^<]+",
        "<spring-cloud.version>[^<]+",
        "<reactor-netty.version>[^<]+",
        "<netty.version>[^<]+",
        "<maven.compiler.release>[^<]+"
      })
  void version_ofBothPoms_isTheSame(String pattern) throws IOException {
    assertThat(found(pattern, Path.of("pom.xml"))).isEqualTo(found(pattern, Path.of("../pom.xml")));
  }

  private static String found(String pattern, Path pom) throws IOException {
    return Pattern.compile(pattern)
        .matcher(Files.readString(pom))
        .results()
        .map(MatchResult::group)
        .findFirst()
        .orElseThrow(() -> new AssertionError(pom + " has no " + pattern));
  }
}
