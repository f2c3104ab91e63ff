package io.penstock.provider.request;

import io.penstock.endpoint.EndpointSpec;
import io.penstock.json.JsonWalk;
import io.penstock.json.KeptText;
import io.penstock.tokenizer.TokenEstimate;
import java.util.List;

/**
 * Reads a request for text completions to estimate its cost. Its prompt is text or tokens, or a
 * list of these, each of which is completed separately.
 */
public final class OpenAiCompletions implements RequestVisitor {
  private static final String PROMPT = "prompt";
  private static final String SUFFIX = "suffix";

  private final StatedParameters parameters =
      new StatedParameters(List.of("n", "best_of"), "max_tokens");
  private final MaximumPlaces places = MaximumPlaces.ofBody("max_tokens");
  private final AskedUsage askedUsage = new AskedUsage();
  private final KeptText kept = new KeptText();
  private final KeptText.Part promptText = kept.part();
  private final KeptText.Part suffixText = kept.part();
  private long promptBytes;
  private long suffixBytes;
  private long tokens;
  private long prompts;

  @Override
  public void open(JsonWalk at, boolean array) {
    askedUsage.open(at);
    String name = at.name(1);
    if (name == null) {
      return;
    }
    if (at.depth() == 1) {
      parameters.open(name);
    } else if (at.depth() == 2 && name.equals(PROMPT)) {
      prompts++;
    }
  }

  @Override
  public void close(JsonWalk at) {
    askedUsage.close(at);
  }

  @Override
  public void scalar(JsonWalk at) {
    askedUsage.scalar(at);
    String name = at.name(1);
    if (name == null) {
      return;
    }
    if (at.depth() == 1 && name.equals("user")) {
      parameters.user(at);
    } else {
      parameters.scalar(at, name);
    }
    if (name.equals(PROMPT)) {
      prompt(at);
    } else if (name.equals(SUFFIX) && at.depth() == 1 && at.isString()) {
      suffixBytes = at.utf8Bytes(suffixText);
    }
  }

  private void prompt(JsonWalk at) {
    if (at.isString()) {
      promptBytes += at.utf8Bytes(promptText);
      prompts += at.depth() == 2 ? 1 : 0;
    } else if (at.isNumber()) {
      tokens++;
    }
  }

  @Override
  public MaximumPlaces maximumPlaces() {
    return places;
  }

  @Override
  public List<String> singleMembers() {
    return parameters.singleMembers(PROMPT, SUFFIX);
  }

  @Override
  public WeighedRequest weigh(EndpointSpec.Reading reading) {
    return parameters.weigh(
        new StatedParameters.Found(
            TokenEstimate.tokens(promptBytes + suffixBytes),
            tokens,
            Math.max(1, prompts),
            true,
            kept.whole(),
            askedUsage.edit(),
            WeighedRequest.Traits.NONE),
        reading);
  }
}
