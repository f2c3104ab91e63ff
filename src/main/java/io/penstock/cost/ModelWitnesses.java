package io.penstock.cost;

import io.penstock.tenant.SharedState;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * The last {@value #MOST} keys that had answers from one model, as witnesses of what is expected of
 * it for other keys. The median of what they say counts, so that no single key decides it. Fewer
 * than {@value #ENOUGH} change what is expected otherwise to half or twice at most. Safe from any
 * thread.
 */
final class ModelWitnesses {
  /** Number of keys that are remembered. */
  static final int MOST = 31;

  /** Number of keys from which their median counts whatever it is. */
  static final int ENOUGH = 3;

  /** Most by which fewer keys change what is expected. */
  private static final double FEW = 2;

  @SharedState("estimates of models")
  private final Map<String, KeyLessons> witnesses = new LinkedHashMap<>(16, 0.75f, true);

  /** Notes that the key had an answer. */
  synchronized void heard(String key, KeyLessons lessons) {
    witnesses.put(key, lessons);
    if (witnesses.size() > MOST) {
      witnesses.remove(witnesses.keySet().iterator().next());
    }
  }

  private synchronized List<KeyLessons> all() {
    return new ArrayList<>(witnesses.values());
  }

  /**
   * Returns the median of what the keys say; of an even number the one of the two in the middle
   * that is nearer to {@code otherwise}, or that itself if it is between them.
   *
   * @param figure what a key says; NaN while it knows nothing
   * @param otherwise what is expected without them, &gt; 0
   */
  double median(ToDoubleFunction<KeyLessons> figure, double otherwise) {
    double[] said =
        all().stream().mapToDouble(figure).filter(each -> !Double.isNaN(each)).sorted().toArray();
    if (said.length == 0) {
      return otherwise;
    }
    double median = Math.clamp(otherwise, said[(said.length - 1) / 2], said[said.length / 2]);
    return said.length < ENOUGH ? Math.clamp(median, otherwise / FEW, otherwise * FEW) : median;
  }
}
