package io.penstock.provider.request;

import io.penstock.json.JsonWalk;
import io.penstock.json.KeptText;
import org.jspecify.annotations.Nullable;

/** A member that is text or tokens, or a list of these. */
public final class PlainText implements BodyMember {
  private final KeptText.@Nullable Part kept;
  private long bytes;
  private long tokens;
  private long inputs;

  /**
   * @param kept receives the text, or null
   */
  public PlainText(KeptText.@Nullable Part kept) {
    this.kept = kept;
  }

  @Override
  public void open(JsonWalk at, boolean array) {
    inputs += at.depth() == 2 ? 1 : 0;
  }

  @Override
  public void scalar(JsonWalk at) {
    if (at.isString()) {
      bytes += at.utf8Bytes(kept);
      inputs += at.depth() == 2 ? 1 : 0;
    } else if (at.isNumber()) {
      tokens++;
    }
  }

  @Override
  public long textBytes() {
    return bytes;
  }

  @Override
  public long otherTokens() {
    return tokens;
  }

  /** Returns the number of texts, or lists of tokens, in the list; at least 1. */
  long inputs() {
    return Math.max(1, inputs);
  }
}
