package io.penstock.provider.answer;

import io.penstock.cost.TokenUsage;
import org.jspecify.annotations.Nullable;

/** Reader of an answer whose results are in a meter. */
abstract class MeteredAnswer implements AnswerReader {
  final UsageMeter usageMeter;
  final ErrorFinder errorFinder;

  MeteredAnswer(UsageMeter usageMeter, ErrorFinder errorFinder) {
    this.usageMeter = usageMeter;
    this.errorFinder = errorFinder;
  }

  @Override
  public final long producedTokens() {
    return usageMeter.producedTokens();
  }

  @Override
  public final long textTokens() {
    return usageMeter.textTokens();
  }

  @Override
  public final @Nullable TokenUsage usage() {
    return usageMeter.usage();
  }

  @Override
  public final boolean isOutputComplete() {
    return usageMeter.isOutputComplete();
  }

  @Override
  public final int calls() {
    return usageMeter.parts();
  }

  @Override
  public final @Nullable String model() {
    return usageMeter.model();
  }

  @Override
  public final @Nullable AnswerError error() {
    return errorFinder.error();
  }

  @Override
  public final boolean inError() {
    return errorFinder.inError();
  }

  @Override
  public final boolean hasBegun() {
    return errorFinder.hasBegun() || usageMeter.textTokens() > 0 || usageMeter.isOutputComplete();
  }

  @Override
  public final @Nullable String warning() {
    return usageMeter.warning();
  }
}
