package io.penstock.operator;

import io.penstock.cost.Dialect;
import io.penstock.dialect.DialectTable;
import io.penstock.operator.QuestionBody.Unclear;
import io.penstock.provider.ProviderProtocol;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * A request with tokens to count, in the form that a client would send.
 *
 * @param provider the provider as named in the question
 * @param path the path that a client would use
 * @param body the body that a client would send
 */
record CountRequest(
    String provider,
    ProviderProtocol dialect,
    String model,
    boolean exact,
    String path,
    ObjectNode body) {
  private static final Set<String> MEMBERS = Set.of("provider", "model", "text", "body", "exact");

  private static final Map<String, ProviderProtocol> PROVIDERS =
      DialectTable.ALL.stream()
          .filter(Dialect::readsBodies)
          .collect(
              Collectors.toMap(Dialect::text, each -> each, (one, other) -> one, TreeMap::new));

  /**
   * Reads a question.
   *
   * @throws Unclear if the question does not have the expected form
   */
  static CountRequest read(byte[] json) {
    if (!(OperatorJson.parsed(json) instanceof ObjectNode asked)) {
      throw new Unclear("a JSON object is expected");
    }
    asked
        .propertyNames()
        .forEach(
            name -> {
              if (!MEMBERS.contains(name)) {
                throw new Unclear("provider, model, text, body and exact are understood");
              }
            });
    String provider = string(asked, "provider").toLowerCase(Locale.ROOT);
    ProviderProtocol dialect = PROVIDERS.get(provider);
    if (dialect == null) {
      throw new Unclear("provider is not known, expected one of " + PROVIDERS.keySet());
    }
    String model = string(asked, "model");
    JsonNode exact = asked.path("exact");
    if (!exact.isMissingNode() && !exact.isBoolean()) {
      throw new Unclear("exact is expected to be true or false");
    }
    ObjectNode body = body(asked, dialect);
    String path = dialect.pathOf(body);
    if (dialect.namesModelInBody()) {
      body.put("model", model);
    }
    return new CountRequest(provider, dialect, model, exact.asBoolean(false), path, body);
  }

  private static String string(ObjectNode asked, String name) {
    JsonNode value = asked.path(name);
    if (!value.isString() || value.stringValue().isBlank()) {
      throw new Unclear(name + " is expected to be a string");
    }
    return value.stringValue();
  }

  private static ObjectNode body(ObjectNode asked, ProviderProtocol dialect) {
    if (asked.has("text") == asked.has("body")) {
      throw new Unclear("either text or body is expected");
    }
    if (asked.get("body") instanceof ObjectNode body) {
      return body;
    }
    if (asked.has("body")) {
      throw new Unclear("body is expected to be a JSON object");
    }
    JsonNode text = asked.path("text");
    if (!text.isString()) {
      throw new Unclear("text is expected to be a string");
    }
    ObjectNode smallest = JsonMapper.shared().createObjectNode();
    dialect.put(text.stringValue(), smallest);
    return smallest;
  }
}
