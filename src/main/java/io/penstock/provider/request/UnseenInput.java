package io.penstock.provider.request;

import io.penstock.json.JsonWalk;

/**
 * A member that makes the provider add input that the body does not contain, such as the id of an
 * earlier answer, unless it is null, false, an empty string or an empty list.
 */
public class UnseenInput implements BodyMember {
  private boolean unseen;

  @Override
  public void open(JsonWalk at, boolean array) {
    unseen |= !array || at.depth() > 1;
  }

  @Override
  public void scalar(JsonWalk at) {
    boolean nothing = at.isNull() || (at.isBoolean() && !at.isTrue()) || isEmpty(at);
    unseen |= at.depth() > 1 || !nothing;
  }

  private static boolean isEmpty(JsonWalk at) {
    return at.isString() && at.length() == 0;
  }

  @Override
  public final boolean unseenInput() {
    return unseen;
  }
}
