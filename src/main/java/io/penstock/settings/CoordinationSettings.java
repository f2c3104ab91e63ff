package io.penstock.settings;

import io.penstock.coordination.ObjectBounds;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.core.env.Environment;

/**
 * The settings {@code penstock.coordination.*} of the coordination API.
 *
 * @param bounds bounds on the number of objects and waiting programs
 */
public record CoordinationSettings(ObjectBounds bounds) {
  private static final String ENABLED = "penstock.coordination.enabled";
  private static final String WAITERS = "penstock.coordination.max-waiters";
  private static final String OBJECTS = "penstock.coordination.max-objects";
  private static final long MOST = 1_000_000;

  /**
   * Spring properties that are the default where the API is enabled: a message is in the first line
   * of its request, so that line may be longer.
   */
  public static final Map<String, Object> DEFAULTS =
      Map.of("server.netty.max-initial-line-length", "16KB");

  /**
   * Returns the settings, or null unless the API is enabled.
   *
   * @throws CannotStart when one of them is invalid
   */
  public static @Nullable CoordinationSettings of(Environment environment) {
    String enabled = environment.getProperty(ENABLED, "false").strip();
    if (enabled.equals("false") || enabled.isEmpty()) {
      return null;
    }
    if (!enabled.equals("true")) {
      throw new CannotStart(ENABLED + " is '" + enabled + "', expected true or false");
    }
    ObjectBounds standard = ObjectBounds.DEFAULT;
    return new CoordinationSettings(
        new ObjectBounds(
            whole(environment, WAITERS, 0, standard.waiters()),
            whole(environment, OBJECTS, 1, standard.objects()),
            standard.holds(),
            standard.idleNanos()));
  }

  private static long whole(Environment environment, String name, long least, long otherwise) {
    String text = environment.getProperty(name, "").strip();
    if (text.isEmpty()) {
      return otherwise;
    }
    if (text.matches("[0-9]{1,7}")) {
      long value = Long.parseLong(text);
      if (value >= least && value <= MOST) {
        return value;
      }
    }
    throw new CannotStart(
        name + " is '" + text + "', expected a whole number from " + least + " to " + MOST);
  }
}
