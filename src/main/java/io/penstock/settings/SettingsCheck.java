package io.penstock.settings;

import io.penstock.config.NearestName;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.regex.Pattern;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertyState;
import org.springframework.boot.origin.OriginLookup;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Checks everything below {@code penstock} before the gateway starts: a name that nothing reads, or
 * a value that cannot be used, would otherwise be noticed when it is too late.
 *
 * <p>Environment variables may belong to other programs, so there a name is refused only when it is
 * very similar to that of a setting.
 */
public final class SettingsCheck {
  /** Present names by earlier ones, those without marks between words. */
  private static final Map<String, String> RENAMED =
      Map.of(
          "penstockmockendpointtpmthreshold",
          "penstock.unlimited-tpm",
          "penstockredisslicettl",
          "penstock.redis.lease, and after a lease without Redis instances go on with their shares"
              + " (penstock.redis.on-outage=continue)");

  private static final Pattern OURS =
      Pattern.compile("penstock([._\\-\\[].*)?", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

  /**
   * Variables that are no settings: the key that the commands printed at the start use, and the
   * namespace.
   */
  static final Set<String> OTHER_VARIABLES = Set.of("PENSTOCK_KEY", "PENSTOCK_ENVIRONMENT");

  /**
   * Variables that Kubernetes sets in a pod for each Service with a name that begins with penstock.
   */
  private static final Pattern OF_SERVICES =
      Pattern.compile(
          "PENSTOCK(_[A-Z0-9_]+)?_(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?"
              + "|PORT(_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)");

  private static final int LAST_PORT = 65_535;
  private static final int NEAR_LETTERS = 2;
  private static final String PREFIX = "penstock.";

  /**
   * The settings of a program that may start.
   *
   * @param warnings about settings that have no effect, one line each
   */
  public record Checked(PenstockSettings settings, List<String> warnings) {}

  private final ConfigurableEnvironment environment;
  private final Set<String> routeVariables;
  private final List<String> faults = new ArrayList<>();
  private final List<String> ignored = new ArrayList<>();

  private SettingsCheck(ConfigurableEnvironment environment, Set<String> routeVariables) {
    this.environment = environment;
    this.routeVariables = routeVariables;
  }

  /**
   * Reads all settings, and checks their names and values.
   *
   * @param routeVariables environment variables that route files take values from
   * @throws CannotStart with a line for each fault
   */
  public static Checked check(ConfigurableEnvironment environment, Set<String> routeVariables) {
    SettingsCheck check = new SettingsCheck(environment, routeVariables);
    environment.getPropertySources().forEach(check::names);
    PenstockSettings settings = check.values();
    if (!check.faults.isEmpty()) {
      throw new CannotStart(String.join("\n", check.faults));
    }
    List<String> warnings = new ArrayList<>(FrameworkSettings.warnings(environment));
    if (!check.ignored.isEmpty()) {
      warnings.add(
          "environment variables that are no settings of Penstock are ignored: "
              + String.join(", ", check.ignored));
    }
    return new Checked(settings, warnings);
  }

  private PenstockSettings values() {
    SettingsBinder binder = new SettingsBinder(environment);
    PenstockSettings settings = binder.bind();
    SortedMap<String, String> all = binder.faults();
    fault(() -> RedisSettings.of(settings, environment)).ifPresent(each -> add(each, all));
    fault(() -> RedisSettings.coordination(settings, environment))
        .ifPresent(each -> add(each, all));
    fault(settings.coordination()::checkBytes).ifPresent(each -> add(each, all));
    fault(() -> RegionProperties.of(settings)).ifPresent(each -> add(each, all));
    fault(() -> BrowserSettings.of(settings, environment)).ifPresent(each -> add(each, all));
    fault(settings.clients()::bodies).ifPresent(each -> add(each, all));
    fault(() -> checkPort("server.port", 0)).ifPresent(each -> add(each, all));
    fault(() -> checkPort("management.server.port", -1)).ifPresent(each -> add(each, all));
    faults.addAll(all.values());
    return settings;
  }

  /** Returns what is wrong with settings that are only read together. */
  private static Optional<String> fault(Runnable reader) {
    try {
      reader.run();
      return Optional.empty();
    } catch (IllegalArgumentException bad) {
      return Optional.of(String.valueOf(bad.getMessage()));
    }
  }

  private void checkPort(String name, int least) {
    String text = environment.getProperty(name, "").strip();
    boolean number = text.matches("-?[0-9]{1,5}");
    if (!text.isEmpty()
        && !(number && Integer.parseInt(text) >= least && Integer.parseInt(text) <= LAST_PORT)) {
      throw new IllegalArgumentException(
          name + " is '" + text + "', expected a port from 1 to " + LAST_PORT + ", or 0 for any");
    }
  }

  /** Adds a fault, with the place of the setting that it begins with. */
  private void add(String fault, SortedMap<String, String> all) {
    String name = fault.split(" ", 2)[0];
    String shown =
        ConfigurationPropertyName.isValid(name)
            ? SettingPlace.shown(environment, ConfigurationPropertyName.of(name))
            : name;
    all.putIfAbsent(name, shown + fault.substring(name.length()));
  }

  private void names(PropertySource<?> source) {
    if (source instanceof EnumerablePropertySource<?> listed) {
      Arrays.stream(listed.getPropertyNames())
          .filter(name -> OURS.matcher(name).matches() && !isRead(name, source))
          .forEach(name -> unknownName(name, source));
    }
  }

  private void unknownName(String name, PropertySource<?> source) {
    if (SettingPlace.ofEnvironment(source)) {
      unknownVariable(name, source);
    } else if (!emptySection(name, source) && !OTHER_VARIABLES.contains(name)) {
      faults.add(unknown(name, source, nearest(name)));
    }
  }

  /** Returns whether Spring accepts the name as that of a setting, in one of its spellings. */
  private static boolean isRead(String name, PropertySource<?> source) {
    Map<String, Object> alone = Map.of(name, "");
    PropertySource<?> one =
        SettingPlace.ofEnvironment(source)
            ? new SystemEnvironmentPropertySource(source.getName(), alone)
            : new MapPropertySource(source.getName(), alone);
    ConfigurationPropertySource spelt = ConfigurationPropertySource.from(one);
    return spelt != null && SettingMetadata.ALL.stream().anyMatch(each -> isRead(each, spelt));
  }

  private static boolean isRead(SettingMetadata setting, ConfigurationPropertySource spelt) {
    return spelt.getConfigurationProperty(setting.id()) != null
        || (setting.compound()
            && spelt.containsDescendantOf(setting.id()) == ConfigurationPropertyState.PRESENT);
  }

  /** Returns whether it is the heading of a section of a file in which nothing is set. */
  private static boolean emptySection(String name, PropertySource<?> source) {
    return source instanceof OriginLookup
        && "".equals(source.getProperty(name))
        && SettingMetadata.ALL.stream().anyMatch(each -> each.name().startsWith(name + "."));
  }

  private void unknownVariable(String name, PropertySource<?> source) {
    String variable = name.toUpperCase(Locale.ROOT).replaceAll("[.-]", "_");
    if (OTHER_VARIABLES.contains(variable)
        || routeVariables.contains(name)
        || OF_SERVICES.matcher(variable).matches()) {
      return;
    }
    List<String> known =
        SettingMetadata.ALL.stream().flatMap(each -> each.variables().stream()).toList();
    Optional<String> near =
        NearestName.nearest(variable, known)
            .filter(each -> NearestName.distance(variable, each) <= NEAR_LETTERS);
    if (near.isPresent() || renamed(name).isPresent()) {
      faults.add(unknown(name, source, near));
    } else {
      ignored.add(name);
    }
  }

  private static String unknown(String name, PropertySource<?> source, Optional<String> meant) {
    return SettingPlace.shown(name, source)
        + " is no setting of Penstock; "
        + renamed(name)
            .map(each -> "its name is now " + each)
            .or(() -> meant.map(each -> "did you mean " + each + "?"))
            .orElse("remove it, or look for its name in src/docs/settings.md");
  }

  /** Returns the present name of a setting that had this one before, in whatever spelling. */
  private static Optional<String> renamed(String name) {
    String letters = name.toLowerCase(Locale.ROOT).replaceAll("[._-]", "");
    return Optional.ofNullable(RENAMED.get(letters));
  }

  /**
   * Returns the most similar name. The common prefix is left out, because it would make all names
   * similar.
   */
  private static Optional<String> nearest(String name) {
    String written = name.substring(Math.min(name.length(), PREFIX.length()));
    List<String> names =
        SettingMetadata.ALL.stream().map(each -> each.name().substring(PREFIX.length())).toList();
    return NearestName.nearest(written.toLowerCase(Locale.ROOT), names).map(PREFIX::concat);
  }
}
