package io.penstock.gateway;

import org.springframework.cloud.gateway.filter.NettyRoutingFilter;

/** The order of the filters. */
final class FilterOrder {
  static final int OBSERVE = -80;
  static final int IDENTIFY = -70;
  static final int WEIGH = -60;
  static final int SCREEN = -50;
  static final int ADMIT = -40;
  static final int FORWARD = -30;
  static final int SETTLE = -20;

  /** Just before the framework's own call: nothing is written yet, so a call can be repeated. */
  static final int ATTEMPT = NettyRoutingFilter.ORDER - 1;

  private FilterOrder() {}
}
