package io.penstock.cli;

/** The meaning of a pressed key. */
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
