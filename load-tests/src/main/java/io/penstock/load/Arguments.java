package io.penstock.load;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Arguments of a program, each {@code --name=value}. */
final class Arguments {
  private final Map<String, String> values = new HashMap<>();

  Arguments(String... arguments) {
    for (String argument : arguments) {
      int equals = argument.indexOf('=');
      if (!argument.startsWith("--") || equals < 0) {
        throw new IllegalArgumentException(argument + ", expected --name=value");
      }
      values.put(argument.substring(2, equals), argument.substring(equals + 1));
    }
  }

  int number(String name) {
    return Integer.parseInt(text(name));
  }

  int number(String name, int otherwise) {
    return values.containsKey(name) ? number(name) : otherwise;
  }

  String text(String name) {
    @Nullable String value = values.get(name);
    if (value == null) {
      throw new IllegalArgumentException("--" + name + "=… is missing");
    }
    return value;
  }
}
