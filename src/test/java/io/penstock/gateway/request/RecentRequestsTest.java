package io.penstock.gateway.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.FakeTicker;
import org.junit.jupiter.api.Test;

class RecentRequestsTest {
  private final FakeTicker ticker = new FakeTicker();
  private final RecentRequests requests = new RecentRequests(ticker);

  private TrackedRequest over(Object client, String id) {
    TrackedRequest request = requests.add(client, id, "/a");
    request.ended(200);
    requests.ended(request);
    return request;
  }

  @Test
  void request_isFoundByItsOwnClientOnly() {
    TrackedRequest request = requests.add("alice", "1", "/a");
    assertThat(requests.find("alice", "1")).isSameAs(request);
    assertThat(requests.find("bob", "1")).isNull();
    assertThat(requests.find("alice", "2")).isNull();
  }

  @Test
  void endedRequest_isForgottenAfterAMinute() {
    TrackedRequest request = over("alice", "1");
    TrackedRequest inside = requests.add("alice", "2", "/a");
    ticker.advance(RecentRequests.KEPT_NANOS - 1);
    assertThat(requests.find("alice", "1")).isSameAs(request);
    ticker.advance(1);
    assertThat(requests.find("alice", "1")).isNull();
    assertThat(requests.find("alice", "2")).isSameAs(inside);
  }

  @Test
  void laterRequestWithTheSameId_takesItsPlace() {
    TrackedRequest first = requests.add("alice", "1", "/a");
    TrackedRequest second = requests.add("alice", "1", "/a");
    assertThat(requests.find("alice", "1")).isSameAs(second);
    first.ended(200);
    requests.ended(first);
    assertThat(requests.find("alice", "1")).isSameAs(second);
    second.ended(200);
    requests.ended(second);
    TrackedRequest third = requests.add("alice", "1", "/a");
    ticker.advance(RecentRequests.KEPT_NANOS);
    assertThat(requests.find("alice", "1")).isSameAs(third);
  }

  @Test
  void endedRequestsOfAClient_areBounded() {
    TrackedRequest inside = requests.add("alice", "inside", "/a");
    over("bob", "other");
    for (int i = 0; i < RecentRequests.MOST_ENDED_OF_CLIENT; i++) {
      over("alice", "" + i);
    }
    assertThat(requests.find("alice", "0")).isNotNull();
    over("alice", "one more");
    assertThat(requests.find("alice", "0")).isNull();
    assertThat(requests.find("alice", "1")).isNotNull();
    assertThat(requests.find("alice", "inside")).isSameAs(inside);
    assertThat(requests.find("bob", "other")).isNotNull();
  }

  @Test
  void endedRequestsOfAllClients_areBounded() {
    for (int i = 0; i < RecentRequests.MOST_ENDED; i++) {
      over("client " + i, "1");
    }
    assertThat(requests.find("client 0", "1")).isNotNull();
    over("one more", "1");
    assertThat(requests.find("client 0", "1")).isNull();
    assertThat(requests.find("client 1", "1")).isNotNull();
    ticker.advance(RecentRequests.KEPT_NANOS);
    assertThat(requests.find("one more", "1")).isNull();
    assertThat(requests.size()).isZero();
  }
}
