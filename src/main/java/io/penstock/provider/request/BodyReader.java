package io.penstock.provider.request;

import io.penstock.endpoint.EndpointSpec;
import io.penstock.json.JsonWalk;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Reads a request body that must be one JSON object. */
public final class BodyReader implements RequestReader {
  private final EndpointSpec.Reading reading;
  private final RequestVisitor visitor;
  private final SingleMembers members;
  private final @Nullable MaximumPlaces places;
  private final JsonWalk walk;
  private long bytesRead;
  private @Nullable WeighedRequest weighed;

  public BodyReader(EndpointSpec.Reading reading, RequestVisitor visitor) {
    this.reading = reading;
    this.visitor = visitor;
    this.members = new SingleMembers(visitor.singleMembers());
    this.places = visitor.maximumPlaces();
    this.walk = JsonWalk.ofRequest(new Walked(), visitor.compactBytes());
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
      weighed = weigh();
    }
    return weighed;
  }

  private WeighedRequest weigh() {
    if (walk.fault() != null) {
      return new WeighedRequest.Malformed("the body cannot be read: " + walk.fault());
    }
    String repeated = members.fault();
    return repeated == null
        ? placed(visitor.weigh(reading))
        : new WeighedRequest.Malformed(repeated);
  }

  /** Adds the places where a maximum can be stated to a request that states none. */
  private WeighedRequest placed(WeighedRequest read) {
    return places != null
            && read instanceof WeighedRequest.Request request
            && request.spots().maxima().isEmpty()
        ? request.with(places.found())
        : read;
  }

  /** Passes what the walk finds on to the visitor, and notes the members of the body. */
  private final class Walked implements JsonWalk.Visitor {
    @Override
    public void open(JsonWalk at, boolean array) {
      note(at);
      if (places != null) {
        places.open(at);
      }
      visitor.open(at, array);
    }

    @Override
    public void close(JsonWalk at) {
      visitor.close(at);
    }

    @Override
    public void scalar(JsonWalk at) {
      note(at);
      if (places != null) {
        places.scalar(at);
      }
      visitor.scalar(at);
    }

    private void note(JsonWalk at) {
      String name = at.depth() == 1 ? at.name() : null;
      if (name != null) {
        members.found(name);
      }
    }
  }
}
