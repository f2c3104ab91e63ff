package io.penstock.provider.request;

import io.penstock.endpoint.EndpointSpec;
import io.penstock.json.JsonWalk;
import io.penstock.prefix.HashKey;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Reads a request body that must be one JSON object. */
public final class BodyReader implements RequestReader {
  /** A body that is not at its end. */
  private record Parsing(BodyMembers members, JsonWalk walk) {}

  private final EndpointSpec.Reading reading;

  /** Null from the end on, because a request that waits keeps its reader. */
  private @Nullable Parsing parsing;

  private long bytesRead;

  /**
   * Creates a reader of one body.
   *
   * @param key the key of fingerprints
   */
  public BodyReader(EndpointSpec.Reading reading, BodyMembers members, HashKey key) {
    this.reading = reading;
    members.begin(key);
    this.parsing = new Parsing(members, JsonWalk.ofRequest(members, members.compactBytes()));
  }

  @Override
  public void feed(ByteBuffer bytes) {
    bytesRead += bytes.remaining();
    if (parsing != null && tooLarge()) {
      parsing.walk().restart();
      parsing = null;
    }
    if (parsing == null) {
      bytes.position(bytes.limit());
    } else {
      parsing.walk().feed(bytes);
    }
  }

  private boolean tooLarge() {
    return bytesRead > reading.maxBodyBytes();
  }

  @Override
  public WeighedRequest finish() {
    if (tooLarge()) {
      return new WeighedRequest.Malformed(
          "the body is larger than " + reading.maxBodyBytes() + " bytes");
    }
    Parsing whole = Objects.requireNonNull(parsing, "a body ends once");
    parsing = null;
    whole.walk().end();
    String fault = whole.walk().fault();
    return fault == null
        ? whole.members().weigh(reading)
        : new WeighedRequest.Malformed("the body cannot be read: " + fault);
  }
}
