package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cli.TerminalStyle.Tone;
import java.util.HashSet;
import java.util.Set;
import org.jline.utils.AttributedStringBuilder;
import org.junit.jupiter.api.Test;

class TerminalStyleTest {
  private final TerminalStyle bright = new TerminalStyle(true, true);
  private final TerminalStyle plain = new TerminalStyle(false, false);

  @Test
  void hostileText_isHarmless() {
    String hostile = "a\u001b[31m\u0007\u0000\u009b2J\u202eb\u200d\u2028\ud800\ue000e\u0301\n";
    assertThat(bright.harmless(hostile, 99)).isEqualTo("a�[31m���2J�b����e��");
    assertThat(plain.harmless(hostile, 99)).matches("[ -~]+");
    assertThat(plain.harmless("é😀", 9)).isEqualTo("??");
    assertThat(bright.harmless("é😀漢", 9)).isEqualTo("é😀漢");
  }

  @Test
  void longText_isCut() {
    assertThat(bright.harmless("x".repeat(4_096), 5)).isEqualTo("xxxx…");
    assertThat(bright.harmless("😀".repeat(4_096), 3)).isEqualTo("😀😀…");
    assertThat(plain.harmless("xxxxx", 5)).isEqualTo("xxxxx");
  }

  @Test
  void cell_isExactlyAsWide_whateverIsInIt() {
    for (String text :
        new String[] {"", "abc", "漢字漢字漢字", "😀😀", "a\u0301".repeat(50), "x".repeat(99)}) {
      for (int columns = 0; columns < 12; columns++) {
        AttributedStringBuilder line = new AttributedStringBuilder();
        bright.cell(line, text, columns, bright.style(Tone.PLAIN));
        assertThat(line.columnLength()).as("%s in %d", text, columns).isEqualTo(columns);
      }
    }
  }

  @Test
  void ages_differWithoutColours() {
    Set<String> dots = new HashSet<>();
    for (Tone age : new Tone[] {Tone.GOOD, Tone.FAIR, Tone.LATE, Tone.BAD, Tone.SOFT}) {
      dots.add(plain.dot(age));
      assertThat(plain.style(age).getStyle() & 0xff00).isZero();
    }
    assertThat(dots).hasSize(5).allMatch(dot -> dot.matches("[ -~]"));
  }

  @Test
  void bar_fillsWithItsPart() {
    assertThat(bright.bar(0, 4)).isEqualTo("    ");
    assertThat(bright.bar(0.5, 4)).isEqualTo("██  ");
    assertThat(bright.bar(0.55, 4)).isEqualTo("██▎ ");
    assertThat(bright.bar(7, 4)).isEqualTo("████");
    assertThat(bright.bar(Double.NaN, 2)).isEqualTo("  ");
    assertThat(plain.bar(0.3, 4)).isEqualTo("##..");
  }
}
