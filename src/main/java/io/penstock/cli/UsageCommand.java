package io.penstock.cli;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;

/** Prints what was used, as a table with a row for each group and a sum. */
@Command(
    name = "usage",
    description = "Show what was used, by key, group, model or day.",
    mixinStandardHelpOptions = true)
final class UsageCommand implements Callable<Integer> {
  private static final String DAY = "day";
  private static final String NONE = "-";

  private static final String PRICE = "PRICE";

  /** The members of a row that are shown as numbers. */
  private static final List<String> MEMBERS =
      List.of("requests", "input_tokens", "cache_read_tokens", "output_tokens");

  /** The titles of their columns, and of that of prices. */
  private static final List<String> FIGURES =
      List.of("REQUESTS", "INPUT", "CACHED", "OUTPUT", PRICE);

  @Spec private @Nullable CommandSpec spec;

  @Mixin private final OperatorClient client;

  @Mixin private final KeysCommand.Output output = new KeysCommand.Output();

  @Option(
      names = "--by",
      paramLabel = "FIELDS",
      defaultValue = "key",
      description = "Some of key, group, model and day, with commas (default: ${DEFAULT-VALUE}).")
  private String by = "key";

  @Option(
      names = "--from",
      paramLabel = "DAY",
      description = "First UTC day, such as 2026-01-31 (default: the oldest that is kept).")
  private @Nullable String from;

  @Option(names = "--to", paramLabel = "DAY", description = "Last UTC day (default: today).")
  private @Nullable String to;

  UsageCommand(Map<String, String> environment) {
    this.client = new OperatorClient(environment);
  }

  @Override
  public Integer call() {
    return GatewayCommand.run(
        spec,
        (out, err) -> {
          JsonNode usage = client.ask("GET", path(), null).body();
          if (!usage.path("rows").isArray()) {
            throw client.unexpected();
          }
          if (output.json()) {
            out.println(usage);
            return GatewayCommand.GOOD;
          }
          table(usage).print(out);
          err.println(
              "used from %s to %s, as the gateway that answers has counted"
                  .formatted(usage.path("from").asString(""), usage.path("to").asString("")));
          return GatewayCommand.GOOD;
        });
  }

  private String path() {
    StringBuilder path = new StringBuilder("/usage?group_by=").append(OperatorClient.encoded(by));
    if (from != null) {
      path.append("&from=").append(OperatorClient.encoded(from));
    }
    if (to != null) {
      path.append("&to=").append(OperatorClient.encoded(to));
    }
    return path.toString();
  }

  private static PlainTable table(JsonNode usage) {
    List<String> fields = new ArrayList<>();
    usage.path("group_by").forEach(each -> fields.add(each.asString()));
    List<String> heads = new ArrayList<>();
    fields.forEach(each -> heads.add(each.toUpperCase(Locale.ROOT)));
    heads.addAll(FIGURES);
    PlainTable table = new PlainTable(heads, Set.copyOf(FIGURES));
    List<JsonNode> rows = new ArrayList<>();
    usage.path("rows").forEach(rows::add);
    if (!fields.contains(DAY)) {
      rows.sort(Comparator.comparingLong(UsageCommand::tokens).reversed());
    }
    rows.forEach(row -> table.add(cells(names(row, fields), List.of(row))));
    List<String> total = new ArrayList<>(List.of("total"));
    fields.stream().skip(1).forEach(each -> total.add(""));
    table.add(cells(total, rows));
    return table;
  }

  private static long tokens(JsonNode row) {
    return row.path("input_tokens").asLong(0) + row.path("output_tokens").asLong(0);
  }

  private static List<String> names(JsonNode row, List<String> fields) {
    return fields.stream()
        .map(each -> row.path(each).asString(""))
        .map(each -> each.isEmpty() ? NONE : GatewayCommand.harmless(each))
        .toList();
  }

  /** Returns the cells of a line that adds up rows. */
  private static List<String> cells(List<String> names, List<JsonNode> rows) {
    List<String> cells = new ArrayList<>(names);
    for (String member : MEMBERS) {
      cells.add(Long.toString(rows.stream().mapToLong(row -> row.path(member).asLong(0)).sum()));
    }
    cells.add(price(rows));
    return cells;
  }

  /** Returns the sum of prices; a dash if one of them is unknown. */
  private static String price(List<JsonNode> rows) {
    BigDecimal sum = BigDecimal.ZERO;
    for (JsonNode row : rows) {
      if (!row.path("price").isNumber()) {
        return NONE;
      }
      sum = sum.add(row.path("price").decimalValue());
    }
    return sum.signum() == 0 ? "0" : sum.stripTrailingZeros().toPlainString();
  }
}
