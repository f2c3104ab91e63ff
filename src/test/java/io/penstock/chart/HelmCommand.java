package io.penstock.chart;

import com.marcnuri.helm.TemplateCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;

/** The command {@code helm template}, for machines that have Helm only as a library. */
final class HelmCommand {
  private HelmCommand() {}

  /** Prints what the chart makes of arguments: {@code template NAME CHART OPTION…}. */
  public static void main(String[] arguments) throws IOException {
    Iterator<String> each = List.of(arguments).iterator();
    if (!each.next().equals("template")) {
      throw new IllegalArgumentException("only helm template is known");
    }
    String name = each.next();
    Path chart = Path.of(each.next());
    if (!chart.equals(HelmChart.SOURCE)) {
      throw new IllegalArgumentException("expected the chart " + HelmChart.SOURCE);
    }
    TemplateCommand command =
        new HelmChart(Files.createTempDirectory(Path.of(""), "chart"), "{}")
            .template()
            .withName(name);
    while (each.hasNext()) {
      String option = each.next();
      String value = each.next();
      int equals = value.indexOf('=');
      switch (option) {
        case "-n" -> command.withNamespace(value);
        case "--kube-version" -> command.withKubeVersion(value);
        case "--set" -> command.set(value.substring(0, equals), value.substring(equals + 1));
        case "--set-file" ->
            command.setFile(value.substring(0, equals), Path.of(value.substring(equals + 1)));
        default -> throw new IllegalArgumentException("helm template has no " + option + " here");
      }
    }
    System.out.println(command.call());
  }
}
