package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.event.Event;
import io.penstock.event.EventBus;
import io.penstock.fake.RawUpstream;
import io.penstock.fake.RecordedEvents;
import io.penstock.fake.RunningGateway;
import io.penstock.suite.Hostile;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests upstreams that state more usage than a request can have. */
@Hostile(Hostile.By.UPSTREAM)
class ImpossibleUsageIT extends HostileCase {
  private static final long MUCH = 1_000_000_000L;

  @Override
  String routes() {
    return """
    endpoints:
      - {path: /openai, dialect: openai, upstreams: [{id: o, url: "%1$s"}]}
      - {path: /anthropic, dialect: anthropic, upstreams: [{id: a, url: "%1$s"}]}
    """;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/openai/v1/chat/completions|\"max_tokens\":5,\"n\":2"
            + "|{\"prompt_tokens\":7,\"completion_tokens\":1000000000}|17",
        "/openai/v1/chat/completions|\"max_tokens\":5"
            + "|{\"prompt_tokens\":1000000000,\"completion_tokens\":4}|10000004",
        "/openai/v1/chat/completions|\"max_tokens\":5"
            + "|{\"prompt_tokens\":7,\"completion_tokens\":5}|12",
        "/openai/v1/chat/completions|\"stream\":false"
            + "|{\"prompt_tokens\":7,\"completion_tokens\":1000000000}|10000007",
        "/anthropic/v1/messages|\"max_tokens\":5"
            + "|{\"input_tokens\":7,\"output_tokens\":1000000000}|12",
      })
  void usageBeyondWhatIsPossible_countsOnlyAsFarAsItIs(
      String target, String members, String usage, long counted) throws InterruptedException {
    RecordedEvents events = new RecordedEvents();
    gateway.bean(EventBus.class).subscribe(events);
    String body = "{\"usage\":" + usage + "}";
    upstream.script(
        RawUpstream.answering(
            OK.replace("Content-Length: 2", "Content-Length: " + body.length())
                .replace("{}", body)));

    String ask = "{\"model\":\"m\"," + members + ",\"messages\":[{\"role\":\"user\"}]}";
    assertThat(post(target, ask).status()).isEqualTo(200);

    upstream.received();
    RunningGateway.awaiting().until(() -> !events.of(Event.Settled.class).isEmpty());
    assertThat(events.of(Event.Settled.class))
        .extracting(Event.Settled::usedTokens)
        .containsExactly(counted)
        .allMatch(tokens -> tokens < MUCH);
  }
}
