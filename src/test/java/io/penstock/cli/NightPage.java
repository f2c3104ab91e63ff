package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The page of questions that operators ask at night, with the answers that a gateway gave. */
final class NightPage {
  /** Whether a question is answered. */
  enum Answered {
    /** By any instance, for all of them. */
    YES("yes"),
    /** By a Prometheus that scrapes every instance. */
    PROMETHEUS("yes, by Prometheus"),
    /** By each instance, for itself. */
    THIS_INSTANCE("this instance only"),
    /** Not without a database that all instances write to. */
    NO("no: needs a database of the fleet");

    private final String words;

    Answered(String words) {
      this.words = words;
    }
  }

  /** The questions, in the order of the page. */
  static final List<String> QUESTIONS =
      List.of(
          "Why does this request wait?",
          "Why do these 14 wait?",
          "Who spent the budget?",
          "What is left of the budget of key X?",
          "What does reason X mean?",
          "How do I raise a limit now?",
          "Was my edit taken?",
          "How do I rotate a client's key?",
          "How do I rotate the provider's key?",
          "Is Redis the problem?",
          "What does a restart do?",
          "What does a restart do with the chart?",
          "What is p99 of waiting?",
          "Was it so an hour ago?",
          "Which key sends most now?",
          "Which key is refused most, and why?",
          "How do I stop this client now?",
          "How do I take this upstream out?",
          "Is it the provider or we?",
          "When is it tried again?",
          "Is the provider's limit lower than ours?",
          "Why was this x-request-id refused?",
          "How long until the queue is empty?",
          "What did team T cost this month?",
          "Who tells me at 80 %?",
          "Who paused this endpoint?",
          "Which version runs?",
          "What is the time to first token?",
          "How do I get more log for a minute?",
          "How do I give this client its budget back?");

  private static final String BEGINNING =
      """
      # Thirty questions of the night

      These are questions that operators ask when something is wrong. Each row has the command, \
      and the answer that was seen. `NightQuestionsIT` runs the commands again and compares.

      It asks two instances that share their limits through one Redis, with five keys. Nothing \
      listens at the upstream `dead`, and the upstream `eu` is paused. Redis is killed half-way: \
      the questions about waiting requests, upstreams, edits, secrets and restarts come before \
      that, and all others after it.

      - The first instance has its operator port on 8081, the second on 8082. `penstock` and \
      `curl` send the operator token; for `curl` add `-H "Authorization: Bearer \
      $PENSTOCK_OPERATOR_TOKEN"`.
      - Values that differ from run to run stand in angle brackets.
      - *Yes, by Prometheus* needs a Prometheus that scrapes every instance. The answer shows the \
      metrics of the expression at one instance.

      """;

  private record Row(String command, String answer, Answered answered) {}

  private final Map<String, Row> rows = new LinkedHashMap<>();

  /** Adds the answer to a question; its command may have words before its code. */
  void add(String question, String command, String answer, Answered answered) {
    assertThat(QUESTIONS).contains(question);
    assertThat(answer).as(command).isNotBlank();
    assertThat(rows.put(question, new Row(command, answer, answered))).isNull();
  }

  /** Returns the page; fails unless every question was asked and enough of them are answered. */
  String text() {
    assertThat(rows).containsOnlyKeys(QUESTIONS).hasSize(30);
    Map<Answered, Long> counts =
        rows.values().stream().collect(Collectors.groupingBy(Row::answered, Collectors.counting()));
    long prometheus = counts.getOrDefault(Answered.PROMETHEUS, 0L);
    long yes = counts.getOrDefault(Answered.YES, 0L) + prometheus;
    assertThat(yes).as("%s", counts).isGreaterThanOrEqualTo(24);
    StringBuilder page = new StringBuilder(BEGINNING);
    page.append(
        """
        %d are answered, %d of them by Prometheus; %d are answered for one instance only, and %d \
        are not.

        """
            .formatted(
                yes,
                prometheus,
                counts.getOrDefault(Answered.THIS_INSTANCE, 0L),
                counts.getOrDefault(Answered.NO, 0L)));
    page.append("| question | command | answer that was seen | answered |\n|---|---|---|---|\n");
    for (String each : QUESTIONS) {
      Row row = rows.get(each);
      page.append(
          "| %s | %s | %s | %s |\n"
              .formatted(
                  each, cell(row.command()), cell(code(row.answer())), row.answered().words));
    }
    return page.toString();
  }

  private static String code(String lines) {
    return lines
        .strip()
        .lines()
        .map(each -> "`" + each.strip().replaceAll(" {2,}", " ") + "`")
        .collect(Collectors.joining("<br>"));
  }

  private static String cell(String text) {
    return text.replace("|", "\\|");
  }
}
