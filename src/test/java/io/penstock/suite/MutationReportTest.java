package io.penstock.suite;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Checks that the mutants listed as equivalent change existing code. */
class MutationReportTest {
  @Test
  void listedMutants_areOfMethodsThatExist() throws IOException {
    assertThat(MutationReport.equivalent().keySet()).allMatch(MutationReportTest::exists);
  }

  private static boolean exists(String listed) {
    String place = listed.substring(0, listed.indexOf(' '));
    String type = place.substring(0, place.lastIndexOf('.'));
    String method = place.substring(place.lastIndexOf('.') + 1);
    try {
      Class<?> found = Class.forName("io.penstock." + type);
      return method.startsWith("<")
          || Arrays.stream(found.getDeclaredMethods()).anyMatch(it -> it.getName().equals(method));
    } catch (ClassNotFoundException gone) {
      return false;
    }
  }
}
