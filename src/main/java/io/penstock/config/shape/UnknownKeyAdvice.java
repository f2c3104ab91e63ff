package io.penstock.config.shape;

import java.util.List;

/** Text of the fault of an unknown key, which says what was expected. */
@FunctionalInterface
public interface UnknownKeyAdvice {
  /** Returns the text, given the settings that the section of {@code key} can have. */
  String describe(String key, List<RouteSetting<?>> table);
}
