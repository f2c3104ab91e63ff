package io.penstock.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;

class FailedTokensTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long NOW = 1_000 * SECOND;

  private final FailedTokens failed = new FailedTokens();

  private static InetAddress address(String text) throws UnknownHostException {
    return InetAddress.getByName(text);
  }

  private void fail(String address, int times, long now) throws UnknownHostException {
    for (int each = 0; each < times; each++) {
      failed.failed(address(address), now);
    }
  }

  private long shut(String address, long now) throws UnknownHostException {
    return failed.shutNanos(address(address), now);
  }

  @Test
  void tenthFailure_shutsItsAddressOut_untilTheMinuteOfTheFirstIsOver() throws Exception {
    fail("10.0.0.1", 1, NOW);
    fail("10.0.0.1", 8, NOW + 5 * SECOND);
    assertThat(shut("10.0.0.1", NOW + 5 * SECOND)).isZero();
    assertThat(failed.failed(address("10.0.0.1"), NOW + 10 * SECOND)).isTrue();
    assertThat(failed.failed(address("10.0.0.1"), NOW + 10 * SECOND)).isFalse();
    assertThat(shut("10.0.0.1", NOW + 10 * SECOND)).isEqualTo(50 * SECOND);
    assertThat(shut("10.0.0.2", NOW + 10 * SECOND)).isZero();
    assertThat(shut("10.0.0.1", NOW + 60 * SECOND - 1)).isEqualTo(1);
    assertThat(shut("10.0.0.1", NOW + 60 * SECOND)).isZero();
    assertThat(failed.failed(address("10.0.0.1"), NOW + 60 * SECOND)).isFalse();
    assertThat(shut("10.0.0.1", NOW + 60 * SECOND)).isZero();
  }

  @Test
  void addressesOfOneNetwork_areOnePlace() throws Exception {
    fail("2001:db8:0:1::1", 5, NOW);
    fail("2001:db8:0:1:ffff::2", 5, NOW);
    assertThat(shut("2001:db8:0:1::3", NOW)).isPositive();
    assertThat(shut("2001:db8:0:2::1", NOW)).isZero();
  }

  @Test
  void addressThatIsNotKnown_isAPlaceToo() {
    for (int each = 0; each < FailedTokens.MOST; each++) {
      failed.failed(null, NOW);
    }
    assertThat(failed.shutNanos(null, NOW)).isPositive();
  }

  @Test
  void places_areBounded_andTheOthersCountAsOne() throws Exception {
    for (int each = 0; each < FailedTokens.MOST_PLACES; each++) {
      fail("10.1.%d.%d".formatted(each / 256, each % 256), 1, NOW);
    }
    assertThat(shut("10.2.0.0", NOW)).isZero();
    for (int each = 0; each < FailedTokens.MOST; each++) {
      fail("10.2.0." + each, 1, NOW);
    }
    assertThat(failed.size()).isEqualTo(FailedTokens.MOST_PLACES + 1);
    assertThat(shut("10.3.0.0", NOW)).isPositive();
    assertThat(shut("10.1.0.0", NOW)).isZero();
    fail("10.3.0.0", 1, NOW + 60 * SECOND);
    assertThat(failed.size()).isEqualTo(1);
    assertThat(shut("10.2.0.1", NOW + 60 * SECOND)).isZero();
  }
}
