package io.penstock.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cost.AllowedCalls;
import io.penstock.cost.Cost;
import io.penstock.key.KeySpec;
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
  private static final KeySpec PLAIN =
      KeyTermsJson.plain("a", List.of(new KeySpec.Secret("0".repeat(64), KeySpec.NEVER)));

  private static final String EVERYTHING =
      """
      {"rpm":1,"tpm":2,"rpd":3,"concurrency":4,
       "budget_tokens_per_day":5,"max_output_tokens":11,"models":{"m":{"rpm":6,"tpm":7},"n":{"tpm":8}},"group":"g",
       "allowed_models":["m","n"],"allowed_endpoints":["/b//c"],"calls":["/v1/files","weighed"],
       "priority":-1,"max_priority":9,"weight":10,"expires_at":"2026-01-31T12:00:00+01:00",
       "on_limit":"wait","strict_after_denial":true,"sharing":"eventual"}
      """;

  private static ObjectNode json(String text) {
    return (ObjectNode) JsonMapper.shared().readTree(text);
  }

  private static KeySpec changed(KeySpec key, String terms) {
    return KeyTermsJson.changed(key, json(terms));
  }

  @Test
  void everyTerm_isRead() {
    assertThat(changed(PLAIN, EVERYTHING))
        .isEqualTo(
            new KeySpec(
                "a",
                PLAIN.secrets(),
                new KeySpec.Limits(1, 2, 3, 4, 5, 11),
                Map.of("m", new KeySpec.ModelLimits(6, 7), "n", new KeySpec.ModelLimits(0, 8)),
                "g",
                new KeySpec.Scope(
                    Set.of("m", "n"),
                    Set.of("/b/c"),
                    new AllowedCalls(false, true, List.of("/v1/files"))),
                new KeySpec.Rank(-1, 9, 10),
                1_769_857_200_000L,
                true,
                true,
                SharingMode.EVENTUAL));
  }

  @Test
  void key_isTheSameAfterItWasStored() {
    KeySpec key = changed(PLAIN, EVERYTHING);
    assertThat(changed(PLAIN, KeyTermsJson.stored(key))).isEqualTo(key);
    assertThat(KeyTermsJson.stored(PLAIN)).isEqualTo("{}");
    KeySpec nothing = changed(PLAIN, "{\"allowed_models\":[],\"priority\":3}");
    assertThat(changed(PLAIN, KeyTermsJson.stored(nothing))).isEqualTo(nothing);
  }

  @Test
  void names_areThoseOfRouteFiles() {
    KeySpec key = changed(PLAIN, "{\"rpm\":1,\"tpm\":2,\"rpd\":3,\"concurrency\":4}");
    assertThat(key.limits()).isEqualTo(new KeySpec.Limits(1, 2, 3, 4, 0));
    assertThat(KeyTermsJson.stored(key))
        .isEqualTo("{\"rpm\":1,\"tpm\":2,\"rpd\":3,\"concurrency\":4}");
    assertThatThrownBy(() -> changed(PLAIN, "{\"rpm\":-1}"))
        .hasMessageStartingWith("rpm is expected to be a whole number");
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
    KeySpec key = changed(PLAIN, EVERYTHING);
    assertThat(changed(key, "{}")).isEqualTo(key);
    assertThat(changed(key, "{\"weight\":2}").limits()).isEqualTo(key.limits());
  }

  @Test
  void maxPriority_followsPriorityUntilItIsSaid() {
    KeySpec key = changed(PLAIN, "{\"priority\":5}");
    assertThat(key.rank()).isEqualTo(new KeySpec.Rank(5, 5, 1));
    assertThat(changed(key, "{\"priority\":7}").rank()).isEqualTo(new KeySpec.Rank(7, 7, 1));
    KeySpec said = changed(key, "{\"max_priority\":6}");
    assertThat(said.rank()).isEqualTo(new KeySpec.Rank(5, 6, 1));
    assertThatThrownBy(() -> changed(said, "{\"priority\":7}"))
        .isInstanceOf(KeyTermsJson.Unclear.class)
        .hasMessageContaining("max_priority");
  }

  @Test
  void strictAfterDenial_isForKeysThatAreCountedTogether() {
    KeySpec strict = changed(PLAIN, "{\"strict_after_denial\":true}");
    assertThat(strict.sharing()).isNull();
    assertThatThrownBy(() -> changed(strict, "{\"sharing\":\"exact\"}"))
        .isInstanceOf(KeyTermsJson.Unclear.class)
        .hasMessageContaining("sharing is exact, expected eventual");
    assertThat(changed(PLAIN, "{\"sharing\":\"exact\"}").sharing()).isEqualTo(SharingMode.EXACT);
    assertThatThrownBy(() -> changed(PLAIN, "{\"sharing\":\"none\"}"))
        .hasMessage("sharing is expected to be exact, eventual or local");
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
        .hasMessage("tpm is expected to be a whole number from 0 to " + most);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'rps':1} | rps is not known, expected some of [rpm, tpm, rpd, concurrency, ",
        "{'psk_SECRET':1} | a member is not known",
        "{'rpm':-1} | rpm is expected to be a whole number from 0",
        "{'rpm':1.5} | rpm is expected to be a whole number",
        "{'rpm':'1'} | rpm is expected to be a whole number",
        "{'rpm':1e99} | rpm is expected to be a whole number",
        "{'concurrency':99999999999999999999} | concurrency is expected",
        "{'models':[]} | models is expected to be an object",
        "{'models':{'m':1}} | each of models is expected to be an object",
        "{'models':{'m':{'rpd':1}}} | each of models is expected to have rpm, tpm, or both",
        "{'models':{'m':{'rpm':-1}}} | rpm of models is expected to be a whole number",
        "{'group':''} | group is expected to be a string",
        "{'group':7} | group is expected to be a string",
        "{'allowed_models':'m'} | allowed_models is expected to be a list of strings",
        "{'allowed_models':[1]} | each of allowed_models is expected to be a string",
        "{'allowed_models':[null]} | allowed_models is expected to be a list of strings",
        "{'calls':[]} | calls is empty, expected weighed or paths of calls, or null for all",
        "{'calls':['x']} | each of calls is expected to be weighed, or the path of a call",
        "{'calls':'weighed'} | calls is expected to be a list of strings",
        "{'allowed_endpoints':['x']} | each of allowed_endpoints is expected to be a path",
        "{'weight':0} | weight is expected to be a whole number from 1",
        "{'priority':1,'max_priority':0} | priority is 1, above max_priority 0",
        "{'expires_at':'soon'} | expires_at is expected to be an instant such as",
        "{'expires_at':'2026-02-30'} | expires_at is expected to be an instant such as",
        "{'expires_at':'+999999999-01-01T00:00:00Z'} | expires_at is expected to be an instant",
        "{'on_limit':'park'} | on_limit is expected to be reject or wait",
        "{'strict_after_denial':1} | strict_after_denial is expected to be true or false"
      })
  void badTerm_isNamedWithWhatWasExpected(String terms, String message) {
    assertThatThrownBy(() -> changed(PLAIN, terms.replace('\'', '"')))
        .isInstanceOf(KeyTermsJson.Unclear.class)
        .hasMessageStartingWith(message)
        .hasMessageNotContainingAny("SECRET", "soon", "park");
  }
}
