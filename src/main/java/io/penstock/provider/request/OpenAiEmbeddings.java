package io.penstock.provider.request;

import io.penstock.endpoint.EndpointSpec;
import io.penstock.json.JsonWalk;
import io.penstock.json.KeptText;
import io.penstock.tokenizer.TokenEstimate;
import java.util.List;

/** Reads a request for embeddings to estimate its cost: its input is text, or already tokens. */
public final class OpenAiEmbeddings implements RequestVisitor {
  private final StatedParameters parameters = new StatedParameters(false);
  private final KeptText kept = new KeptText();
  private final KeptText.Part inputText = kept.part();
  private long textBytes;
  private long tokens;

  @Override
  public void open(JsonWalk at, boolean array) {
    parameters.open(at);
  }

  @Override
  public void close(JsonWalk at) {}

  @Override
  public void scalar(JsonWalk at) {
    String name = at.name(1);
    if (name == null) {
      return;
    }
    if (at.depth() == 1 && name.equals("user")) {
      parameters.user(at);
    } else {
      parameters.scalar(at, name);
    }
    if (name.equals("input")) {
      if (at.isString()) {
        textBytes += at.utf8Bytes(inputText);
      } else if (at.isNumber()) {
        tokens++;
      }
    }
  }

  @Override
  public List<String> singleMembers() {
    return parameters.singleMembers("input");
  }

  @Override
  public WeighedRequest weigh(EndpointSpec.Reading reading) {
    return parameters.weigh(
        new StatedParameters.Found(
            TokenEstimate.tokens(textBytes),
            tokens,
            1,
            false,
            kept.whole(),
            null,
            WeighedRequest.Traits.NONE),
        reading);
  }
}
