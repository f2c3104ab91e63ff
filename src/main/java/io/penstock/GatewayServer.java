package io.penstock;

import io.penstock.config.ConfigurationFault;
import io.penstock.config.ConfigurationSnapshot;
import io.penstock.config.FilesFingerprint;
import io.penstock.config.LoadedConfiguration;
import io.penstock.config.RouteFiles;
import io.penstock.mock.MockAddress;
import io.penstock.redis.SharingSettings;
import io.penstock.region.RegionSettings;
import io.penstock.settings.BrowserSettings;
import io.penstock.settings.CannotStart;
import io.penstock.settings.OpenRelay;
import io.penstock.settings.OtlpSettings;
import io.penstock.settings.PenstockSettings;
import io.penstock.settings.RedisSettings;
import io.penstock.settings.RegionProperties;
import io.penstock.settings.SettingsCheck;
import io.penstock.settings.StartFailure;
import io.penstock.settings.StartSetup;
import io.penstock.time.Ticker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.context.logging.LoggingApplicationListener;
import org.springframework.boot.web.context.reactive.StandardReactiveWebEnvironment;
import org.springframework.cloud.bootstrap.LoggingSystemShutdownListener;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.PropertiesPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** Starts the gateway. */
public final class GatewayServer {
  /** The window of limits per minute. */
  public static final Duration MINUTE = Duration.ofMinutes(1);

  /** Result of a start. */
  public sealed interface Start {}

  /** The gateway runs, until its context is closed. */
  public record Started(ConfigurableApplicationContext context) implements Start {}

  /** The routes have faults; nothing was started. */
  public record Faulty(List<ConfigurationFault> faults) implements Start {}

  /** A setting or a store cannot be used; nothing was started or changed. */
  public record Unusable(String why) implements Start {}

  /** The gateway would be open to everybody in the network; nothing was started. */
  public record Unsafe(String why) implements Start {}

  /**
   * Defaults where the coordination API is enabled: a message is in the first line of its request,
   * so that line may be longer.
   */
  private static final Map<String, Object> LONG_LINES =
      Map.of("server.netty.max-initial-line-length", "16KB");

  private static final Logger LOG = LoggerFactory.getLogger("io.penstock.config");

  private GatewayServer() {}

  /** Starts the gateway with limits per minute. */
  public static Start start(Map<String, String> environment, Path routes, String... arguments) {
    return start(environment, routes, MINUTE, arguments);
  }

  /** Starts the gateway after a {@link WarmUp}, unless a setting or a fault prevents that. */
  static Start startWarm(Map<String, String> environment, Path routes, String... arguments) {
    Runnable warmUp = () -> WarmUp.attempt(() -> WarmUp.run(Ticker.system()));
    return start(environment, routes, MINUTE, warmUp, arguments);
  }

  /**
   * Starts the gateway.
   *
   * @param environment the values that {@code ${NAME}} stands for in route files
   * @param routes a route file, or a directory of route files
   * @param window the length of "a minute" in limits: shorter in tests
   * @param arguments arguments of Spring, such as {@code --server.port=8080}
   */
  public static Start start(
      Map<String, String> environment, Path routes, Duration window, String... arguments) {
    return start(environment, routes, window, () -> {}, arguments);
  }

  private static Start start(
      Map<String, String> environment,
      Path routes,
      Duration window,
      Runnable warmUp,
      String... arguments) {
    RouteFiles files = new RouteFiles(environment, MockAddress::parse);
    FilesFingerprint loaded = FilesFingerprint.of(routes);
    return switch (files.load(routes)) {
      case LoadedConfiguration.Bad(List<ConfigurationFault> faults) -> new Faulty(faults);
      case LoadedConfiguration.Good(ConfigurationSnapshot configurationSnapshot) -> {
        StartSetup setup =
            new StartSetup(files, routes, loaded, configurationSnapshot, window, null);
        yield run(setup, warmUp, arguments);
      }
    };
  }

  private static Start run(StartSetup setup, Runnable warmUp, String... arguments) {
    AtomicReference<Environment> environment = new AtomicReference<>(new StandardEnvironment());
    SpringApplication application = application();
    application.addInitializers(
        context -> {
          environment.set(context.getEnvironment());
          listen(context.getEnvironment(), setup.snapshot().server());
          if (prepare(context, setup).running().warmUp()) {
            warmUp.run();
          }
        });
    try {
      return new Started(application.run(arguments));
    } catch (Covered covered) {
      return new Faulty(covered.faults);
    } catch (OpenRelay unsafe) {
      return new Unsafe(unsafe.getMessage());
    } catch (CannotStart unusable) {
      return new Unusable(unusable.getMessage());
    } catch (RuntimeException failure) {
      String why = StartFailure.sentence(failure, environment.get());
      if (why == null) {
        throw failure;
      }
      return new Unusable(why);
    }
  }

  /**
   * Starts a gateway that reads no settings but the given properties, and changes neither logging
   * nor anything else outside its context.
   */
  static ConfigurableApplicationContext alone(StartSetup setup, Map<String, Object> properties) {
    SpringApplication application = application();
    application.setEnvironment(new LoneEnvironment(properties));
    application.setListeners(
        application.getListeners().stream().filter(listener -> !changesLogging(listener)).toList());
    application.addInitializers(context -> prepare(context, setup));
    return application.run();
  }

  private static boolean changesLogging(ApplicationListener<?> listener) {
    return listener instanceof LoggingApplicationListener
        || listener instanceof LoggingSystemShutdownListener;
  }

  private static SpringApplication application() {
    SpringApplication application = new SpringApplication(PenstockConfiguration.class);
    application.setWebApplicationType(WebApplicationType.REACTIVE);
    application.setBannerMode(Banner.Mode.OFF);
    application.setLogStartupInfo(false);
    application.setRegisterShutdownHook(false); // the program drains first: see Penstock
    return application;
  }

  /** Environment without the properties and variables of the process. */
  private static final class LoneEnvironment extends StandardReactiveWebEnvironment {
    LoneEnvironment(Map<String, Object> properties) {
      getPropertySources().addFirst(new MapPropertySource("alone", properties));
    }

    @Override
    protected void customizePropertySources(MutablePropertySources propertySources) {
      // Extensions expect sources of these names.
      propertySources.addLast(
          new PropertiesPropertySource(SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME, new Properties()));
      propertySources.addLast(
          new SystemEnvironmentPropertySource(SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, Map.of()));
    }
  }

  /** Checks and registers everything that a start needs, before any bean is created. */
  private static PenstockSettings prepare(
      ConfigurableApplicationContext context, StartSetup setup) {
    ConfigurableEnvironment environment = context.getEnvironment();
    SettingsCheck.Checked checked = SettingsCheck.check(environment, setup.snapshot().variables());
    checked.warnings().forEach(LOG::warn);
    PenstockSettings settings = checked.settings();
    OpenRelay.check(settings, environment, setup.snapshot());
    SharingSettings sync = RedisSettings.of(settings, environment);
    RedisSettings.check(sync, setup);
    StartSetup prepared = coordinating(environment, settings.coordination(), setup).shared(sync);
    SharedFormat.check(settings, environment, sync);
    RegionSettings region = RegionProperties.of(settings);
    SharedFormat.check(region);
    StoredKeys.open(context, settings, sync);
    ConfigurableListableBeanFactory beans = context.getBeanFactory();
    beans.registerSingleton("penstockSettings", settings);
    beans.registerSingleton("browserRules", BrowserSettings.of(settings, environment));
    beans.registerSingleton("setup", prepared);
    register(beans, "regionSettings", region);
    register(beans, "traceSettings", OtlpSettings.of(environment));
    beans.registerSingleton("stateFile", StateFile.open(settings.stores().state(), setup.window()));
    return settings;
  }

  private static void register(
      ConfigurableListableBeanFactory beans, String name, @Nullable Object bean) {
    if (bean != null) {
      beans.registerSingleton(name, bean);
    }
  }

  /** Thrown when endpoints would cover the coordination API. */
  private static final class Covered extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient List<ConfigurationFault> faults;

    Covered(List<ConfigurationFault> faults) {
      super("endpoints cover the coordination API", null, false, false);
      this.faults = faults;
    }
  }

  /**
   * Returns the setup with routes that were read knowing that the coordination API takes paths of
   * its own.
   */
  private static StartSetup coordinating(
      ConfigurableEnvironment environment,
      PenstockSettings.Coordination settings,
      StartSetup setup) {
    if (!settings.enabled()) {
      return setup;
    }
    environment.getPropertySources().addLast(new MapPropertySource("coordination", LONG_LINES));
    RouteFiles files = setup.files().withCoordination();
    FilesFingerprint loaded = FilesFingerprint.of(setup.routes());
    return switch (files.load(setup.routes())) {
      case LoadedConfiguration.Bad(List<ConfigurationFault> faults) -> throw new Covered(faults);
      case LoadedConfiguration.Good(ConfigurationSnapshot configurationSnapshot) ->
          new StartSetup(
              files, setup.routes(), loaded, configurationSnapshot, setup.window(), setup.sync());
    };
  }

  /** Listens where the route files say, unless an argument or the environment says otherwise. */
  private static void listen(
      ConfigurableEnvironment environment, ConfigurationSnapshot.@Nullable Server serverSettings) {
    Map<String, Object> properties = new HashMap<>();
    if (serverSettings != null && serverSettings.host() != null) {
      properties.put("server.address", serverSettings.host());
    }
    if (serverSettings != null && serverSettings.port() != null) {
      properties.put("server.port", serverSettings.port());
    }
    environment
        .getPropertySources()
        .addAfter(
            StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
            new MapPropertySource("routes", properties));
  }
}
