package io.penstock.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.mock.env.MockEnvironment;

class SettingsBinderTest {
  private static @Nullable String problem(String name, String value) {
    MockEnvironment environment = new MockEnvironment();
    environment.setProperty("penstock." + name, value);
    try {
      SettingsCheck.check(environment, Set.of());
      return null;
    } catch (CannotStart fault) {
      return fault.getMessage().replace("penstock." + name + " (mockProperties) ", "");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "drain-timeout, 30s",
    "drain-timeout, 2500",
    "drain-timeout, PT1M",
    "drain-timeout, 0s",
    "drain-timeout, ''",
    "keys.required, ''",
    "keys.required, ' '",
    "log.format, ''",
    "log.format, ' json'",
    "keys.required, true",
    "keys.required, false",
    "coordination.enabled, ''",
    "coordination.max-waiters, 0",
    "coordination.max-waiters, 1000000",
    "database.migrate, false",
    "database.url, r2dbc:mysql://user:word@host:3306/penstock",
    "keys.store, sql",
    "keys.store, ' file:keys.db '",
    "log.access, 0.01",
    "log.access, ''",
    "log.format, json",
    "max-buffered-bytes, 64MB",
    "max-buffered-bytes, 1",
    "unlimited-tpm, 9223372036854775807",
    "redis.on-outage, continue",
    "redis.unknown-in-outage, wait",
    "redis.on-outage, ''",
    "redis.sharing, eventual",
    "redis.url, redis://user:word@host/3",
    "redis.url, 'redis-sentinel://a,b#master'",
    "redis.user, anything",
    "region.share, 1",
    "usage.rows-per-day, 0"
  })
  void valueThatIsRead_isNoProblem(String name, String value) {
    assertThat(problem(name, value)).isNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "drain-timeout | 30x | is '30x', expected a duration such as 500ms, 30s or 10m",
        "drain-pause | -1s | is '-1s', expected a duration such as 500ms, 30s or 10m",
        "body-timeout | ' 1s' | is ' 1s', expected a duration above 0 such as 500ms, 30s or 10m",
        "stream-drain-timeout | 9999999999d | is '9999999999d', expected a duration such as 500ms,"
            + " 30s or 10m",
        "keys.required | TRUE | is 'TRUE', expected true or false",
        "keys.required | False | is 'False', expected true or false",
        "keys.required | yes | is 'yes', expected true or false",
        "log.format | JSON | is 'JSON', expected plain or json",
        "log.access | 1.5 | is '1.5', expected a number from 0 to 1",
        "log.access | NaN | is 'NaN', expected a number from 0 to 1",
        "log.access | some | is 'some', expected a number from 0 to 1",
        "max-buffered-bytes | 1GiB | is '1GiB', expected a size such as 64MB",
        "max-buffered-bytes | 0 | is '0', expected at least 1 byte",
        "coordination.enabled | maybe | is 'maybe', expected true or false",
        "coordination.max-objects | 0 | is '0', expected a whole number from 1 to 1000000",
        "unlimited-tpm | -1 | is '-1', expected a whole number from 0 on",
        "usage.rows-per-day | 3000000000 | is '3000000000', expected a whole number from 0 to"
            + " 2147483647",
        "redis.on-outage | PARK | is 'PARK', expected one of continue, park, allow, refuse",
        "redis.on-outage | share | is 'share', expected one of continue, park, allow, refuse",
        "redis.sharing | all | is 'all', expected one of exact, eventual, local",
        "redis.url | http://:secret@h | is no address of Redis, expected redis://HOST:PORT,"
            + " redis-sentinel://HOST,HOST#MASTER or redis-cluster://HOST,HOST, with rediss for"
            + " TLS",
        "database.url | jdbc:mariadb://u:secret@h/d | cannot be read, expected"
            + " r2dbc:mariadb://USER:PASSWORD@HOST:PORT/DATABASE",
        "keys.store | keys.db | is 'keys.db', expected file:PATH or sql",
        "keys.store | file: | is 'file:', expected file:PATH or sql",
        "coordination.max-waiters | 1000001 | is '1000001', expected a whole number from 0 to"
            + " 1000000",
        "coordination.max-objects | many | is 'many', expected a whole number from 1 to 1000000",
        "body.tenant-share | 0 | is '0', expected a number above 0 and up to 1",
        "body.tenant-share | NaN | is 'NaN', expected a number above 0 and up to 1",
        "coordination.tenant-share | 0 | is '0', expected a number above 0 and up to 1",
        "coordination.tenant-share | 1.5 | is '1.5', expected a number above 0 and up to 1",
        "coordination.max-bytes | 64 MiB | is '64 MiB', expected a size such as 64MB",
        "coordination.max-bytes | 100KB | is 102400B, expected at least 1MB, such as 64MB",
        "coordination.redis.url | here | is no address of Redis, expected redis://HOST:PORT,"
            + " redis-sentinel://HOST,HOST#MASTER or redis-cluster://HOST,HOST, with rediss for"
            + " TLS",
        "body.deadline | 0s | is '0s', expected a duration above 0 such as 500ms, 30s or 10m",
        "state.interval | 99ms | is '99ms', expected a duration of at least 100ms"
      })
  void otherValue_isAProblemWithWhatIsExpected(String name, String value, String problem) {
    assertThat(problem(name, value)).isEqualTo(problem);
  }

  @Test
  void valueOfSeveralLines_isShownOnOne() {
    assertThat(problem("drain-pause", "1s\n2s")).startsWith("is '1s 2s', expected");
  }

  @Test
  void faultsOfManySettings_areReportedTogether() {
    MockEnvironment environment = new MockEnvironment();
    environment.setProperty("penstock.redis.url", "redis://:hunter2@a,b");
    environment.setProperty("penstock.drain-pause", "soon");
    environment.setProperty("penstock.log.access", "2");
    environment.setProperty("penstock.allowed-hosts", "a/b");
    environment.setProperty("server.port", "70000");
    assertThatThrownBy(() -> SettingsCheck.check(environment, Set.of()))
        .isInstanceOf(CannotStart.class)
        .message()
        .doesNotContain("hunter2")
        .satisfies(
            message ->
                assertThat(message.lines().map(line -> line.split(" ", 2)[0]))
                    .containsExactly(
                        "penstock.allowed-hosts",
                        "penstock.drain-pause",
                        "penstock.log.access",
                        "penstock.redis.url",
                        "server.port"));
  }
}
