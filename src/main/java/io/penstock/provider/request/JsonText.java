package io.penstock.provider.request;

import io.penstock.json.JsonWalk;
import io.penstock.json.KeptText;
import org.jspecify.annotations.Nullable;

/**
 * A member that the provider presents to the model as JSON, such as the definitions of tools. It
 * counts with its size without white space and with escapes resolved.
 */
public class JsonText implements BodyMember {
  private final KeptText.@Nullable Part kept;
  private long bytes;

  /**
   * @param kept receives the text, or null
   */
  public JsonText(KeptText.@Nullable Part kept) {
    this.kept = kept;
  }

  @Override
  public long textBytes() {
    return bytes;
  }

  @Override
  public void open(JsonWalk at, boolean array) {
    if (at.depth() > 1) {
      bytes += at.containerBytes(kept);
      return;
    }
    bytes = 1;
    if (kept != null) {
      kept.append(at.isArray() ? "[" : "{");
    }
  }

  @Override
  public void close(JsonWalk at) {
    if (kept != null) {
      kept.closeJson(at.isArray());
    }
  }

  @Override
  public void scalar(JsonWalk at) {
    if (at.depth() > 1) {
      bytes += at.compactBytes(kept);
      return;
    }
    bytes = at.isNull() ? 0 : at.utf8Bytes(kept);
  }
}
