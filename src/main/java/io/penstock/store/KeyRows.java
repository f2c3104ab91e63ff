package io.penstock.store;

import io.penstock.key.KeySpec;
import io.penstock.key.KeyStore.Lost;
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
  private final Map<String, KeySpec> byTerms = new HashMap<>();
  private boolean noted = true;

  /** Returns whether the identities of all keys read so far are noted. */
  boolean noted() {
    return noted;
  }

  List<KeySpec> all(ResultSet rows) throws SQLException {
    List<KeySpec> keys = new ArrayList<>();
    while (rows.next()) {
      keys.add(key(rows));
    }
    return keys;
  }

  /**
   * Reads the columns identity, SHA-256, previous SHA-256, its expiry, terms, name, time of
   * creation, and the name if another key has it for identity. The name is null for a key that a
   * version of Penstock without identities has created; such a key may have the name of an earlier
   * one, which is then shown by its identity.
   */
  KeySpec key(ResultSet row) throws SQLException {
    String identity = row.getString(1);
    String noted = row.getString(6);
    this.noted &= noted != null;
    boolean same = noted == null || row.getString(8) != null || noted.equals(identity);
    String name = same ? identity : noted;
    try {
      KeySpec.Secret secret = new KeySpec.Secret(row.getString(2), KeySpec.NEVER);
      String previous = row.getString(3);
      List<KeySpec.Secret> secrets =
          previous == null
              ? List.of(secret)
              : List.of(secret, new KeySpec.Secret(previous, row.getLong(4)));
      return byTerms
          .computeIfAbsent(row.getString(5), KeyRows::terms)
          .as(name, secrets)
          .identifiedBy(new KeySpec.Identity(identity, row.getLong(7)));
    } catch (KeyTermsJson.Unclear | JacksonException | IllegalArgumentException bad) {
      throw new Lost("what it says of key " + name + " cannot be read");
    }
  }

  private static KeySpec terms(String json) {
    KeySpec plain = KeyTermsJson.plain("-", List.of());
    if (json.equals("{}")) {
      return plain;
    }
    if (JsonMapper.shared().readTree(json) instanceof ObjectNode terms) {
      return KeyTermsJson.changed(plain, terms);
    }
    throw new KeyTermsJson.Unclear("an object is expected");
  }
}
