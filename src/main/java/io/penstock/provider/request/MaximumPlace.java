package io.penstock.provider.request;

import io.penstock.json.BodyEdit;

/**
 * A place where a body that states no maximum of output can be made to state one.
 *
 * @param member the name of the member that would state it
 * @param at the offset of the change in the body, ≥ 0
 * @param length the number of bytes that are replaced there: those of a {@code null}, or 0
 * @param before the text before the number
 * @param after the text after the number
 * @param denied whether the body states there, by a negative number, that there is no maximum
 */
public record MaximumPlace(
    String member, long at, int length, String before, String after, boolean denied) {
  /** Creates a place where the body says nothing about a maximum. */
  MaximumPlace(String member, long at, int length, String before, String after) {
    this(member, at, length, before, after, false);
  }

  /** Returns the change that states a maximum for one answer. */
  public BodyEdit stating(long tokens) {
    return new BodyEdit(at, length, before + tokens + after);
  }
}
