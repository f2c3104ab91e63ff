package io.penstock.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportTest {
  private static final Figure MET = Figure.atLeast("requests/s", "another", 0.7, 0.7, "0.70");
  private static final Figure NOT_MET = Figure.atMost("added p50", "another", 1.1, 1.2, "1.20");
  private static final Figure MISSING = Figure.missing("requests/s", "a third", "≥ 3", "no such");
  private static final Figure TOLD = Figure.told("requests/s", "nginx", "0.50");

  @TempDir private Path directory;

  private static Report of(Figure... figures) {
    return new Report("a title", "a table\n", List.of(figures), Map.of("a", 1), true);
  }

  @Test
  void verdict_isOfTheGoal_andWhatIsNoNumberMeetsNone() {
    assertThat(MET.verdict()).isEqualTo(Figure.Verdict.MET);
    assertThat(NOT_MET.verdict()).isEqualTo(Figure.Verdict.NOT_MET);
    assertThat(Figure.atLeast("a", "b", 1, Double.NaN, "").verdict())
        .isEqualTo(Figure.Verdict.NOT_MET);
    assertThat(Figure.atMost("a", "b", 1, Double.NaN, "").verdict())
        .isEqualTo(Figure.Verdict.NOT_MET);
    assertThat(Figure.that("a", "all", false, "").verdict()).isEqualTo(Figure.Verdict.NOT_MET);
    assertThat(MET.goal()).isEqualTo("≥ 0.7");
    assertThat(Figure.atMost("a", "b", 16, 1, "").goal()).isEqualTo("≤ 16");
  }

  @Test
  void goals_areMet_unlessOneThatWasMeasuredIsNot() {
    assertThat(of(MET, MISSING, TOLD).met()).isTrue();
    assertThat(of(MET, NOT_MET).met()).isFalse();
  }

  @Test
  void lines_sayEachFigureAndItsVerdict() {
    assertThat(of(MET, NOT_MET, MISSING, TOLD).text().lines())
        .containsExactly(
            "",
            "a title",
            "a table",
            "",
            "figure      against  goal             measured",
            "requests/s  another  ≥ 0.7  MET       0.70",
            "added p50   another  ≤ 1.1  NOT MET   1.20",
            "requests/s  a third  ≥ 3    MISSING   no such",
            "requests/s  nginx                     0.50");
  }

  @Test
  void whatWasWritten_isReadAlike() throws Exception {
    Report report = of(MET, NOT_MET, MISSING, TOLD);
    report.write(directory.resolve("made"), "01-overhead");
    Report read = Report.parse(Files.readString(directory.resolve("made/01-overhead.json")));
    assertThat(read.json()).isEqualTo(report.json());
    assertThat(read.figures()).isEqualTo(report.figures());
  }
}
