package io.penstock.gateway.request;

import org.springframework.cloud.gateway.filter.NettyRoutingFilter;

/** The order of the filters. */
public final class FilterOrder {
  public static final int OBSERVE = -80;
  public static final int IDENTIFY = -70;
  public static final int WEIGH = -60;
  public static final int SCREEN = -50;
  public static final int ADMIT = -40;
  public static final int FORWARD = -30;
  public static final int SETTLE = -20;

  /** Just before the framework's own call: nothing is written yet, so a call can be repeated. */
  public static final int ATTEMPT = NettyRoutingFilter.ORDER - 1;

  private FilterOrder() {}
}
