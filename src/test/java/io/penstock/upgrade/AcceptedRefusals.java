package io.penstock.upgrade;

import java.util.List;

/**
 * The refusals of stored data that are acceptable in an upgrade or downgrade. Any other failure to
 * start is an error, and so is reading data for which a refusal is listed.
 */
final class AcceptedRefusals {
  /**
   * An accepted refusal.
   *
   * @param stored the refused data, in a word or two, such as {@code state.yaml}
   * @param reader the version that refuses the other one's data
   * @param sentence a part of the line with the reason
   */
  record Refusal(String stored, JarVersion reader, String sentence) {}

  /** The accepted refusals between the previous jar and the current one; there are none. */
  static final AcceptedRefusals DECIDED = new AcceptedRefusals(List.of());

  private final List<Refusal> accepted;

  AcceptedRefusals(List<Refusal> accepted) {
    this.accepted = accepted;
  }

  /**
   * Returns whether a gateway serves with the other version's stored data; false means that it
   * refused with an accepted sentence.
   *
   * @throws AssertionError if it ended in another way, or with a sentence that is not accepted, or
   *     serves although a refusal is expected
   */
  boolean serves(String stored, JarVersion reader, StartOutcome outcome) {
    List<Refusal> expected =
        accepted.stream()
            .filter(each -> each.stored().equals(stored) && each.reader() == reader)
            .toList();
    return switch (outcome) {
      case StartOutcome.Serving() -> {
        if (!expected.isEmpty()) {
          throw new AssertionError(
              "The %s jar reads %s, expected %s".formatted(reader, stored, expected));
        }
        yield true;
      }
      case StartOutcome.Refused(String sentence) -> {
        List<Refusal> why =
            expected.stream().filter(each -> sentence.contains(each.sentence())).toList();
        if (why.isEmpty()) {
          throw new AssertionError(
              "The %s jar refuses %s and nobody decided on that: %s"
                  .formatted(reader, stored, sentence));
        }
        System.out.printf("The %s jar refuses %s: %s%n", reader, stored, sentence);
        yield false;
      }
      case StartOutcome.Broken(int exit, List<String> log) ->
          throw new AssertionError(
              "The %s jar ended with %d on %s: %s"
                  .formatted(reader, exit, stored, String.join("\n", log)));
    };
  }
}
