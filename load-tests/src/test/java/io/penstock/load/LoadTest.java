package io.penstock.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class LoadTest {
  @Test
  void lastLine_ofWhatLoadSaid_isWhatItMeasured() throws IOException {
    Load.Stretch stretch = Load.parse("Running 2s test\n  1 threads\n3000 2 1500000000 800 9000\n");
    assertThat(stretch).isEqualTo(new Load.Stretch(2_000, 2, 800, 9_000));
  }

  @Test
  void anythingElse_isAnErrorThatSaysIt() {
    assertThatIOException()
        .isThrownBy(() -> Load.parse("unable to connect\n"))
        .withMessageContaining("unable to connect");
  }

  @Test
  void turns_areAnotherOrderEachRound() {
    List<Integer> all = List.of(0, 1, 2, 3);
    assertThat(Turns.of(all, 0)).containsExactly(0, 1, 2, 3);
    assertThat(Turns.of(all, 1)).containsExactly(2, 1, 0, 3);
    assertThat(Turns.of(all, 2)).containsExactly(2, 3, 0, 1);
  }

  @Test
  void turnsOfTwo_alternate() {
    List<Integer> both = List.of(0, 1);
    assertThat(Turns.of(both, 0)).containsExactly(0, 1);
    assertThat(Turns.of(both, 1)).containsExactly(1, 0);
    assertThat(Turns.of(both, 2)).containsExactly(0, 1);
  }
}
