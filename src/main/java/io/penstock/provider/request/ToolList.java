package io.penstock.provider.request;

import io.penstock.json.JsonWalk;
import io.penstock.json.KeptText;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The definitions of tools. A tool is the client's own if it states no type, or one of {@link
 * #OWN}; any other is the provider's, which adds its definition or its results to the input.
 */
public final class ToolList extends JsonText {
  private static final Set<String> OWN = Set.of("function", "custom");

  private static final int LONGEST_TYPE = 64;
  private static final int TOOL = 2;

  private boolean unseen;

  /**
   * @param kept receives the text, or null
   */
  public ToolList(KeptText.@Nullable Part kept) {
    super(kept);
  }

  @Override
  public void scalar(JsonWalk at) {
    boolean named = at.depth() == TOOL && at.isString();
    boolean typed = at.depth() == TOOL + 1 && "type".equals(at.name()) && at.isString();
    unseen |= named || (typed && !isOwn(at));
    super.scalar(at);
  }

  private static boolean isOwn(JsonWalk at) {
    return at.isAtMost(LONGEST_TYPE) && OWN.contains(at.text());
  }

  @Override
  public boolean unseenInput() {
    return unseen;
  }
}
