package io.penstock.provider.gemini;

import io.penstock.json.JsonWalk;
import io.penstock.provider.request.JsonText;
import java.util.Set;

/**
 * Gemini's {@code tools}. A tool is the client's own if it declares functions; any other, such as
 * {@code googleSearch}, is Google's, which adds its results to the input.
 */
final class GeminiTools extends JsonText {
  private static final Set<String> OWN = Set.of("functionDeclarations", "function_declarations");

  private static final int TOOL = 2;

  private boolean unseen;

  GeminiTools() {
    super(null);
  }

  @Override
  public void open(JsonWalk at, boolean array) {
    note(at);
    super.open(at, array);
  }

  @Override
  public void scalar(JsonWalk at) {
    if (!at.isNull()) {
      note(at);
    }
    super.scalar(at);
  }

  /**
   * Notes the kind of a tool: a member of an element of the list, or of one object in its place.
   */
  private void note(JsonWalk at) {
    String kind =
        at.depth() == TOOL || (at.depth() == TOOL + 1 && at.name(TOOL) == null) ? at.name() : null;
    unseen |= kind != null && !OWN.contains(kind);
  }

  @Override
  public boolean unseenInput() {
    return unseen;
  }
}
