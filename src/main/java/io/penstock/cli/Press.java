package io.penstock.cli;

/** What somebody wants who pressed a key. */
enum Press implements Message {
  QUIT,
  UP,
  DOWN,
  PAGE_UP,
  PAGE_DOWN,
  FIRST,
  LAST,
  PAUSE,
  RESUME,
  TEST,
  INFO,
  REDRAW
}
