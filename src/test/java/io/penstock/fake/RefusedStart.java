package io.penstock.fake;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.ServeCommand;
import io.penstock.cli.PenstockCommands;
import io.penstock.mock.MockAddress;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;

/**
 * A start of the gateway by its command that was refused.
 *
 * @param exit the exit code
 * @param error what the command wrote to its error output
 */
public record RefusedStart(int exit, String error) {
  /** Runs {@code serve} with a route file and more arguments, and expects that it is refused. */
  public static RefusedStart of(Path routes, String... arguments) {
    ServeCommand serve = new ServeCommand(Map.of());
    StringWriter error = new StringWriter();
    CommandLine line =
        PenstockCommands.commandLine(Map.of(), MockAddress::parse, () -> Instant.EPOCH, serve);
    line.setErr(new PrintWriter(error, true));
    List<String> all = new ArrayList<>(List.of("serve", "--routes=" + routes));
    all.addAll(List.of(arguments));
    int exit = line.execute(all.toArray(String[]::new));
    serve.stop();
    assertThat(serve.running()).isFalse();
    return new RefusedStart(exit, error.toString());
  }
}
