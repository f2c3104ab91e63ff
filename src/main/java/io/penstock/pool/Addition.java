package io.penstock.pool;

import java.util.regex.Pattern;

/**
 * Something that the gateway adds to requests by itself, and can leave out where an upstream
 * refuses it. Whatever else it changes is either what the operator has set (the name of a model, a
 * lower maximum, credentials and headers of an upstream) or no statement of its own (the length of
 * the body, the host).
 */
public enum Addition {
  /** The option that asks for the usage of a stream. */
  STREAM_USAGE("stream_options", "stream[_ -]?options?|include[_ -]?usage"),
  /** The maximum of output of a key. */
  MAX_TOKENS("max_tokens", "max(?:imum)?[_ -]?tokens"),
  /** The same under the name of later versions of OpenAI's API. */
  MAX_COMPLETION_TOKENS("max_completion_tokens", "max(?:imum)?[_ -]?completion[_ -]?tokens"),
  /** The same under the name of OpenAI's responses and of Gemini. */
  MAX_OUTPUT_TOKENS("max_output_tokens", "max(?:imum)?[_ -]?output[_ -]?tokens"),
  /** The id of a request, where the client states none. */
  REQUEST_ID("x-request-id", "x-request-id"),
  /** The headers that tell which trace a request belongs to. */
  TRACE("traceparent", "traceparent|tracestate|baggage|x-b3-[a-z]+|uber-trace-id"),
  /** The name of the HTTP client, where the client of the gateway states none. */
  USER_AGENT("user-agent", "user[_ -]?agent"),
  /** The header that asks for an answer that is not compressed. */
  ACCEPT_ENCODING("accept-encoding", "accept[_ -]?encoding");

  private final String text;
  private final Pattern words;

  Addition(String text, String words) {
    this.text = text;
    this.words = Pattern.compile("(?<![\\w-])(?:" + words + ")(?![\\w-])");
  }

  /** Returns the name of the member or header. */
  public String text() {
    return text;
  }

  /** Returns whether it states a maximum of output. */
  public boolean maximum() {
    return switch (this) {
      case MAX_TOKENS, MAX_COMPLETION_TOKENS, MAX_OUTPUT_TOKENS -> true;
      case STREAM_USAGE, REQUEST_ID, TRACE, USER_AGENT, ACCEPT_ENCODING -> false;
    };
  }

  /** Returns whether a text in lower case names it. */
  public boolean isNamedBy(String lower) {
    return words.matcher(lower).find();
  }

  /**
   * Returns the maximum that a member of a body states, in whatever spelling the provider has for
   * it.
   */
  public static Addition ofMaximum(String member) {
    return switch (member) {
      case "max_completion_tokens" -> MAX_COMPLETION_TOKENS;
      case "max_output_tokens", "maxOutputTokens" -> MAX_OUTPUT_TOKENS;
      default -> MAX_TOKENS;
    };
  }
}
