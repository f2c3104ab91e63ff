package io.penstock.provider.answer;

import io.penstock.json.JsonWalk;

/** Finds usage and output text in a provider's answers, and adds them to a meter. */
public interface AnswerVisitor extends JsonWalk.Visitor {
  /** Returns the meter this visitor adds to. */
  UsageMeter meter();
}
