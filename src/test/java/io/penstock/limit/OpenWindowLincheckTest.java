package io.penstock.limit;

import io.penstock.cost.Weight;
import io.penstock.fake.Interleavings;
import io.penstock.suite.TaggedTests;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

@Tag(TaggedTests.FULL)
@Isolated("Lincheck rewrites the classes it looks at")
class OpenWindowLincheckTest {
  @Test
  void changedInPlaceAndReplacedByTwoThreads_isAsIfOneDidItAll() {
    Interleavings.check(Spending.class);
  }

  /** Operations on a window: some in place, and some that freeze the word. */
  @Param(name = "amount", gen = IntGen.class, conf = "1:3")
  public static final class Spending {
    private static final long WINDOW = 1_000_000;
    private static final long START = 1;

    private final Limit limit = new Limit(new LimitSpec.FixedWindow(5, WINDOW), START);

    @Operation(params = "amount")
    public boolean take(int amount) {
      return limit.take(Weight.exactly(amount), START) instanceof LimitAnswer.Receipt;
    }

    @Operation(params = "amount")
    public void give(int amount) {
      limit.giveBack(new LimitAnswer.Receipt(START, amount, 0), amount, 0, START);
    }

    @Operation(params = "amount")
    public void charge(int amount) {
      limit.charge(amount, 0, START);
    }

    @Operation
    public boolean hold() {
      return limit.take(new Weight(1, 1, 1), START) instanceof LimitAnswer.Receipt;
    }

    @Operation
    public void letGo() {
      limit.giveBack(new LimitAnswer.Receipt(START, 0, 1), 0, 1, START);
    }

    @Operation
    public boolean takeLater() {
      return limit.take(Weight.exactly(2), START + WINDOW) instanceof LimitAnswer.Receipt;
    }

    @Operation(params = "amount")
    public void resize(int amount) {
      limit.resize(new LimitSpec.FixedWindow(3 + amount, WINDOW), START);
    }

    @Operation
    public String balance() {
      return limit.balance(START).toString();
    }
  }
}
