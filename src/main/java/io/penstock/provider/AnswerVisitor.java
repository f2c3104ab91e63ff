package io.penstock.provider;

/** Finds usage and output text in a provider's answers, and adds them to a meter. */
interface AnswerVisitor extends JsonWalk.Visitor {
  /** Returns the meter this visitor adds to. */
  Meter meter();
}
