package io.penstock.config;

import io.penstock.config.shape.ScalarValue;
import io.penstock.coordination.ObjectKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Paths that endpoints cannot have, because the gateway answers them itself. */
final class ReservedPaths {
  private static final List<String> COORDINATION = coordination();

  private ReservedPaths() {}

  private static List<String> coordination() {
    List<String> paths = new ArrayList<>(List.of("/.well-known/ready"));
    for (ObjectKind kind : ObjectKind.values()) {
      paths.add("/v1/" + kind.word());
      paths.add("/" + kind.word());
    }
    return paths;
  }

  /** Returns what is wrong with an endpoint's path if the coordination API is on. */
  static Optional<String> fault(String path) {
    return COORDINATION.stream()
        .filter(reserved -> at(path, reserved) || at(reserved, path))
        .findFirst()
        .map(
            reserved ->
                "path %s covers %s, which penstock.coordination.enabled takes, expected another"
                    .formatted(ScalarValue.quote(path), ScalarValue.quote(reserved)));
  }

  /** Returns whether {@code path} equals {@code above} or is below it. */
  private static boolean at(String path, String above) {
    return above.length() == 1 || path.equals(above) || path.startsWith(above + "/");
  }
}
