package io.penstock.sharing;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.sharing.SliceStore.Member;
import org.junit.jupiter.api.Test;

class StoreMembersTest {
  private static final long NEVER = Long.MAX_VALUE;

  private final StoreMembers members = new StoreMembers();

  /** Records a complete round of a member that knows the run. */
  private void hear(String name, long number, long now) {
    members.record(name, number, true, true, false, now);
  }

  @Test
  void roundThatIsRepeated_orLate_isNotHeard() {
    hear("a", 7, 10);
    members.record("a", 7, true, true, true, 20);
    members.record("a", 6, true, true, true, 30);
    assertThat(members.living(40)).containsExactly(new Member("a", 30_000, 30_000, 30_000, false));
    members.record("a", 8, false, false, true, 40);
    assertThat(members.living(50)).containsExactly(new Member("a", 10_000, 40_000, 40_000, true));
  }

  @Test
  void whoLeft_staysLeft() {
    members.record("a", 1, true, true, true, 10);
    hear("a", 2, 10);
    assertThat(members.living(10)).containsExactly(new Member("a", 0, 0, 0, true));
  }

  @Test
  void anotherRun_wasToldWhatWasSaid_butNobodyIsAwareOfIt() {
    hear("a", 1, 10);
    members.forgetWhoIsAware();
    assertThat(members.living(10)).containsExactly(new Member("a", 0, 0, NEVER, false));
  }

  @Test
  void anotherLife_wasToldNothing_andNobodyIsAwareOfIt() {
    hear("a", 1, 10);
    hear("b", 1, 11);
    members.forgetWhatWasSaid();
    hear("b", 2, 12);
    assertThat(members.living(12))
        .containsExactly(
            new Member("a", 2_000, NEVER, NEVER, false), new Member("b", 0, 0, 0, false));
  }

  @Test
  void heardByAnother_countsWhenItIsNewer() {
    hear("a", 1, 10);
    members.missed("a", 9);
    members.missed("b", 8);
    assertThat(members.living(10))
        .containsExactly(
            new Member("a", 0, 0, 0, false), new Member("b", 2_000, NEVER, NEVER, false));
    members.missed("a", 12);
    assertThat(members.living(12)).contains(new Member("a", 0, 2_000, 2_000, false));
    assertThat(members.living(5))
        .as("a clock that is set back makes no time negative")
        .contains(new Member("a", 0, 0, 0, false));
  }

  @Test
  void silentForMoreThanAnHour_isForgotten() {
    hear("a", 1, 10);
    assertThat(members.living(10 + StoreMembers.FORGET_MICROS)).hasSize(1);
    assertThat(members.living(11 + StoreMembers.FORGET_MICROS)).isEmpty();
  }
}
