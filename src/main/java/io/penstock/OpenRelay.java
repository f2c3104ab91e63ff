package io.penstock;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.springframework.boot.SpringApplication;
import org.springframework.core.env.Environment;

/**
 * Refuses to start a gateway that anyone could use without being asked to. The framework lets its
 * own kind of exception through without a report of its own.
 */
final class OpenRelay extends SpringApplication.AbandonedRunException {
  private static final long serialVersionUID = 1L;

  private final String why;

  private OpenRelay(String why) {
    this.why = why;
  }

  @Override
  public String getMessage() {
    return why;
  }

  static void check(Environment environment) {
    String address = environment.getProperty("server.address", "127.0.0.1");
    boolean meant = "false".equals(environment.getProperty("penstock.keys.required"));
    if (!meant && !loopback(address)) {
      throw new OpenRelay(
          "no keys are configured, so anyone who reaches "
              + address
              + " could use the upstreams: listen on 127.0.0.1, or say"
              + " --penstock.keys.required=false to mean it");
    }
  }

  private static boolean loopback(String address) {
    try {
      return InetAddress.getByName(address).isLoopbackAddress();
    } catch (UnknownHostException unknown) {
      return false; // whatever it is, it is not known to be safe
    }
  }
}
