package io.penstock.load;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HaProxyTest {
  @Test
  void up_areThoseGatewaysThatItSendsTo() {
    String csv =
        """
        # pxname,svname,qcur,qmax,scur,smax,status,weight
        state,FRONTEND,,,0,1,OPEN,
        clients,FRONTEND,,,0,1,OPEN,
        gateways,s20001,0,0,0,0,UP,1
        gateways,s20002,0,0,0,0,DOWN,1
        gateways,s20003,0,0,0,0,UP,1
        gateways,BACKEND,0,0,0,0,UP,2
        """;
    assertThat(HaProxy.up(csv)).isEqualTo(2);
  }
}
