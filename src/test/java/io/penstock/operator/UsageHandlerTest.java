package io.penstock.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.config.PriceTable;
import io.penstock.fake.PatientWaits;
import io.penstock.usage.UsageLedger;
import java.math.BigDecimal;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.mock.web.reactive.function.server.MockServerRequest;
import org.springframework.web.reactive.function.server.ServerRequest;
import reactor.test.StepVerifier;

class UsageHandlerTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "gpt-4o | gpt-4o",
        "=1+1 | '=1+1",
        "+1 | '+1",
        "-1 | '-1",
        "@SUM(A1) | '@SUM(A1)",
        "a,b | \"a,b\"",
        "a\"b | \"a\"\"b\"",
        "=\"a,b | \"'=\"\"a,b\""
      })
  void names_areNeverFormulas_andStayInTheirCell(String name, String cell) {
    assertThat(UsageHandler.cell(name)).isEqualTo(cell);
  }

  @Test
  void controlCharacters_areQuotedOrDefused() {
    assertThat(UsageHandler.cell("\t=1")).isEqualTo("'\t=1");
    assertThat(UsageHandler.cell("a\nb")).isEqualTo("\"a\nb\"");
  }

  @Test
  void sums_areMadeOffTheThreadThatAsks() {
    AtomicReference<Thread> reads = new AtomicReference<>();
    UsageLedger ledger =
        new UsageLedger(
            () -> {
              reads.set(Thread.currentThread());
              return 0;
            },
            10);
    ServerRequest request = MockServerRequest.builder().build();
    StepVerifier.create(new UsageHandler(ledger, new PriceTable()).list(request))
        .expectNextCount(1)
        .expectComplete()
        .verify(PatientWaits.LONGEST);
    assertThat(reads.get()).isNotNull().isNotSameAs(Thread.currentThread());
  }

  @Test
  void numbers_arePlain() {
    assertThat(UsageHandler.cell(-5L)).isEqualTo("-5");
    assertThat(UsageHandler.cell(new BigDecimal("1E-9"))).isEqualTo("0.000000001");
    assertThat(UsageHandler.cell(null)).isEmpty();
  }
}
