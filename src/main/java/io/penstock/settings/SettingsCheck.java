package io.penstock.settings;

import io.penstock.config.NearestName;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.ConfigurationPropertyState;
import org.springframework.boot.origin.OriginLookup;
import org.springframework.boot.origin.PropertySourceOrigin;
import org.springframework.boot.origin.TextResourceOrigin;
import org.springframework.core.env.CommandLinePropertySource;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.Resource;

/**
 * Checks everything below {@code penstock} before the gateway starts: a name that nothing reads, or
 * a value that cannot be used, would otherwise be noticed when it is too late.
 *
 * <p>Environment variables may belong to other programs, so there a name is refused only when it is
 * very similar to that of a setting.
 */
public final class SettingsCheck {
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

  private static final int NEAR_LETTERS = 2;
  private static final String PREFIX = "penstock.";

  private final ConfigurableEnvironment environment;
  private final Set<String> routeVariables;
  private final List<String> faults = new ArrayList<>();
  private final List<String> ignored = new ArrayList<>();

  private SettingsCheck(ConfigurableEnvironment environment, Set<String> routeVariables) {
    this.environment = environment;
    this.routeVariables = routeVariables;
  }

  /**
   * Checks all names and values, and returns warnings about those that are ignored, one line each.
   *
   * @param routeVariables environment variables that route files take values from
   * @throws CannotStart with a line for each fault
   */
  public static List<String> check(
      ConfigurableEnvironment environment, Set<String> routeVariables) {
    SettingsCheck check = new SettingsCheck(environment, routeVariables);
    environment.getPropertySources().forEach(check::names);
    ProcessSetting.ALL.forEach(check::value);
    if (!check.faults.isEmpty()) {
      throw new CannotStart(String.join("\n", check.faults));
    }
    return check.ignored.isEmpty()
        ? List.of()
        : List.of(
            "environment variables that are no settings of Penstock are ignored: "
                + String.join(", ", check.ignored));
  }

  private void names(PropertySource<?> source) {
    if (source instanceof EnumerablePropertySource<?> listed) {
      Arrays.stream(listed.getPropertyNames())
          .filter(name -> OURS.matcher(name).matches() && !isRead(name, source))
          .forEach(name -> unknownName(name, source));
    }
  }

  private void unknownName(String name, PropertySource<?> source) {
    if (ofEnvironment(source)) {
      unknownVariable(name, source);
    } else if (!emptySection(name, source) && !OTHER_VARIABLES.contains(name)) {
      faults.add(unknown(name, source, nearest(name)));
    }
  }

  /** Returns whether Spring accepts the name as that of a setting, in one of its spellings. */
  private static boolean isRead(String name, PropertySource<?> source) {
    Map<String, Object> alone = Map.of(name, "");
    PropertySource<?> one =
        ofEnvironment(source)
            ? new SystemEnvironmentPropertySource(source.getName(), alone)
            : new MapPropertySource(source.getName(), alone);
    ConfigurationPropertySource spelt = ConfigurationPropertySource.from(one);
    return spelt != null && ProcessSetting.ALL.stream().anyMatch(each -> isRead(each, spelt));
  }

  private static boolean isRead(ProcessSetting setting, ConfigurationPropertySource spelt) {
    return spelt.getConfigurationProperty(id(setting)) != null
        || (setting.list()
            && spelt.containsDescendantOf(id(setting)) == ConfigurationPropertyState.PRESENT);
  }

  private static ConfigurationPropertyName id(ProcessSetting setting) {
    return ConfigurationPropertyName.of(setting.name());
  }

  /** Returns whether it is the heading of a section of a file in which nothing is set. */
  private static boolean emptySection(String name, PropertySource<?> source) {
    return source instanceof OriginLookup
        && "".equals(source.getProperty(name))
        && ProcessSetting.ALL.stream().anyMatch(each -> each.name().startsWith(name + "."));
  }

  private void unknownVariable(String name, PropertySource<?> source) {
    String variable = name.toUpperCase(Locale.ROOT).replaceAll("[.-]", "_");
    if (OTHER_VARIABLES.contains(variable)
        || routeVariables.contains(name)
        || OF_SERVICES.matcher(variable).matches()) {
      return;
    }
    List<String> known =
        ProcessSetting.ALL.stream().flatMap(each -> each.variables().stream()).toList();
    Optional<String> near =
        NearestName.nearest(variable, known)
            .filter(each -> NearestName.distance(variable, each) <= NEAR_LETTERS);
    if (near.isPresent()) {
      faults.add(unknown(name, source, near));
    } else {
      ignored.add(name);
    }
  }

  private static String unknown(String name, PropertySource<?> source, Optional<String> meant) {
    return shown(name, source)
        + " is no setting of Penstock; "
        + meant
            .map(each -> "did you mean " + each + "?")
            .orElse("remove it, or look for its name in src/docs/settings.md");
  }

  /**
   * Returns the most similar name. The common prefix is left out, because it would make all names
   * similar.
   */
  private static Optional<String> nearest(String name) {
    String written = name.substring(Math.min(name.length(), PREFIX.length()));
    List<String> names =
        ProcessSetting.ALL.stream().map(each -> each.name().substring(PREFIX.length())).toList();
    return NearestName.nearest(written.toLowerCase(Locale.ROOT), names).map(PREFIX::concat);
  }

  private void value(ProcessSetting setting) {
    ConfigurationProperty property = property(id(setting));
    if (property == null) {
      return;
    }
    String problem = problem(setting);
    if (problem != null && property.getOrigin() instanceof PropertySourceOrigin origin) {
      faults.add(shown(origin.getPropertyName(), origin.getPropertySource()) + " " + problem);
    } else if (problem != null) {
      faults.add(setting.name() + " " + problem);
    }
  }

  private @Nullable ConfigurationProperty property(ConfigurationPropertyName name) {
    for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
      ConfigurationProperty property = source.getConfigurationProperty(name);
      if (property != null) {
        return property;
      }
    }
    return null;
  }

  private @Nullable String problem(ProcessSetting setting) {
    try {
      return setting.rule().problem(environment.getProperty(setting.name(), ""));
    } catch (IllegalArgumentException unresolved) {
      // The message of the exception has the whole value, which may be a secret.
      return "refers to a ${...} that is not set, expected it to be set or to have a default";
    }
  }

  private static boolean ofEnvironment(PropertySource<?> source) {
    return source instanceof SystemEnvironmentPropertySource;
  }

  private static String shown(String name, PropertySource<?> source) {
    if (source instanceof CommandLinePropertySource) {
      return "--" + name + " (command line)";
    }
    if (ofEnvironment(source)) {
      return name + " (environment)";
    }
    if (source.getName().equals(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME)) {
      return "-D" + name + " (JVM system property)";
    }
    return OriginLookup.getOrigin(source, name) instanceof TextResourceOrigin line
        ? name + " (" + file(line.getResource()) + ":" + line.getLocation() + ")"
        : name + " (" + source.getName() + ")";
  }

  private static String file(@Nullable Resource resource) {
    try {
      return resource != null && resource.isFile()
          ? resource.getFile().getPath()
          : String.valueOf(resource);
    } catch (IOException elsewhere) {
      return String.valueOf(resource);
    }
  }
}
