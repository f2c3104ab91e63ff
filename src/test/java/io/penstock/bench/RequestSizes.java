package io.penstock.bench;

import io.penstock.cost.Cost;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Sizes of requests with the distributions in the conversations of the Azure LLM inference trace of
 * 2023 (Microsoft, AzurePublicDataset, CC-BY 4.0; 19,366 requests of one hour): input and output
 * are each drawn from the quantiles below, interpolated linearly. They are drawn independently,
 * because their rank correlation in the trace is −0.02.
 */
final class RequestSizes {
  /** The largest possible input plus output, in tokens. */
  static final long LARGEST_TOKENS = 15_050;

  private static final double[] PERCENT = {
    0, 1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 85, 90, 95, 98, 99, 99.5, 99.9, 100
  };
  private static final long[] INPUT = {
    2, 29, 181, 207, 387, 403, 703, 1020, 1071, 1130, 1315, 1877, 2735, 4083, 4098, 4142, 4831,
    6212, 14050
  };
  private static final long[] OUTPUT = {
    7, 16, 41, 54, 77, 91, 103, 129, 177, 384, 400, 411, 424, 451, 540, 601, 644, 954, 1000
  };

  private RequestSizes() {}

  /** Draws one request. */
  static Cost draw(SplittableRandom random) {
    return new Cost(at(INPUT, random.nextDouble()), at(OUTPUT, random.nextDouble()), 0);
  }

  /** Draws requests, or takes them from the trace itself if its file is given. */
  static List<Cost> sizes(int many, SplittableRandom random) throws IOException {
    String file = System.getProperty("penstock.trace");
    List<Cost> recorded = file == null ? List.of() : read(Path.of(file));
    List<Cost> sizes = new ArrayList<>(many);
    for (int at = 0; at < many; at++) {
      sizes.add(recorded.isEmpty() ? draw(random) : recorded.get(at % recorded.size()));
    }
    return sizes;
  }

  /** Reads the columns time, input, output below a header line. */
  private static List<Cost> read(Path file) throws IOException {
    List<Cost> sizes = new ArrayList<>();
    List<String> lines = Files.readAllLines(file);
    for (String line : lines.subList(1, lines.size())) {
      String[] cells = line.split(",", -1);
      sizes.add(new Cost(Long.parseLong(cells[1]), Long.parseLong(cells[2]), 0));
    }
    return sizes;
  }

  private static long at(long[] quantiles, double part) {
    double percent = 100 * part;
    int above = 1;
    while (PERCENT[above] < percent) {
      above++;
    }
    double below = PERCENT[above - 1];
    double way = (percent - below) / (PERCENT[above] - below);
    return Math.round(quantiles[above - 1] + way * (quantiles[above] - quantiles[above - 1]));
  }
}
