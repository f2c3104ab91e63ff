package io.penstock.cli;

import java.io.PrintWriter;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * Explains wrong arguments in one line, followed by the usage where a command is missing, and
 * otherwise by the way to it: the usage of a command with many options would hide the line.
 */
final class ArgumentErrors implements IParameterExceptionHandler {
  @Override
  public int handleParseException(ParameterException wrong, String[] arguments) {
    CommandLine line = wrong.getCommandLine();
    String command = line.getCommandSpec().qualifiedName();
    PrintWriter err = line.getErr();
    err.println(line.getColorScheme().errorText(message(wrong, command)));
    UnmatchedArgumentException.printSuggestions(wrong, err);
    if (line.getSubcommands().isEmpty()) {
      err.println("'" + command + " --help' shows its options.");
    } else {
      line.usage(err, line.getColorScheme());
    }
    err.flush();
    return line.getCommandSpec().exitCodeOnInvalidInput();
  }

  private static String message(ParameterException wrong, String command) {
    if (wrong instanceof UnmatchedArgumentException unmatched) {
      return unmatched.getUnmatched().stream()
          .map(each -> "'" + each + "'")
          .collect(Collectors.joining(" ", command + " does not understand ", ""));
    }
    // the library doubles this word where a value lacks its key
    return String.valueOf(wrong.getMessage()).replace("option option", "option");
  }
}
