package io.penstock.load;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Writes a number that is drawn into a request, each time another one. */
final class Draw {
  /** What stands in a request where the number is to be. */
  static final String NUMBER = "0000000";

  /** What stands where its last digit is to be. */
  static final String DIGIT = "#";

  private final SplittableRandom random = new SplittableRandom(1);
  private final int numbers;
  private final List<Integer> wholes;
  private final List<Integer> digits;

  /** Draws below {@code numbers}; with 0 it draws nothing. */
  Draw(byte[] request, int numbers) {
    this.numbers = numbers;
    this.wholes = places(request, NUMBER);
    this.digits = places(request, DIGIT);
  }

  private static List<Integer> places(byte[] request, String what) {
    String text = new String(request, StandardCharsets.ISO_8859_1);
    List<Integer> places = new ArrayList<>();
    for (int at = text.indexOf(what); at >= 0; at = text.indexOf(what, at + what.length())) {
      places.add(at);
    }
    return places;
  }

  /** Draws the next one, and writes it, the same in all places. */
  void into(ByteBuffer request) {
    if (numbers == 0) {
      return;
    }
    int number = random.nextInt(numbers);
    for (int place : wholes) {
      int rest = number;
      for (int at = place + NUMBER.length() - 1; at >= place; at--) {
        request.put(at, (byte) ('0' + rest % 10));
        rest /= 10;
      }
    }
    for (int place : digits) {
      request.put(place, (byte) ('0' + number % 10));
    }
  }
}
