package io.penstock.region;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CursorTest {
  private static final long UNIX_MILLIS = 1_800_000_000_000L;

  @Test
  void clockThatIsAhead_hidesNothingOfOthers() {
    Cursor cursor = new Cursor();
    assertThat(cursor.next()).isZero();
    cursor.saw(UNIX_MILLIS + 3_600_000, UNIX_MILLIS);
    assertThat(cursor.next()).isEqualTo(UNIX_MILLIS - Cursor.OVERLAP_MILLIS);
  }
}
