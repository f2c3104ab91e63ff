package io.penstock.provider.request;

import io.penstock.endpoint.EndpointSpec;
import io.penstock.json.JsonWalk;
import io.penstock.tokenizer.TokenEstimate;
import java.util.List;

/** Reads a request for a text completion, Anthropic's older call, to estimate its cost. */
public final class AnthropicCompletion implements RequestVisitor {
  private static final String PROMPT = "prompt";

  private final StatedParameters parameters = new StatedParameters(false, "max_tokens_to_sample");
  private long promptBytes;

  @Override
  public void open(JsonWalk at, boolean array) {
    parameters.open(at);
  }

  @Override
  public void close(JsonWalk at) {}

  @Override
  public void scalar(JsonWalk at) {
    String top = at.name(1);
    if (top == null) {
      return;
    }
    if (top.equals(PROMPT)) {
      promptBytes += at.isString() ? at.utf8Bytes() : 0;
    } else if (top.equals("metadata")) {
      if (at.depth() == 2 && "user_id".equals(at.name())) {
        parameters.user(at);
      }
    } else {
      parameters.scalar(at, top);
    }
  }

  @Override
  public List<String> singleMembers() {
    return parameters.singleMembers(PROMPT);
  }

  @Override
  public WeighedRequest weigh(EndpointSpec.Reading reading) {
    return parameters.weigh(TokenEstimate.tokens(promptBytes), 0, true, reading);
  }
}
