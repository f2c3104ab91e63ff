package io.penstock.cli;

/** The meaning of a pressed key. */
enum KeyPress implements ViewerMessage {
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
