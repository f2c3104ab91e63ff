package io.penstock.cli;

import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;

/** Explains why a request waits, or why it was refused. */
@Command(
    name = "why",
    description = {
      "Explain why a request waits, waited or was refused.",
      "Refusals are kept for an hour."
    },
    mixinStandardHelpOptions = true)
final class WhyCommand implements Callable<Integer> {
  @Spec private @Nullable CommandSpec spec;

  @Mixin private final OperatorClient client;

  @Mixin private final KeysCommand.Output output = new KeysCommand.Output();

  @Parameters(
      paramLabel = "ID",
      description = "The x-request-id of the request's answer, or the number of its ticket.")
  private String id = "";

  WhyCommand(Map<String, String> environment) {
    this.client = new OperatorClient(environment);
  }

  @Override
  public Integer call() {
    return GatewayCommand.run(
        spec,
        (out, err) -> {
          JsonNode ticket =
              client.ask("GET", "/tickets/" + OperatorClient.encoded(id), null).body();
          if (!ticket.path("state").isString()) {
            throw client.unexpected();
          }
          if (output.json()) {
            out.println(ticket);
          } else {
            TicketStory.of(ticket).forEach(out::println);
          }
          return GatewayCommand.GOOD;
        });
  }
}
