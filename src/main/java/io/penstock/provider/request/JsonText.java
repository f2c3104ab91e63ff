package io.penstock.provider.request;

import io.penstock.json.JsonWalk;
import io.penstock.json.KeptText;
import org.jspecify.annotations.Nullable;

/**
 * A member that the provider presents to the model as JSON, such as the definitions of tools. It
 * counts with its size without white space and with escapes resolved.
 */
final class JsonText {
  private final KeptText.@Nullable Part kept;
  private long bytes;

  /** Does not keep the text. */
  JsonText() {
    this(null);
  }

  /** Keeps the text in the given place. */
  JsonText(KeptText.@Nullable Part kept) {
    this.kept = kept;
  }

  long textBytes() {
    return bytes;
  }

  void open(JsonWalk at) {
    if (at.depth() > 1) {
      bytes += at.containerBytes(kept);
      return;
    }
    bytes = 1;
    if (kept != null) {
      kept.append(at.isArray() ? "[" : "{");
    }
  }

  void close(JsonWalk at) {
    if (kept != null) {
      kept.closeJson(at.isArray());
    }
  }

  void scalar(JsonWalk at) {
    if (at.depth() > 1) {
      bytes += at.compactBytes(kept);
      return;
    }
    bytes = at.isNull() ? 0 : at.utf8Bytes(kept);
  }
}
