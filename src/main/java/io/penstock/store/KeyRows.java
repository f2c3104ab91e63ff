package io.penstock.store;

import io.penstock.config.KeyTermsJson;
import io.penstock.key.KeySpec;
import io.penstock.key.KeyStore.Lost;
import io.penstock.key.KeyTerms;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Reads keys from rows. Equal terms are parsed once, and share one object. */
final class KeyRows {
  private final Map<String, KeyTerms> byTerms = new HashMap<>();

  List<KeySpec> all(ResultSet rows) throws SQLException {
    List<KeySpec> keys = new ArrayList<>();
    while (rows.next()) {
      keys.add(key(rows));
    }
    return keys;
  }

  /**
   * Reads the columns name, SHA-256, previous SHA-256, its expiry, terms, identity and time of
   * creation.
   */
  KeySpec key(ResultSet row) throws SQLException {
    String name = row.getString(1);
    try {
      KeySpec.Secret secret = new KeySpec.Secret(row.getString(2), KeySpec.NEVER);
      String previous = row.getString(3);
      List<KeySpec.Secret> secrets =
          previous == null
              ? List.of(secret)
              : List.of(secret, new KeySpec.Secret(previous, row.getLong(4)));
      return new KeySpec(
          name,
          secrets,
          byTerms.computeIfAbsent(row.getString(5), KeyRows::terms),
          new KeySpec.Identity(row.getString(6), row.getLong(7)));
    } catch (KeyTermsJson.Unclear | JacksonException | IllegalArgumentException bad) {
      throw new Lost("what it says of key " + name + " cannot be read");
    }
  }

  private static KeyTerms terms(String json) {
    if (JsonMapper.shared().readTree(json) instanceof ObjectNode terms) {
      return KeyTermsJson.changed(KeyTerms.PLAIN, terms);
    }
    throw new KeyTermsJson.Unclear("an object is expected");
  }
}
