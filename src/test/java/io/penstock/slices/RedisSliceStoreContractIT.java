package io.penstock.slices;

import io.penstock.fake.PatientWaits;
import io.penstock.fake.RedisServer;
import io.penstock.redis.RedisAddress;
import io.penstock.redis.RedisLink;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.SliceStore;
import io.penstock.sharing.SliceStoreContract;
import io.penstock.time.Ticker;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;

/** Runs the contract on a real server, which uses the test's clock. */
@SuppressWarnings("this-escape") // a subclass only chooses the server, which needs no state
public class RedisSliceStoreContractIT extends SliceStoreContract {
  private final RedisLink link =
      new RedisLink(
          RedisAddress.parse(server().url(), null, null),
          null,
          PatientWaits.LONGEST_MILLIS,
          Ticker.system());
  private final String namespace = "supply-" + UUID.randomUUID();
  private volatile long nanos = START;

  /** Returns a server of the version under test. */
  public RedisServer server() {
    return RedisServer.shared();
  }

  @Override
  protected SliceStore supply() {
    nanos = START;
    return new RedisSliceStore(link, namespace, TTL, Ticker.system(), START, () -> nanos / 1_000);
  }

  @Override
  protected void lose(LimitId id) {
    server().command("DEL", namespace + ":" + id.text());
  }

  @Override
  protected void clock(long moved) {
    nanos = moved;
  }

  @AfterEach
  void close() {
    link.close();
  }
}
