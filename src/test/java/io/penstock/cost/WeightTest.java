package io.penstock.cost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class WeightTest {
  @Test
  void withinLargeCapacity_staysTheSame() {
    Weight weight = new Weight(10, 5, 10);
    assertThat(weight.within(15)).isSameAs(weight);
  }

  @Test
  void heldAboveCapacity_isCutToTheRest() {
    assertThat(new Weight(10, 50, 10).within(14)).isEqualTo(new Weight(10, 4, 10));
    assertThat(new Weight(10, 50, 10).within(10)).isEqualTo(new Weight(10, 0, 10));
  }

  @Test
  void takenExpectationAboveCapacity_isCutToTheCapacity() {
    assertThat(new Weight(300, 0, 100).within(200)).isEqualTo(new Weight(200, 0, 100));
    assertThat(new Weight(300, 7, 100).within(100)).isEqualTo(new Weight(100, 0, 100));
  }

  @Test
  void leastAboveCapacity_staysAsItIsToBeRefused() {
    Weight weight = new Weight(300, 50, 201);
    assertThat(weight.within(200)).isSameAs(weight);
  }

  @Test
  void whatCanBeSpared_staysWhereThereIsRoom_elseIsWhatIsLeft() {
    Weight weight = new Weight(10, 5, 10).sparing(20);
    assertThat(weight.amount()).isEqualTo(35);
    assertThat(weight.needed()).isEqualTo(15);
    assertThat(weight.spared(35)).isSameAs(weight);
    assertThat(weight.spared(34)).isEqualTo(new Weight(10, 5, 10).sparing(19));
    assertThat(weight.spared(15)).isEqualTo(new Weight(10, 5, 10));
    assertThat(weight.spared(3)).isEqualTo(new Weight(10, 5, 10));
    assertThat(weight.within(20)).isEqualTo(new Weight(10, 5, 10).sparing(5));
  }

  @Test
  void unseenInput_hasHalfOfWhatTheSparePartLeaves() {
    Weight weight = new Weight(10, 5, 10).sparing(20).sparingUnseen(100);
    assertThat(weight.needed()).isEqualTo(15);
    assertThat(weight.spared(55)).isEqualTo(new Weight(10, 5, 10).sparing(20).sparingUnseen(10));
    assertThat(weight.spared(34)).isEqualTo(new Weight(10, 5, 10).sparing(19));
    assertThat(weight.within(50)).isEqualTo(new Weight(10, 5, 10).sparing(20).sparingUnseen(15));
    assertThat(weight.within(20)).isEqualTo(new Weight(10, 5, 10).sparing(5));
  }

  @Test
  void whatUnseenInputSpares_staysWhereThereIsRoom_elseIsHalfOfWhatIsLeft() {
    Weight weight = new Weight(10, 5, 10).sparingUnseen(20);
    assertThat(weight.amount()).isEqualTo(35);
    assertThat(weight.needed()).isEqualTo(15);
    assertThat(weight.spared(35)).isSameAs(weight);
    assertThat(weight.spared(34).amount()).isEqualTo(15 + 9);
    assertThat(weight.spared(15)).isEqualTo(new Weight(10, 5, 10));
    assertThat(weight.spared(3)).isEqualTo(new Weight(10, 5, 10));
    assertThat(weight.within(20)).isEqualTo(new Weight(10, 5, 10).sparingUnseen(5));
  }

  @Test
  void weightThatContradictsItself_isRefused() {
    assertThatThrownBy(() -> new Weight(1, 0, 2)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Weight(-1, 0, 0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Weight(1, -1, 0)).isInstanceOf(IllegalArgumentException.class);
  }
}
