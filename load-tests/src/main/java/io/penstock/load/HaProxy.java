package io.penstock.load;

import java.io.IOException;
import java.util.List;

/** HAProxy, by request, before gateways whose readiness it asks for each second. */
final class HaProxy {
  private HaProxy() {}

  static String configuration(int port, int state, List<Gateway> gateways) {
    StringBuilder text =
        new StringBuilder(
            """
            global
              maxconn 4000
            defaults
              mode http
              timeout connect 2s
              timeout client 600s
              timeout server 600s
              # what is slow because the machine is busy is not taken for dead
              timeout check 30s
              # who cannot be connected to has got nothing: another one is asked
              retries 3
              option redispatch 1
            frontend state
              bind 127.0.0.1:%d
              stats enable
              stats uri /
            frontend clients
              bind 127.0.0.1:%d
              default_backend gateways
            backend gateways
              balance leastconn
              option httpchk
              http-check send meth GET uri /actuator/health/readiness ver HTTP/1.1 hdr Host 127.0.0.1
              http-check expect status 200
              default-server check inter 1s fall 1 rise 1
            """
                .formatted(state, port));
    for (Gateway each : gateways) {
      text.append(
          "  server s%1$d 127.0.0.1:%1$d port %2$d%n"
              .formatted(each.port(), each.operator().port()));
    }
    return text.toString();
  }

  /** Returns how many gateways it sends to. */
  static int up(int state) throws IOException, InterruptedException {
    return up(Operator.get(state, "/;csv").body());
  }

  static int up(String csv) {
    int up = 0;
    for (String line : csv.split("\n", -1)) {
      up += line.startsWith("gateways,s") && line.contains(",UP,") ? 1 : 0;
    }
    return up;
  }
}
