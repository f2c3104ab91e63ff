package io.penstock.provider.request;

import io.penstock.endpoint.EndpointSpec;
import io.penstock.json.JsonWalk;
import io.penstock.prefix.HashKey;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Reads a request body that must be one JSON object. */
public final class BodyReader implements RequestReader {
  private final EndpointSpec.Reading reading;
  private final BodyMembers members;
  private final JsonWalk walk;
  private long bytesRead;
  private @Nullable WeighedRequest weighed;

  /**
   * @param key the key of fingerprints
   */
  public BodyReader(EndpointSpec.Reading reading, BodyMembers members, HashKey key) {
    this.reading = reading;
    this.members = members;
    members.begin(key);
    this.walk = JsonWalk.ofRequest(members, members.compactBytes());
  }

  @Override
  public void feed(ByteBuffer bytes) {
    bytesRead += bytes.remaining();
    if (weighed == null && bytesRead > reading.maxBodyBytes()) {
      walk.restart();
      weighed =
          new WeighedRequest.Malformed(
              "the body is larger than " + reading.maxBodyBytes() + " bytes");
    }
    if (weighed == null) {
      walk.feed(bytes);
    } else {
      bytes.position(bytes.limit());
    }
  }

  @Override
  public WeighedRequest finish() {
    if (weighed == null) {
      walk.end();
      weighed =
          walk.fault() == null
              ? members.weigh(reading)
              : new WeighedRequest.Malformed("the body cannot be read: " + walk.fault());
    }
    return weighed;
  }
}
