package io.penstock.operator;

import io.penstock.config.PriceTable;
import io.penstock.operator.QuestionBody.Unclear;
import io.penstock.usage.CachedInput;
import io.penstock.usage.UsageLedger;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.http.CacheControl;
import org.springframework.http.MediaType;
import org.springframework.util.MultiValueMap;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Reports usage by day, key, group and model, as JSON or CSV. */
final class UsageHandler {
  private static final Set<String> PARAMETERS = Set.of("from", "to", "group_by", "format");
  private static final MediaType CSV = new MediaType("text", "csv", StandardCharsets.UTF_8);

  /** Fields by which rows can be grouped, in the order of the columns. */
  private static final List<String> FIELDS = List.of("day", "key", "group", "model");

  /** Columns of numbers; newer ones come last, so that the others keep their places. */
  private static final List<String> FIGURES =
      List.of(
          "requests",
          "input_tokens",
          "output_tokens",
          "price",
          "uncached_input_tokens",
          "cache_read_tokens",
          "cache_write_tokens",
          "cache_write_1h_tokens");

  /** Initial characters that make spreadsheets interpret a cell as a formula. */
  private static final String FORMULA = "=+-@\t\r";

  /** A sum; its price is null as soon as one of its parts has no price. */
  private static final class Sum {
    long requests;
    long input;
    long output;
    long uncached;
    long read;
    long write;
    long writeForHour;
    @Nullable BigDecimal price = BigDecimal.ZERO;

    void add(UsageLedger.Row row, @Nullable BigDecimal cost) {
      requests = sum(requests, row.requests());
      input = sum(input, row.input());
      output = sum(output, row.output());
      CachedInput cached = row.cached();
      uncached = sum(uncached, row.uncachedInput());
      read = sum(read, cached.read());
      write = sum(write, cached.written() - cached.writtenForHour());
      writeForHour = sum(writeForHour, cached.writtenForHour());
      boolean free = row.input() == 0 && row.output() == 0;
      if (!free) {
        price = price == null || cost == null ? null : price.add(cost);
      }
    }

    private static long sum(long a, long b) {
      return a > Long.MAX_VALUE - b ? Long.MAX_VALUE : a + b;
    }
  }

  private record Question(LocalDate from, LocalDate to, List<String> groupBy, boolean csv) {}

  private final UsageLedger ledger;
  private final PriceTable priceTable;

  UsageHandler(UsageLedger ledger, PriceTable priceTable) {
    this.ledger = ledger;
    this.priceTable = priceTable;
  }

  /**
   * Sums the usage from {@code ?from=} to {@code ?to=}, grouped by {@code ?group_by=}. Runs off the
   * event loops, because there may be very many rows.
   */
  Mono<ServerResponse> list(ServerRequest request) {
    return QuestionBody.orUnclear(Mono.defer(() -> listed(request)))
        .subscribeOn(Schedulers.boundedElastic());
  }

  private Mono<ServerResponse> listed(ServerRequest request) {
    Question question = question(request);
    List<Map<String, Object>> rows = rows(question);
    return question.csv() ? csv(question, rows) : json(question, rows);
  }

  private Question question(ServerRequest request) {
    MultiValueMap<String, String> given = request.queryParams();
    for (Map.Entry<String, List<String>> each : given.entrySet()) {
      if (!PARAMETERS.contains(each.getKey()) || each.getValue().size() > 1) {
        throw new Unclear("expected from, to, group_by and format, each once at most");
      }
    }
    LocalDate today = ledger.today();
    LocalDate to = day("to", given.getFirst("to"), today);
    LocalDate from = day("from", given.getFirst("from"), today.minusDays(UsageLedger.DAYS - 1L));
    if (from.isAfter(to)) {
      throw new Unclear("from is " + from + ", expected a day no later than to, " + to);
    }
    return new Question(from, to, fields(given.getFirst("group_by")), csv(request));
  }

  private static LocalDate day(String name, @Nullable String text, LocalDate other) {
    try {
      return text == null ? other : LocalDate.parse(text);
    } catch (DateTimeException e) {
      throw new Unclear(name + " is no day, expected one such as 2026-01-31");
    }
  }

  private static List<String> fields(@Nullable String text) {
    if (text == null) {
      return FIELDS;
    }
    List<String> asked = List.of(text.split(",", -1));
    if (!FIELDS.containsAll(asked) || Set.copyOf(asked).size() < asked.size()) {
      throw new Unclear("group_by is not understood, expected some of key,group,model,day");
    }
    return FIELDS.stream().filter(asked::contains).toList();
  }

  private static boolean csv(ServerRequest request) {
    String format = request.queryParams().getFirst("format");
    if (format == null) {
      return request.headers().accept().stream().anyMatch(type -> type.equalsTypeAndSubtype(CSV));
    }
    if (!format.equals("csv") && !format.equals("json")) {
      throw new Unclear("format is not known, expected json or csv");
    }
    return format.equals("csv");
  }

  private List<Map<String, Object>> rows(Question question) {
    Map<List<String>, Sum> sums = new LinkedHashMap<>();
    for (UsageLedger.Row row : ledger.rows(question.from(), question.to())) {
      List<String> group = question.groupBy().stream().map(field -> value(row, field)).toList();
      sums.computeIfAbsent(group, absent -> new Sum()).add(row, priceTable.of(row));
    }
    List<Map<String, Object>> rows = new ArrayList<>();
    sums.forEach((group, sum) -> rows.add(shown(question.groupBy(), group, sum)));
    return rows;
  }

  private static String value(UsageLedger.Row row, String field) {
    return switch (field) {
      case "day" -> row.day().toString();
      case "key" -> row.key();
      case "group" -> row.group();
      default -> row.model();
    };
  }

  private static Map<String, Object> shown(List<String> fields, List<String> group, Sum sum) {
    Map<String, Object> row = new LinkedHashMap<>();
    for (int at = 0; at < fields.size(); at++) {
      row.put(fields.get(at), group.get(at));
    }
    row.put("requests", sum.requests);
    row.put("input_tokens", sum.input);
    row.put("output_tokens", sum.output);
    row.put("uncached_input_tokens", sum.uncached);
    row.put("cache_read_tokens", sum.read);
    row.put("cache_write_tokens", sum.write);
    row.put("cache_write_1h_tokens", sum.writeForHour);
    if (sum.price != null) {
      row.put("price", sum.price);
    }
    return row;
  }

  private static Mono<ServerResponse> json(Question question, List<Map<String, Object>> rows) {
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("from", question.from().toString());
    answer.put("to", question.to().toString());
    answer.put("group_by", question.groupBy());
    answer.put("rows", rows);
    return OperatorJson.answer(answer);
  }

  private static Mono<ServerResponse> csv(Question question, List<Map<String, Object>> rows) {
    List<String> columns = new ArrayList<>(question.groupBy());
    columns.addAll(FIGURES);
    StringBuilder text = new StringBuilder(String.join(",", columns)).append("\r\n");
    for (Map<String, Object> row : rows) {
      text.append(
              columns.stream()
                  .map(column -> cell(row.get(column)))
                  .collect(Collectors.joining(",")))
          .append("\r\n");
    }
    return ServerResponse.ok()
        .contentType(CSV)
        .cacheControl(CacheControl.noStore())
        .bodyValue(text.toString().getBytes(StandardCharsets.UTF_8));
  }

  /** Returns one CSV cell, quoted as in RFC 4180, and never a formula. */
  static String cell(@Nullable Object value) {
    if (value == null) {
      return "";
    }
    if (value instanceof BigDecimal price) {
      return price.toPlainString();
    }
    if (!(value instanceof String text)) {
      return value.toString();
    }
    boolean formula = !text.isEmpty() && FORMULA.indexOf(text.charAt(0)) >= 0;
    String safe = formula ? "'" + text : text;
    boolean plain = safe.chars().noneMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r');
    return plain ? safe : '"' + safe.replace("\"", "\"\"") + '"';
  }
}
