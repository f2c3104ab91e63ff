package io.penstock.settings;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.SpringBootExceptionReporter;
import org.springframework.boot.context.config.ConfigDataNotFoundException;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.web.server.PortInUseException;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.core.env.StandardEnvironment;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import reactor.netty.ChannelBindException;

/**
 * Turns failures of the framework at the start into one sentence that says what to change. As a
 * reporter it keeps the framework from reporting the same failures in its own words.
 */
public final class StartFailure implements SpringBootExceptionReporter, Ordered {
  /** Packages of the framework that read certificates and keys. */
  private static final List<String> CERTIFICATES =
      List.of("org.springframework.boot.ssl.", "org.springframework.boot.web.server.Ssl");

  private static final int MOST_CAUSES = 50;

  private final Environment environment;

  StartFailure(@Nullable ConfigurableApplicationContext context) {
    this.environment = context == null ? new StandardEnvironment() : context.getEnvironment();
  }

  @Override
  public int getOrder() {
    return HIGHEST_PRECEDENCE;
  }

  @Override
  public boolean reportException(Throwable failure) {
    return sentence(failure, environment) != null;
  }

  /** Returns what went wrong and what to change, or null for a failure of an unknown cause. */
  public static @Nullable String sentence(Throwable failure, Environment environment) {
    List<Throwable> causes =
        Stream.iterate(failure, each -> each != null, Throwable::getCause)
            .limit(MOST_CAUSES)
            .toList();
    for (Throwable each : causes) {
      String sentence =
          switch (each) {
            case ChannelBindException bind -> bind(bind, Port.failed(environment));
            case PortInUseException used -> inUse(used.getPort(), Port.failed(environment));
            case BindException value -> value(value, environment);
            case MarkedYAMLException yaml -> yaml(yaml);
            case ConfigDataNotFoundException missing -> missing.getMessage();
            default -> null;
          };
      if (sentence != null) {
        return sentence;
      }
    }
    return causes.stream().anyMatch(StartFailure::ofCertificates)
        ? "the certificate or the key of a port cannot be used, check server.ssl.* and"
            + " management.server.ssl.*: "
            + causes.getLast().getMessage()
        : null;
  }

  private static @Nullable String bind(ChannelBindException bind, Port port) {
    String why = String.valueOf(bind.getCause()).toLowerCase(Locale.ROOT);
    if (why.contains("in use")) {
      return inUse(bind.localPort(), port);
    }
    if (why.contains("denied")) {
      return "this program may not listen on port "
          + bind.localPort()
          + ", because ports below 1024 usually need a privilege: choose another port with "
          + port.option();
    }
    return why.contains("assign") || why.contains("unresolved")
        ? bind.localHost()
            + " is no address of this machine, so nothing can listen on it: set "
            + port.address()
            + " to one, to 127.0.0.1 for this machine alone, or to 0.0.0.0 for all its addresses"
        : null;
  }

  private static String inUse(int number, Port port) {
    return "port "
        + number
        + " is in use by another program: stop that program, or choose another port with "
        + port.option();
  }

  private static String yaml(MarkedYAMLException bad) {
    Mark mark = bad.getProblemMark();
    return "application.yml is no YAML"
        + (mark == null
            ? ""
            : " at line " + (mark.getLine() + 1) + ", column " + (mark.getColumn() + 1))
        + ": "
        + bad.getProblem();
  }

  /**
   * A port of the gateway.
   *
   * @param option that sets its number
   * @param address the setting of the address it is on
   */
  private record Port(String option, String address) {
    private static final Port GATEWAY = new Port("--port (server.port)", "--host (server.address)");
    private static final Port OPERATOR =
        new Port("--operator-port (management.server.port)", "management.server.address");

    /** Returns the port that could not be opened. The operator port comes after the gateway's. */
    static Port failed(Environment environment) {
      return environment.containsProperty("local.server.port") ? OPERATOR : GATEWAY;
    }
  }

  /** Describes a property of the framework that has an unusable value, which may be a secret. */
  private static @Nullable String value(BindException bad, Environment environment) {
    return bad.getProperty() == null
        ? null
        : SettingPlace.shown(environment, bad.getProperty().getName())
            + " cannot be read, expected "
            + SettingsBinder.expected(bad.getTarget().getBoxedType().resolve(Object.class));
  }

  private static boolean ofCertificates(Throwable failure) {
    return Arrays.stream(failure.getStackTrace())
        .anyMatch(frame -> CERTIFICATES.stream().anyMatch(frame.getClassName()::startsWith));
  }
}
