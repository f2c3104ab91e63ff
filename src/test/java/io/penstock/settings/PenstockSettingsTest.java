package io.penstock.settings;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.coordination.ObjectBounds;
import io.penstock.gateway.body.BodySettings;
import io.penstock.pool.UpstreamRegistry;
import io.penstock.sharing.OutagePolicy;
import io.penstock.sharing.SharingMode;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.mock.env.MockEnvironment;

/** Tests the default and the mapping of each setting. */
class PenstockSettingsTest {
  private final MockEnvironment environment = new MockEnvironment();

  private PenstockSettings settings() {
    return SettingsCheck.check(environment, Set.of()).settings();
  }

  private PenstockSettings settings(String... namesAndValues) {
    for (int at = 0; at < namesAndValues.length; at += 2) {
      environment.setProperty("penstock." + namesAndValues[at], namesAndValues[at + 1]);
    }
    return settings();
  }

  private static @Nullable String text(@Nullable SecretText secret) {
    return SecretText.textOf(secret);
  }

  @Test
  void unset_haveTheirDefaults() {
    PenstockSettings settings = settings();
    assertThat(settings.clients().allowedHosts()).isEmpty();
    assertThat(settings.clients().allowedOrigins()).isEmpty();
    assertThat(settings.clients().bodies())
        .isEqualTo(
            new BodySettings(
                Runtime.getRuntime().maxMemory() / 4,
                0.25,
                Duration.ofSeconds(60),
                1024,
                Duration.ofMinutes(10)));
    assertThat(settings.coordination().enabled()).isFalse();
    assertThat(settings.coordination().bounds()).isEqualTo(ObjectBounds.DEFAULT);
    assertThat(ObjectBounds.DEFAULT.waiters()).isEqualTo(10_000);
    assertThat(ObjectBounds.DEFAULT.objects()).isEqualTo(100_000);
    assertThat(ObjectBounds.DEFAULT.idleNanos()).isEqualTo(3_600_000_000_000L);
    assertThat(settings.stores().database())
        .isEqualTo(new PenstockSettings.Database(true, null, null, null));
    assertThat(settings.running().drainPause()).isZero();
    assertThat(settings.running().drainTimeout()).isEqualTo(Duration.ofSeconds(30));
    assertThat(settings.running().streamDrainTimeout()).isEqualTo(Duration.ofMinutes(10));
    assertThat(settings.limits().keys()).isEqualTo(new PenstockSettings.Keys(null, null));
    assertThat(settings.limits().keys().demanded()).isFalse();
    assertThat(settings.running().log())
        .isEqualTo(new PenstockSettings.Log(0, PenstockSettings.Log.Format.PLAIN));
    assertThat(settings.limits().unlimitedTpm()).isEqualTo(UpstreamRegistry.UNLIMITED_TPM);
    assertThat(settings.running().operator().token()).isNull();
    assertThat(settings.stores().prefix().secret()).isNull();
    assertThat(settings.limits().quotas().reservationTimeout()).isEqualTo(Duration.ofMinutes(10));
    assertThat(settings.redis())
        .isEqualTo(
            new PenstockSettings.Redis(
                null,
                List.of(),
                OutagePolicy.CONTINUE,
                PenstockSettings.UnknownInOutage.DIVIDE,
                PenstockSettings.StartWithoutRedis.WAIT,
                SharingMode.EXACT,
                Duration.ofSeconds(12),
                Duration.ofMillis(100)));
    assertThat(settings.redisAccess())
        .isEqualTo(
            new PenstockSettings.RedisAccess(
                null, new PenstockSettings.RedisAccess.Tls(null, null, null), null, null));
    assertThat(settings.stores().region()).isEqualTo(new PenstockSettings.Region(null, 0.05));
    assertThat(settings.stores().state())
        .isEqualTo(new PenstockSettings.State(null, Duration.ofSeconds(10)));
    assertThat(settings.stores().usage().rowsPerDay()).isEqualTo(2_000);
    assertThat(settings.running().warmUp()).isTrue();
    assertThat(settings.stores().workspace()).isEqualTo("default");
    assertThat(settings.clients().websockets())
        .isEqualTo(new PenstockSettings.Websockets(Duration.ofMinutes(10), 1_000, 0.25));
    assertThat(settings.clients().writeTimeout()).isEqualTo(Duration.ofSeconds(60));
  }

  @Test
  void bodies_areAsTheyAreSet() {
    PenstockSettings settings =
        settings(
            "max-buffered-bytes", "64MB",
            "body.tenant-share", "0.5",
            "body-timeout", "20s",
            "body.min-bytes-per-second", "500",
            "body.deadline", "5m");
    assertThat(settings.clients().bodies())
        .isEqualTo(
            new BodySettings(64 << 20, 0.5, Duration.ofSeconds(20), 500, Duration.ofMinutes(5)));
  }

  @Test
  void listsAndTimes_areAsTheyAreSet() {
    PenstockSettings settings =
        settings(
            "allowed-hosts", "a.example, b.example",
            "allowed-origins", "http://c.example",
            "drain-pause", "1s",
            "drain-timeout", "2500",
            "stream-drain-timeout", "PT1M",
            "quotas.reservation-timeout", "1h",
            "unlimited-tpm", "9223372036854775807",
            "warm-up", "false",
            "workspace", "team-a",
            "websockets.idle-timeout", "30s",
            "websockets.max-open", "7",
            "websockets.tenant-share", "0.5",
            "write-timeout", "5s");
    assertThat(settings.clients().allowedHosts()).containsExactly("a.example", "b.example");
    assertThat(settings.clients().allowedOrigins()).containsExactly("http://c.example");
    assertThat(settings.running().drainPause()).isEqualTo(Duration.ofSeconds(1));
    assertThat(settings.running().drainTimeout()).isEqualTo(Duration.ofMillis(2500));
    assertThat(settings.running().streamDrainTimeout()).isEqualTo(Duration.ofMinutes(1));
    assertThat(settings.limits().quotas().reservationTimeout()).isEqualTo(Duration.ofHours(1));
    assertThat(settings.limits().unlimitedTpm()).isEqualTo(Long.MAX_VALUE);
    assertThat(settings.running().warmUp()).isFalse();
    assertThat(settings.stores().workspace()).isEqualTo("team-a");
    assertThat(settings.clients().websockets())
        .isEqualTo(new PenstockSettings.Websockets(Duration.ofSeconds(30), 7, 0.5));
    assertThat(settings.clients().writeTimeout()).isEqualTo(Duration.ofSeconds(5));
  }

  @Test
  void sectionsOfTheProgram_areAsTheyAreSet() {
    PenstockSettings settings =
        settings(
            "coordination.enabled", "true",
            "coordination.max-waiters", "0",
            "coordination.max-objects", "7",
            "coordination.max-bytes", "2MB",
            "coordination.tenant-share", "0.5",
            "coordination.redis.url", "redis://objects",
            "coordination.redis.user", "them",
            "coordination.redis.password", " s3cret ",
            "keys.required", "true",
            "keys.store", " file:keys.db ",
            "log.access", "0.01",
            "log.format", "json",
            "operator.token", " a-token ",
            "prefix.secret", " s3cret ",
            "state.file", "state.db",
            "state.interval", "100ms",
            "usage.rows-per-day", "0");
    assertThat(settings.coordination().enabled()).isTrue();
    assertThat(settings.coordination().bounds().waiters()).isZero();
    assertThat(settings.coordination().bounds().objects()).isEqualTo(7);
    assertThat(settings.coordination().bounds().bytes()).isEqualTo(2 << 20);
    assertThat(settings.coordination().bounds().share()).isEqualTo(0.5);
    assertThat(text(settings.coordination().redis().url())).isEqualTo("redis://objects");
    assertThat(settings.coordination().redis().user()).isEqualTo("them");
    assertThat(text(settings.coordination().redis().password())).isEqualTo("s3cret");
    assertThat(settings.limits().keys()).isEqualTo(new PenstockSettings.Keys(true, "file:keys.db"));
    assertThat(settings.limits().keys().demanded()).isTrue();
    assertThat(settings.running().log())
        .isEqualTo(new PenstockSettings.Log(0.01, PenstockSettings.Log.Format.JSON));
    assertThat(text(settings.running().operator().token())).isEqualTo("a-token");
    assertThat(settings.stores().state())
        .isEqualTo(new PenstockSettings.State("state.db", Duration.ofMillis(100)));
    assertThat(settings.stores().usage().rowsPerDay()).isZero();
    assertThat(text(settings.stores().prefix().secret())).isEqualTo("s3cret");
    assertThat(settings.toString()).doesNotContain("s3cret");
  }

  @Test
  void sectionsOfSharing_areAsTheyAreSet() {
    PenstockSettings settings =
        settings(
            "database.migrate", "false",
            "database.migration-user", "owner",
            "database.migration-password", "s3cret",
            "database.url", "r2dbc:mariadb://me:s3cret@host/penstock",
            "redis.namespace", "ns",
            "redis.namespace-from", "A, B",
            "redis.on-outage", "refuse",
            "redis.password", "s3cret",
            "redis.sharing", "local",
            "redis.lease", "3s",
            "redis.start-without-redis", "serve",
            "redis.sync-interval", "250",
            "redis.unknown-in-outage", "wait",
            "redis.user", "me",
            "region.name", "east",
            "region.share", "1");
    assertThat(settings.stores().database().migrate()).isFalse();
    assertThat(settings.stores().database().migrationUser()).isEqualTo("owner");
    assertThat(text(settings.stores().database().migrationPassword())).isEqualTo("s3cret");
    assertThat(text(settings.stores().database().url()))
        .startsWith("r2dbc:mariadb://me:s3cret@host");
    assertThat(settings.redis())
        .isEqualTo(
            new PenstockSettings.Redis(
                "ns",
                List.of("A", "B"),
                OutagePolicy.REFUSE,
                PenstockSettings.UnknownInOutage.WAIT,
                PenstockSettings.StartWithoutRedis.SERVE,
                SharingMode.LOCAL,
                Duration.ofSeconds(3),
                Duration.ofMillis(250)));
    assertThat(settings.redisAccess())
        .isEqualTo(
            new PenstockSettings.RedisAccess(
                new SecretText("s3cret"),
                new PenstockSettings.RedisAccess.Tls(null, null, null),
                null,
                "me"));
    assertThat(settings.stores().region()).isEqualTo(new PenstockSettings.Region("east", 1));
    assertThat(settings.toString()).doesNotContain("s3cret");
  }

  @Test
  void descriptions_areSentences() {
    assertThat(SettingMetadata.ALL)
        .hasSizeGreaterThan(40)
        .isSortedAccordingTo((a, b) -> a.name().compareTo(b.name()))
        .extracting(SettingMetadata::description)
        .allMatch(each -> each.matches("[A-Z].*\\."))
        .noneMatch(each -> each.contains("{@"));
    assertThat(SettingMetadata.ALL)
        .extracting(SettingMetadata::name)
        .doesNotHaveDuplicates()
        .contains("penstock.redis.tls.ca", "penstock.drain-timeout");
    assertThat(Objects.requireNonNull(SettingMetadata.ALL.getFirst()).compound()).isTrue();
  }
}
