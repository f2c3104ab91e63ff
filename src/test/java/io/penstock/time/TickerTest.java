package io.penstock.time;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TickerTest {
  @Test
  void systemTicker_readTwice_startsNearZeroAndNeverGoesBack() {
    Ticker ticker = Ticker.system();
    long first = ticker.nanos();
    assertThat(first).isNotNegative();
    assertThat(ticker.nanos()).isGreaterThanOrEqualTo(first);
  }
}
