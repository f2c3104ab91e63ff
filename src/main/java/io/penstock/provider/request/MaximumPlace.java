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
 */
public record MaximumPlace(String member, long at, int length, String before, String after) {
  /** Returns the change that states a maximum for one answer. */
  public BodyEdit stating(long tokens) {
    return new BodyEdit(at, length, before + tokens + after);
  }
}
