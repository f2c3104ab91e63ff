package io.penstock.settings;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.GatewayServer;
import io.penstock.config.ConfigurationSnapshot;
import io.penstock.config.FilesFingerprint;
import io.penstock.config.LoadedConfiguration;
import io.penstock.config.RouteFiles;
import io.penstock.redis.RedisAddress;
import io.penstock.redis.RedisPlace;
import io.penstock.redis.RedisTrust;
import io.penstock.redis.SharingSettings;
import io.penstock.sharing.OutagePolicy;
import io.penstock.sharing.SharingMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

/**
 * Tests the settings of many instances: their defaults, their values, and errors that stop a start.
 */
class RedisSettingsTest {
  private static final String HASH = "ab".repeat(32);
  private static final String PERMIT = "endpoints: [{path: /a}]\n";

  @TempDir private Path directory;

  private final Map<String, Object> properties = new HashMap<>();

  private ConfigurableEnvironment environment() {
    ConfigurableEnvironment environment = new StandardEnvironment();
    environment
        .getPropertySources()
        .forEach(s -> environment.getPropertySources().remove(s.getName()));
    environment.getPropertySources().addFirst(new MapPropertySource("test", properties));
    return environment;
  }

  private SharingSettings settings(String... more) {
    properties.put("penstock.redis.url", "redis://here");
    for (int at = 0; at < more.length; at += 2) {
      properties.put(more[at], more[at + 1]);
    }
    return requireNonNull(sharing());
  }

  private @Nullable SharingSettings sharing() {
    ConfigurableEnvironment environment = environment();
    return RedisSettings.of(SettingsCheck.check(environment, Set.of()).settings(), environment);
  }

  private StartSetup setup(String routes, Duration window) throws IOException {
    Path file = Files.writeString(directory.resolve("routes.yaml"), routes);
    RouteFiles files = new RouteFiles(Map.of(), address -> {});
    return switch (files.load(file)) {
      case LoadedConfiguration.Good(ConfigurationSnapshot configurationSnapshot) ->
          new StartSetup(
              files, file, FilesFingerprint.of(file), configurationSnapshot, window, sharing());
      case LoadedConfiguration.Bad(var faults) -> throw new AssertionError(faults);
    };
  }

  private void check(String routes) throws IOException {
    StartSetup setup = setup(routes, GatewayServer.MINUTE);
    RedisSettings.check(setup.sync(), setup);
  }

  @Test
  void withoutAnUrl_thereAreNone() throws IOException {
    properties.put("penstock.keys.store", "file:keys.db");
    assertThat(sharing()).isNull();
    assertThatCode(() -> check(PERMIT)).doesNotThrowAnyException();
  }

  @Test
  void settings_unset_haveTheirDefaults() {
    SharingSettings settings = settings();
    assertThat(settings.address().nodes()).containsExactly("here:6379");
    assertThat(settings.trust()).isNull();
    assertThat(settings.namespace()).isEqualTo("default");
    assertThat(settings.interval()).isEqualTo(Duration.ofMillis(100));
    assertThat(settings.lease()).isEqualTo(Duration.ofSeconds(12));
    assertThat(settings.onOutage()).isEqualTo(OutagePolicy.CONTINUE);
    assertThat(settings.divides()).isTrue();
    assertThat(settings.sharing()).isEqualTo(SharingMode.EXACT);
  }

  @Test
  void settings_set_areTaken() throws IOException {
    String ca = Files.writeString(directory.resolve("ca.pem"), "-").toString();
    SharingSettings settings =
        settings(
            "penstock.redis.url", "rediss://there:7000/3",
            "penstock.redis.user", "penstock",
            "penstock.redis.password", "s3cret",
            "penstock.redis.tls.ca", ca,
            "penstock.redis.namespace", "prod:eu",
            "penstock.redis.sync-interval", "250",
            "penstock.redis.lease", "3s",
            "penstock.redis.on-outage", "park",
            "penstock.redis.unknown-in-outage", "wait",
            "penstock.redis.sharing", "eventual");
    assertThat(settings.address().tls()).isTrue();
    assertThat(settings.address().database()).isEqualTo(3);
    assertThat(settings.address().user()).isEqualTo("penstock");
    assertThat(settings.address().password()).isEqualTo("s3cret");
    assertThat(settings.trust()).isEqualTo(new RedisTrust(ca, null, null));
    assertThat(settings.namespace()).isEqualTo("prod:eu");
    assertThat(settings.interval()).isEqualTo(Duration.ofMillis(250));
    assertThat(settings.lease()).isEqualTo(Duration.ofSeconds(3));
    assertThat(settings.onOutage()).isEqualTo(OutagePolicy.PARK);
    assertThat(settings.divides()).isFalse();
    assertThat(settings.sharing()).isEqualTo(SharingMode.EVENTUAL);
    assertThat(settings.toString()).doesNotContain("s3cret");
  }

  @Test
  void namespace_ofSeveral_isTheFirstThatIsNotBlank() {
    assertThat(settings("PENSTOCK_ENVIRONMENT", "d").namespace()).isEqualTo("d");
    settings("penstock.redis.namespace-from", "REDIS_NAMESPACE, ENSEMBLE_ENVIRONMENT");
    assertThat(settings().namespace()).isEqualTo("d");
    assertThat(settings("ENSEMBLE_ENVIRONMENT", "c").namespace()).isEqualTo("c");
    assertThat(settings("REDIS_NAMESPACE", "b").namespace()).isEqualTo("b");
    assertThat(settings("REDIS_NAMESPACE", " ").namespace()).isEqualTo("c");
    assertThat(settings("penstock.redis.namespace", " ").namespace()).isEqualTo("c");
    assertThat(settings("penstock.redis.namespace", "a").namespace()).isEqualTo("a");
  }

  @ParameterizedTest
  @CsvSource({
    "REDIS_NAMESPACE, '', default",
    "ENSEMBLE_ENVIRONMENT, '', default",
    "REDIS_NAMESPACE, prod, prod"
  })
  void variableOfAnotherProduct_thatIsNotListed_stopsTheStart(
      String name, String own, String namespace) {
    properties.put("PENSTOCK_ENVIRONMENT", own);
    assertThatThrownBy(() -> settings(name, "b"))
        .isInstanceOf(CannotStart.class)
        .hasMessageStartingWith(name + " is set in the environment, but counts")
        .hasMessageContainingAll(
            "the namespace would be '" + namespace + "'",
            "silently be doubled",
            "Set penstock.redis.namespace-from=" + name,
            "or penstock.redis.namespace to");
    assertThat(settings("penstock.redis.namespace", "a").namespace()).isEqualTo("a");
  }

  @Test
  void variableOfAnotherProduct_withoutRedis_isNobodysBusiness() {
    properties.put("REDIS_NAMESPACE", "b");
    assertThat(sharing()).isNull();
  }

  @Test
  void listedVariablesOfWhichNoneIsSet_stopTheStart_unlessTheOwnOneIs() {
    assertThatThrownBy(() -> settings("penstock.redis.namespace-from", "TEAM,STAGE"))
        .isInstanceOf(CannotStart.class)
        .hasMessageContainingAll("TEAM, STAGE", "no such variable is set", "'default'");
    assertThat(settings("PENSTOCK_ENVIRONMENT", "d").namespace()).isEqualTo("d");
  }

  private @Nullable RedisPlace coordination() {
    ConfigurableEnvironment environment = environment();
    return RedisSettings.coordination(
        SettingsCheck.check(environment, Set.of()).settings(), environment);
  }

  @Test
  void coordination_sharesTheRedisOfLimits_orHasItsOwn() throws IOException {
    assertThat(coordination()).isNull();
    settings("penstock.redis.user", "limits", "penstock.redis.password", "secret");
    assertThat(requireNonNull(coordination()).address())
        .isEqualTo(RedisAddress.parse("redis://limits:secret@here", null, null));
    String ca = Files.writeString(directory.resolve("ca.pem"), "-").toString();
    properties.put("penstock.coordination.redis.url", "rediss://there");
    properties.put("penstock.redis.tls.ca", ca);
    properties.put("penstock.redis.namespace", "ns");
    assertThat(coordination())
        .as("without the login of another server")
        .isEqualTo(
            new RedisPlace(
                RedisAddress.parse("rediss://there", null, null),
                new RedisTrust(ca, null, null),
                "ns"));
    assertThat(requireNonNull(sharing()).trust()).isNull();
    properties.put("penstock.coordination.redis.user", "objects");
    properties.put("penstock.coordination.redis.password", "other");
    assertThat(requireNonNull(coordination()).address())
        .isEqualTo(RedisAddress.parse("rediss://objects:other@there", null, null));
    properties.remove("penstock.redis.url");
    properties.remove("penstock.redis.user");
    properties.remove("penstock.redis.password");
    assertThat(sharing()).isNull();
    assertThat(requireNonNull(coordination()).namespace()).isEqualTo("ns");
  }

  @Test
  void loginOfCoordination_withoutItsUrl_stopsTheStart() {
    properties.put("penstock.coordination.redis.password", "secret");
    assertThatThrownBy(this::coordination)
        .isInstanceOf(CannotStart.class)
        .hasMessageContaining("penstock.coordination.redis.url is not")
        .hasMessageNotContaining("secret");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "url|localhost:6379|penstock.redis.url is no address of Redis, expected redis://HOST:PORT",
        "url|redis://a,b|penstock.redis.url has 2 servers, expected redis://HOST:PORT",
        "url|redis://a:70000|penstock.redis.url has port 70000, expected 1 to 65535",
        "url|redis-sentinel://a|penstock.redis.url names no master",
        "url|redis-cluster://a/1|penstock.redis.url has database 1, but a cluster only 0",
        "user|me|penstock.redis.url names a user without a password",
        "namespace|a{b}|penstock.redis.namespace is 'a{b}', expected up to 200 characters",
        "namespace|a b|penstock.redis.namespace is 'a b', expected up to 200 characters",
        "sync-interval|soon|penstock.redis.sync-interval is 'soon', expected a duration such as",
        "sync-interval|19ms|penstock.redis.sync-interval is 19ms, expected 20ms to 10s",
        "sync-interval|11s|penstock.redis.sync-interval is 11s, expected 20ms to 10s",
        "lease|399ms|penstock.redis.lease is 399ms, expected 400ms to 60s",
        "lease|61s|penstock.redis.lease is 61s, expected 400ms to 60s",
        "on-outage|wait|penstock.redis.on-outage is 'wait', expected one of continue, park, allow",
        "sharing|Exact|penstock.redis.sharing is 'Exact', expected one of exact, eventual, local",
        "tls.ca|/none.pem|penstock.redis.tls.ca is '/none.pem', which cannot be read",
      })
  void badSetting_stopsTheStartAndSaysWhy(String name, String value, String why) {
    assertThatThrownBy(() -> settings("penstock.redis." + name, value))
        .isInstanceOf(CannotStart.class)
        .message()
        .startsWith(why.replaceFirst(" ", " (test) "));
  }

  @Test
  void certificatesOnAWayThatIsOpen_stopTheStart() throws IOException {
    String file = Files.writeString(directory.resolve("ca.pem"), "-").toString();
    assertThatThrownBy(() -> settings("penstock.redis.tls.ca", file))
        .isInstanceOf(CannotStart.class)
        .hasMessageContaining("expected rediss://");
    assertThatThrownBy(() -> settings("penstock.redis.tls.cert", file))
        .hasMessageContaining("expected both");
  }

  @Test
  void slidingWindowUnder10Seconds_stopsTheStartUnlessItIsSharedOtherwise() {
    settings();
    String sliding = "endpoints: [{path: /s, algorithm: sliding_window, window_seconds: 2.5%s}]";
    assertThatThrownBy(() -> check(sliding.formatted("")))
        .isInstanceOf(CannotStart.class)
        .hasMessageContainingAll("endpoint /s", "2.5 s", "window_seconds 10", "eventual");
    assertThatCode(() -> check(sliding.formatted(", sharing: eventual")))
        .doesNotThrowAnyException();
    properties.put("penstock.redis.sharing", "local");
    assertThatCode(() -> check(sliding.formatted(""))).doesNotThrowAnyException();
  }

  @Test
  void reloadToAWindowTooShort_isRefusedLikewise() throws IOException {
    settings();
    StartSetup setup = setup(PERMIT, GatewayServer.MINUTE);
    ConfigurationSnapshot next =
        setup("endpoints: [{path: /s, algorithm: sliding_window}]", GatewayServer.MINUTE)
            .snapshot();
    assertThat(RedisSettings.problem(setup, setup.snapshot())).isNull();
    assertThat(RedisSettings.problem(setup, next)).contains("endpoint /s");
  }

  @Test
  void minuteUnder10Seconds_isTooShortForSlices() throws IOException {
    settings();
    StartSetup setup = setup(PERMIT, Duration.ofSeconds(2));
    assertThat(problem(setup)).contains("2 s").contains("10");
    settings("penstock.redis.sharing", "eventual");
    assertThat(problem(setup(PERMIT, Duration.ofSeconds(2)))).isNull();
  }

  private static @Nullable String problem(StartSetup setup) {
    return RedisSettings.problem(setup, setup.snapshot());
  }

  @Test
  void warnings_nameWhatStaysHereAndWhatHasNoEffect() throws IOException {
    SharingSettings settings = settings();
    String keys = PERMIT + "keys: [{name: k, sha256: " + HASH + ", strict_after_denial: true%s}]\n";
    ConfigurationSnapshot exact = setup(keys.formatted(""), GatewayServer.MINUTE).snapshot();
    List<String> warnings = RedisSettings.warnings(settings, "state.db", exact);
    assertThat(warnings).hasSize(2);
    assertThat(warnings.getFirst()).contains("penstock.state.file", "not shared");
    assertThat(warnings.getLast()).contains("key k", "strict_after_denial", "exact");
    ConfigurationSnapshot eventual =
        setup(keys.formatted(", sharing: eventual"), GatewayServer.MINUTE).snapshot();
    assertThat(RedisSettings.warnings(settings, null, eventual)).isEmpty();
    assertThat(RedisSettings.warnings(null, "state.db", exact)).isEmpty();
  }
}
