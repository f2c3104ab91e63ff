package io.penstock.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cost.AllowedCalls;
import io.penstock.cost.Cost;
import io.penstock.cost.ExcessOutput;
import io.penstock.key.KeySpec;
import io.penstock.key.KeyTerms;
import io.penstock.sharing.SharingMode;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

class KeyTermsJsonTest {
  private static final KeyTerms PLAIN = KeyTerms.PLAIN;

  private static final String EVERYTHING =
      """
      {"rpm":1,"tpm":2,"rpd":3,"concurrency":4,
       "budget_tokens_per_day":5,"max_output_tokens":11,"light_rpm":12,
       "models":{"m":{"rpm":6,"tpm":7},"n":{"tpm":8}},"group":"g",
       "allowed_models":["m","n"],"allowed_endpoints":["/b//c"],"calls":["/v1/files","weighed"],
       "priority":-1,"max_priority":9,"weight":10,"expires_at":"2026-01-31T12:00:00+01:00",
       "on_limit":"wait","max_waiting":7,"max_output":"refuse","strict_after_denial":true,"sharing":"eventual"}
      """;

  private static ObjectNode json(String text) {
    return (ObjectNode) JsonMapper.shared().readTree(text);
  }

  private static KeyTerms changed(KeyTerms key, String terms) {
    return KeyTermsJson.changed(key, json(terms));
  }

  @Test
  void everyTerm_isRead() {
    assertThat(changed(PLAIN, EVERYTHING))
        .isEqualTo(
            new KeyTerms(
                new KeySpec.Limits(1, 2, 3, 4, 5, 11, 12),
                Map.of("m", new KeySpec.ModelLimits(6, 7), "n", new KeySpec.ModelLimits(0, 8)),
                "g",
                new KeySpec.Scope(
                    Set.of("m", "n"),
                    Set.of("/b/c"),
                    new AllowedCalls(false, true, List.of("/v1/files"))),
                new KeySpec.Rank(-1, 9, 10),
                1_769_857_200_000L,
                new KeySpec.LimitPolicy(true, 7, true, SharingMode.EVENTUAL, ExcessOutput.REFUSE)));
  }

  @Test
  void key_isTheSameAfterItWasStored() {
    KeyTerms key = changed(PLAIN, EVERYTHING);
    assertThat(changed(PLAIN, KeyTermsJson.stated(key).toString())).isEqualTo(key);
    assertThat(KeyTermsJson.stated(PLAIN).toString()).isEqualTo("{}");
    KeyTerms nothing = changed(PLAIN, "{\"priority\":3}");
    assertThat(changed(PLAIN, KeyTermsJson.stated(nothing).toString())).isEqualTo(nothing);
  }

  @Test
  void names_areThoseOfRouteFiles() {
    KeyTerms key = changed(PLAIN, "{\"rpm\":1,\"tpm\":2,\"rpd\":3,\"concurrency\":4}");
    assertThat(key.limits()).isEqualTo(new KeySpec.Limits(1, 2, 3, 4, 0, 0));
    assertThat(KeyTermsJson.stated(key).toString())
        .isEqualTo("{\"rpm\":1,\"tpm\":2,\"rpd\":3,\"concurrency\":4}");
    assertThatThrownBy(() -> changed(PLAIN, "{\"rpm\":-1}"))
        .hasMessageStartingWith("rpm is '-1', expected a whole number");
  }

  @Test
  void null_isWhatANewKeyHas() {
    String nulls =
        EVERYTHING.replaceAll(
            ":(?:\\{\"m.*?\\}\\}|\\[[^\\]]*\\]|\"[^\"]*\"|[^{,}\\[\"]+)", ":null");
    assertThat(changed(changed(PLAIN, EVERYTHING), nulls)).isEqualTo(PLAIN);
  }

  @Test
  void whatIsNotNamed_stays() {
    KeyTerms key = changed(PLAIN, EVERYTHING);
    assertThat(changed(key, "{}")).isEqualTo(key);
    assertThat(changed(key, "{\"weight\":2}").limits()).isEqualTo(key.limits());
  }

  @Test
  void maxPriority_followsPriorityUntilItIsSaid() {
    KeyTerms key = changed(PLAIN, "{\"priority\":5}");
    assertThat(key.rank()).isEqualTo(new KeySpec.Rank(5, 5, 1));
    assertThat(changed(key, "{\"priority\":7}").rank()).isEqualTo(new KeySpec.Rank(7, 7, 1));
    KeyTerms said = changed(key, "{\"max_priority\":6}");
    assertThat(said.rank()).isEqualTo(new KeySpec.Rank(5, 6, 1));
    assertThatThrownBy(() -> changed(said, "{\"priority\":7}"))
        .isInstanceOf(KeyTermsJson.Unclear.class)
        .hasMessageContaining("max_priority");
  }

  @Test
  void strictAfterDenial_isForKeysThatAreCountedTogether() {
    KeyTerms strict = changed(PLAIN, "{\"strict_after_denial\":true}");
    assertThat(strict.policy().sharing()).isNull();
    assertThatThrownBy(() -> changed(strict, "{\"sharing\":\"exact\"}"))
        .isInstanceOf(KeyTermsJson.Unclear.class)
        .hasMessageContaining("sharing is exact, expected eventual");
    assertThat(changed(PLAIN, "{\"sharing\":\"exact\"}").policy().sharing())
        .isEqualTo(SharingMode.EXACT);
    assertThatThrownBy(() -> changed(PLAIN, "{\"sharing\":\"none\"}"))
        .hasMessage("sharing is '…', expected exact, eventual or local");
  }

  @Test
  void day_expiresWhenItBegins() {
    assertThat(changed(PLAIN, "{\"expires_at\":\"2026-01-31\"}").expiresAtMillis())
        .isEqualTo(1_769_817_600_000L);
  }

  @Test
  void limit_isTakenUpToTheMostAndNoFurther() {
    long most = Cost.MAX_TOKENS;
    assertThat(changed(PLAIN, "{\"tpm\":" + most + "}").limits().tpm()).isEqualTo(most);
    assertThatThrownBy(() -> changed(PLAIN, "{\"tpm\":" + (most + 1) + "}"))
        .hasMessage("tpm is '%d', expected a whole number from 0 to %d".formatted(most + 1, most));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'rps':1} | unknown key 'rps', did you mean 'rpm'?",
        "{'colour':1} | unknown key 'colour', expected one of rpm, tpm, rpd, concurrency, ",
        "{'psk_SECRET':1} | unknown key '…'",
        "{'rpm':-1} | rpm is '-1', expected a whole number from 0",
        "{'rpm':1.5} | rpm is '1.5', expected a whole number",
        "{'rpm':'1'} | rpm is '…', expected a whole number",
        "{'rpm':1e99} | rpm is '1.0E99', expected a whole number",
        "{'concurrency':99999999999999999999} | concurrency is '9",
        "{'models':[]} | models is a list, expected a mapping of models",
        "{'models':{'m':1}} | a model is '1', expected a mapping with rpm or tpm",
        "{'models':{'m':{'rpd':1}}} | unknown key 'rpd'",
        "{'models':{'m':{'rpm':-1}}} | rpm is '-1', expected a whole number",
        "{'group':''} | group is '…', expected up to 100 letters",
        "{'group':7} | group is '7', expected text",
        "{'group':'${SECRET}'} | a text has ${, expected one without variables",
        "{'allowed_models':'m'} | allowed_models is '…', expected a list of models",
        "{'allowed_models':[]} | allowed_models is empty, expected a model",
        "{'allowed_models':[1]} | a model is '1', expected text",
        "{'allowed_models':[null]} | a model is empty, expected its name",
        "{'calls':[]} | calls is empty, expected all, weighed, or a list",
        "{'calls':['x']} | a call is '…', expected weighed, or the path of a call",
        "{'calls':'soon'} | calls is '…', expected all, weighed, or a list",
        "{'allowed_endpoints':['x']} | a path is '…', expected",
        "{'allowed_endpoints':['/a/../SECRET']} | a path is '…', ",
        "{'allowed_endpoints':['/SECRET','/SECRET/']} | path '…' is there twice",
        "{'allowed_models':['SECRET','SECRET']} | model '…' is there twice",
        "{'calls':['/SECRET','/SECRET']} | call '…' is there twice",
        "{'models':{'SECRET':1}} | a model is '1', expected a mapping",
        "{'models':{'SECRET key: 1':'SECRET value: 1'}} | a model is '…', expected a mapping",
        "{'weight':0} | weight is '0', expected a whole number from 1",
        "{'priority':1,'max_priority':0} | priority is 1, above max_priority 0",
        "{'expires_at':'soon'} | expires_at is '…', expected an instant such as",
        "{'expires_at':'2026-02-30'} | expires_at is '…', expected an instant such as",
        "{'expires_at':'+999999999-01-01T00:00:00Z'} | expires_at is '…', expected an instant",
        "{'on_limit':'park'} | on_limit is '…', expected reject or wait",
        "{'strict_after_denial':1} | strict_after_denial is '1', expected true or false"
      })
  void badTerm_isNamedWithWhatWasExpected(String terms, String message) {
    assertThatThrownBy(() -> changed(PLAIN, terms.replace('\'', '"')))
        .isInstanceOf(KeyTermsJson.Unclear.class)
        .hasMessageStartingWith(message)
        .hasMessageNotContainingAny("SECRET", "soon", "park");
  }
}
