package io.penstock.settings;

import jakarta.validation.ConstraintViolation;
import jakarta.validation.Validation;
import jakarta.validation.Validator;
import jakarta.validation.ValidatorFactory;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.hibernate.validator.messageinterpolation.ParameterMessageInterpolator;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.util.unit.DataSize;

/**
 * Binds the settings and goes on at a value that cannot be used, so that all faults are reported
 * together. An empty value counts as not set, and spaces around a text do not count.
 */
final class SettingsBinder implements BindHandler {
  /** The longest time that fits the nanoseconds by which the program counts. */
  private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

  private final ConfigurableEnvironment environment;
  private final SortedMap<String, String> faults = new TreeMap<>();

  SettingsBinder(ConfigurableEnvironment environment) {
    this.environment = environment;
  }

  /** Returns what is wrong with the values, by the names of the settings. */
  SortedMap<String, String> faults() {
    return faults;
  }

  /** Returns the settings, with the default in place of each value that has a fault. */
  PenstockSettings bind() {
    try (ValidatorFactory factory =
        Validation.byDefaultProvider()
            .configure()
            .messageInterpolator(new ParameterMessageInterpolator())
            .buildValidatorFactory()) {
      Validator validator = factory.getValidator();
      return new PenstockSettings(
          bound(PenstockSettings.Clients.class, validator),
          bound(PenstockSettings.Running.class, validator),
          bound(PenstockSettings.Limits.class, validator),
          bound(PenstockSettings.Stores.class, validator),
          bound(PenstockSettings.Coordination.class, validator),
          bound(PenstockSettings.Redis.class, validator),
          bound(PenstockSettings.RedisAccess.class, validator));
    }
  }

  private <T> T bound(Class<T> type, Validator validator) {
    String prefix = type.getAnnotation(ConfigurationProperties.class).value();
    T settings =
        new Binder(ConfigurationPropertySources.get(environment), this::resolved)
            .bindOrCreate(prefix, Bindable.of(type), this);
    validator.validate(settings).forEach(each -> outOfRange(prefix, each));
    return settings;
  }

  private Object resolved(@Nullable Object value) {
    return value instanceof String text
        ? environment.resolveRequiredPlaceholders(text)
        : Objects.requireNonNull(value);
  }

  @Override
  public @Nullable Object onSuccess(
      ConfigurationPropertyName name, Bindable<?> target, BindContext context, Object result) {
    return switch (result) {
      case String text -> text.isBlank() ? null : text.strip();
      case SecretText(String text) -> text.isBlank() ? null : new SecretText(text.strip());
      case Duration time when time.isNegative() || time.compareTo(LONGEST) > 0 ->
          throw new IllegalArgumentException("the time is out of range");
      case Boolean _, Enum<?> _
          when !written(context).equals(result.toString().toLowerCase(Locale.ROOT)) ->
          throw new IllegalArgumentException("it is written in another way");
      default -> result;
    };
  }

  /** Returns the text of the value, as it is written. */
  private String written(BindContext context) {
    ConfigurationProperty property = Objects.requireNonNull(context.getConfigurationProperty());
    return String.valueOf(resolved(property.getValue())).strip();
  }

  @Override
  public @Nullable Object onFailure(
      ConfigurationPropertyName name, Bindable<?> target, BindContext context, Exception error) {
    ConfigurationProperty property = context.getConfigurationProperty();
    if (property == null) {
      faults.put(
          name.toString(), name + " is a list with gaps, expected its numbers to begin at 0");
    } else if (!(property.getValue() instanceof String text) || !text.isBlank()) {
      unusable(property, expected(target));
    }
    return null;
  }

  private void outOfRange(String prefix, ConstraintViolation<?> violation) {
    String path =
        Arrays.stream(violation.getPropertyPath().toString().split("\\."))
            .map(DataObjectPropertyName::toDashedForm)
            .collect(Collectors.joining("."));
    ConfigurationPropertyName name = ConfigurationPropertyName.of(prefix + "." + path);
    ConfigurationProperty property = SettingPlace.find(environment, name);
    unusable(Objects.requireNonNull(property, "defaults are valid"), violation.getMessage());
  }

  /** Notes a fault. Its text never has the unresolved value, which may contain a secret. */
  private void unusable(ConfigurationProperty property, String expected) {
    ConfigurationPropertyName name = property.getName();
    faults.put(
        name.toString(), SettingPlace.shown(environment, name) + " " + why(property, expected));
  }

  private String why(ConfigurationProperty property, String expected) {
    try {
      String value = String.valueOf(resolved(property.getValue()));
      return "is '" + value.replaceAll("\\p{Cntrl}", " ") + "', expected " + expected;
    } catch (IllegalArgumentException unresolved) {
      return "refers to a ${...} that is not set, expected it to be set or to have a default";
    }
  }

  private static String expected(Bindable<?> target) {
    return Arrays.stream(target.getAnnotations())
        .map(each -> AnnotationUtils.getValue(each, "message"))
        .filter(Objects::nonNull)
        .map(Object::toString)
        .findFirst()
        .orElseGet(() -> expected(target.getBoxedType().resolve(Object.class)));
  }

  /** Returns what is expected where a value of a type is read. */
  static String expected(Class<?> type) {
    if (type == Duration.class) {
      return "a duration such as 500ms, 30s or 10m";
    }
    if (type == DataSize.class) {
      return "a size such as 64MB";
    }
    if (type == Boolean.class) {
      return "true or false";
    }
    Object[] constants = type.getEnumConstants();
    if (constants == null) {
      return Number.class.isAssignableFrom(type)
          ? "a number"
          : "a value of the type " + type.getSimpleName();
    }
    String names =
        Arrays.stream(constants)
            .map(each -> each.toString().toLowerCase(Locale.ROOT))
            .collect(Collectors.joining(constants.length == 2 ? " or " : ", "));
    return constants.length == 2 ? names : "one of " + names;
  }
}
