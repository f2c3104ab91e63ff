package io.penstock.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class OperatorTest {
  private static final String SCRAPED =
      """
      # TYPE jvm_memory_used_bytes gauge
      jvm_memory_used_bytes{area="heap",id="G1 Eden Space"} 1.0E7
      jvm_memory_used_bytes{area="heap",id="G1 Old Gen"} 2.5E7
      jvm_memory_used_bytes{area="nonheap",id="Metaspace"} 9.0E7
      jvm_memory_used_bytes_more{area="heap"} 1
      up 1
      """;

  @Test
  void sum_isOfTheLinesOfThatMetricAndThoseLabels() {
    assertThat(Operator.sum(SCRAPED, "jvm_memory_used_bytes", "area=\"heap\"")).isEqualTo(3.5e7);
    assertThat(Operator.sum(SCRAPED, "jvm_memory_used_bytes")).isEqualTo(12.5e7);
    assertThat(Operator.sum(SCRAPED, "up")).isEqualTo(1);
    assertThat(Operator.sum(SCRAPED, "none")).isZero();
  }

  @Test
  void memoryOutsideTheHeap_isWhatTheProgramAskedFor() throws IOException {
    String said =
        """
        -                 Java Heap (reserved=524288KB, committed=524288KB)
        -                     Other (reserved=2048KB, committed=1024KB)
                                    (malloc=1024KB) (#14)
        """;
    assertThat(Jvm.otherBytes(said)).isEqualTo(1 << 20);
    assertThatIOException()
        .isThrownBy(() -> Jvm.otherBytes("Native memory tracking is not enabled"))
        .withMessage("no line 'Other' in: Native memory tracking is not enabled");
  }
}
