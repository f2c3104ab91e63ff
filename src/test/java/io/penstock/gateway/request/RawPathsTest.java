package io.penstock.gateway.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.dialect.DialectTable;
import io.penstock.endpoint.CostSource;
import io.penstock.endpoint.EndpointFixture;
import io.penstock.endpoint.EndpointSetup;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.suite.Hostile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RawPathsTest {
  private static EndpointSpec spec(String path, String configured, boolean strip) {
    return EndpointFixture.none(path)
        .at(path, configured)
        .bounds(1, 1, 1)
        .reading(EndpointSetup.reading(DialectTable.NONE, CostSource.QUERY, 1, 1, 1))
        .stripPrefix(strip)
        .spec();
  }

  @ParameterizedTest
  @CsvSource({
    "/a, /a/v1/x, /v1/x",
    "/a, /a/, /",
    "/a, /a, ''",
    "/, /a/b, /a/b",
    "/, //a, //a",
    "/a/b, //%61//b//c/, //c/",
    "/a%2Fb, /a%2fb/c, /c",
  })
  void prefix_isTakenOffHoweverItIsWritten(String configured, String path, String below) {
    assertThat(RawPaths.forwarded(spec(configured, configured, true), path)).isEqualTo(below);
    assertThat(RawPaths.forwarded(spec(configured, configured, false), path)).isEqualTo(path);
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @CsvSource({
    "/v1/a, /v1/a",
    "'', ''",
    "/, ''",
    "a/b, /a/b",
    "//v1//a//, /v1/a",
    "/v1;x/a;y=1, /v1/a",
    "/v1/a./..., /v1/a",
    "/v1./a, /v1/a",
    "/v1/%20a%2520, /v1/a",
    "/v1%5ca%2fb, /v1/a/b",
    "/%25252541, /A",
    "/%%34%31, /A",
    "/a%2zb%, /a%2zb%",
    "/a%3Fb%23c/d, /a/d",
    "/%C3%A4, /ä",
  })
  void comparablePath_isTheSameForAllSpellings(String path, String comparable) {
    assertThat(RawPaths.comparable(path)).isEqualTo(comparable);
    assertThat(RawPaths.comparable(comparable)).isEqualTo(comparable);
  }

  @ParameterizedTest
  @CsvSource({
    "/v1/a,",
    "/m;x:y/, /m;x:y",
    "/v1/m%253bx:y., /v1/m;x:y",
    "/v1/m%20:y,",
  })
  void parameters_areKeptInASecondSpelling(String path, String kept) {
    assertThat(RawPaths.comparableWithParameters(path)).isEqualTo(kept);
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void pathOfManyEscapes_isResolvedInTimeInProportionToItsLength() {
    String deep = "%" + "25".repeat(500_000) + "41";
    assertThat(RawPaths.comparable("/" + deep)).isEqualTo("/A");
  }

  @ParameterizedTest
  @CsvSource({"/a/b/c, /a, /a/b/c, /b/c", "/b/c, /, /b/c, /b/c", "/a/b, /a, /a/b/, /b/"})
  void prefixOfADynamicEndpoint_isThatOfTheConfiguredOne(
      String dynamic, String configured, String path, String below) {
    assertThat(RawPaths.below(spec(dynamic, configured, true), path)).isEqualTo(below);
  }
}
