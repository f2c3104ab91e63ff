package io.penstock.settings;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.origin.OriginLookup;
import org.springframework.boot.origin.PropertySourceOrigin;
import org.springframework.boot.origin.TextResourceOrigin;
import org.springframework.core.env.CommandLinePropertySource;
import org.springframework.core.env.Environment;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.Resource;

/** Finds where a setting is set, and names the place in messages. */
final class SettingPlace {
  private SettingPlace() {}

  /** Returns the value of a setting that counts, or null if it is not set. */
  static @Nullable ConfigurationProperty find(
      Environment environment, ConfigurationPropertyName name) {
    for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
      ConfigurationProperty property = source.getConfigurationProperty(name);
      if (property != null) {
        return property;
      }
    }
    return null;
  }

  /** Returns the name of a setting with the place where it is set, if it is set anywhere. */
  static String shown(Environment environment, ConfigurationPropertyName name) {
    ConfigurationProperty property = find(environment, name);
    return property != null && property.getOrigin() instanceof PropertySourceOrigin origin
        ? shown(origin.getPropertyName(), origin.getPropertySource())
        : name.toString();
  }

  /** Returns a name as it is written in a source, with the place. */
  static String shown(String name, PropertySource<?> source) {
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

  static boolean ofEnvironment(PropertySource<?> source) {
    return source instanceof SystemEnvironmentPropertySource;
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
