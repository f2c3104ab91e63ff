package io.penstock.region;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TableCursorTest {
  private static final long UNIX_MILLIS = 1_800_000_000_000L;

  @Test
  void clockThatIsAhead_hidesNothingOfOthers() {
    TableCursor cursor = new TableCursor();
    assertThat(cursor.next()).isZero();
    cursor.advance(UNIX_MILLIS + 3_600_000, UNIX_MILLIS);
    assertThat(cursor.next()).isEqualTo(UNIX_MILLIS - TableCursor.OVERLAP_MILLIS);
  }

  @Test
  void everyTwelfthRead_isOfAll_andTheOthersOfWhatIsNew() {
    TableCursor cursor = new TableCursor();
    cursor.advance(UNIX_MILLIS, UNIX_MILLIS);
    for (int read = 0; read <= 24; read++) {
      long from = read % 12 == 0 ? 0 : UNIX_MILLIS - TableCursor.OVERLAP_MILLIS;
      assertThat(cursor.next()).as("read %d", read).isEqualTo(from);
    }
  }

  @Test
  void olderRow_takesTheCursorNotBack() {
    TableCursor cursor = new TableCursor();
    assertThat(cursor.next()).isZero();
    cursor.advance(UNIX_MILLIS, UNIX_MILLIS);
    cursor.advance(UNIX_MILLIS - 5_000, UNIX_MILLIS);
    assertThat(cursor.next()).isEqualTo(UNIX_MILLIS - TableCursor.OVERLAP_MILLIS);
  }
}
