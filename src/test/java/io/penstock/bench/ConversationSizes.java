package io.penstock.bench;

import io.penstock.cost.Cost;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Sizes of requests and their answers, with the distributions of {@link RequestSizes}'s trace.
 * Unlike there, input and output are drawn together: the output from the quantiles for inputs of
 * similar size. In the trace the length of an answer depends on the length of its question, though
 * not by rank.
 */
final class ConversationSizes {
  private static final double[] PERCENT = {
    0, 5, 10, 20, 30, 40, 50, 60, 70, 80, 85, 90, 95, 98, 100
  };

  /**
   * Requests of the trace with inputs between two successive powers of two; quantiles of input and
   * output.
   */
  private record Octave(int many, List<Long> input, List<Long> output) {}

  private static final List<Octave> OCTAVES =
      List.of(
          new Octave(
              89,
              row(2, 2, 7, 8, 8, 9, 10, 11, 12, 13, 14, 14, 15, 15, 15),
              row(51, 78, 93, 103, 115, 130, 136, 143, 150, 162, 170, 173, 184, 190, 231)),
          new Octave(
              120,
              row(16, 16, 17, 19, 20, 22, 23, 25, 27, 28, 28, 30, 30, 31, 31),
              row(45, 85, 110, 125, 133, 140, 150, 158, 170, 177, 182, 192, 210, 234, 265)),
          new Octave(
              93,
              row(32, 33, 36, 39, 41, 42, 44, 46, 52, 56, 57, 60, 62, 63, 63),
              row(48, 66, 81, 109, 128, 136, 142, 152, 161, 173, 180, 194, 202, 233, 243)),
          new Octave(
              227,
              row(64, 69, 77, 91, 91, 95, 120, 120, 120, 120, 124, 126, 126, 127, 127),
              row(11, 12, 12, 12, 12, 16, 16, 24, 114, 154, 173, 194, 203, 205, 245)),
          new Octave(
              2072,
              row(128, 167, 181, 181, 189, 197, 202, 205, 209, 213, 219, 231, 239, 246, 255),
              row(14, 49, 66, 90, 112, 138, 162, 167, 183, 205, 217, 217, 217, 255, 1000)),
          new Octave(
              5041,
              row(258, 371, 375, 383, 390, 395, 398, 402, 406, 411, 417, 423, 435, 454, 509),
              row(7, 51, 62, 77, 84, 89, 93, 97, 103, 111, 119, 129, 145, 163, 739)),
          new Octave(
              2153,
              row(512, 710, 805, 891, 937, 970, 984, 996, 1004, 1011, 1014, 1017, 1020, 1022, 1023),
              row(10, 55, 79, 100, 156, 388, 395, 399, 411, 421, 429, 446, 504, 575, 921)),
          new Octave(
              6868,
              row(
                  1024, 1033, 1042, 1058, 1076, 1095, 1117, 1146, 1199, 1314, 1318, 1433, 1737,
                  1942, 2047),
              row(24, 61, 85, 151, 373, 390, 396, 404, 414, 427, 435, 460, 531, 609, 1000)),
          new Octave(
              2287,
              row(
                  2050, 2159, 2255, 2467, 2631, 3098, 4073, 4077, 4081, 4084, 4086, 4088, 4091,
                  4093, 4095),
              row(15, 30, 36, 43, 49, 56, 68, 79, 93, 111, 125, 139, 161, 198, 757)),
          new Octave(
              416,
              row(
                  4096, 4097, 4098, 4102, 4110, 4122, 4135, 4155, 4463, 4974, 5244, 5588, 6066,
                  6949, 14050),
              row(25, 37, 40, 47, 52, 59, 66, 73, 85, 104, 116, 132, 152, 172, 755)));

  private ConversationSizes() {}

  /** Draws sizes, or takes them from the trace itself if its file is given. */
  static List<Cost> sizes(int many, SplittableRandom random) throws IOException {
    if (System.getProperty("penstock.trace") != null) {
      return RequestSizes.sizes(many, random);
    }
    List<Cost> sizes = new ArrayList<>(many);
    for (int at = 0; at < many; at++) {
      Octave octave = octave(random);
      long input = at(octave.input(), random.nextDouble());
      sizes.add(new Cost(input, at(octave.output(), random.nextDouble()), 0));
    }
    return sizes;
  }

  private static Octave octave(SplittableRandom random) {
    int left = random.nextInt(OCTAVES.stream().mapToInt(Octave::many).sum());
    int at = 0;
    while (left >= OCTAVES.get(at).many()) {
      left -= OCTAVES.get(at).many();
      at++;
    }
    return OCTAVES.get(at);
  }

  private static long at(List<Long> quantiles, double part) {
    double percent = 100 * part;
    int above = 1;
    while (PERCENT[above] < percent) {
      above++;
    }
    double way = (percent - PERCENT[above - 1]) / (PERCENT[above] - PERCENT[above - 1]);
    double below = (double) quantiles.get(above - 1);
    return Math.round(below + way * ((double) quantiles.get(above) - below));
  }

  private static List<Long> row(long... quantiles) {
    return Arrays.stream(quantiles).boxed().toList();
  }
}
