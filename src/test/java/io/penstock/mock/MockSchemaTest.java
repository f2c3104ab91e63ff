package io.penstock.mock;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.json.JsonMapper;

class MockSchemaTest {
  private static final JsonMapper JSON = JsonMapper.shared();

  private static String document(String schema) {
    return MockSchema.document(JSON.readTree(schema.replace('\'', '"')));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'type':'string'} | 'water'",
        "{'type':'string','maxLength':3} | 'wat'",
        "{'type':'string','minLength':8} | 'water wa'",
        "{'type':'string','format':'date'} | '2025-01-01'",
        "{'type':'string','enum':['low','high']} | 'low'",
        "{'const':7} | 7",
        "{'type':'integer'} | 0",
        "{'type':'integer','minimum':3} | 3",
        "{'type':'integer','exclusiveMinimum':3} | 4",
        "{'type':'number','minimum':2.5} | 3",
        "{'type':'number','maximum':-2} | -2",
        "{'type':'integer','exclusiveMaximum':-2} | -3",
        "{'type':'integer','minimum':7,'multipleOf':5} | 10",
        "{'type':'boolean'} | true",
        "{'type':'null'} | null",
        "{'type':['null','string']} | 'water'",
        "{'type':'ARRAY','items':{'type':'STRING'},'minItems':'2'} | ['water','water']",
        "{'type':'array','items':{'type':'integer'}} | [0]",
        "{'type':'array','items':{'type':'integer'},'maxItems':0} | []",
        "{'items':{'type':'boolean'}} | [true]",
        "{'prefixItems':[{'type':'integer'},{'type':'boolean'}]} | [0,true]",
        "{'anyOf':[{'type':'integer'},{'type':'null'}]} | 0",
        "{} | {}",
        "{'type':'object','properties':{'a':{'type':'integer'}}} | {}",
        "{'type':'object','properties':{'a':{'type':'integer'},'b':{}},'required':['a']} | {'a':0}",
        "{'allOf':[{'required':['a'],'properties':{'a':{'type':'null'}}}]} | {'a':null}",
        "{'$ref':'#/$defs/x','$defs':{'x':{'type':'boolean'}}} | true",
        "{'type':'object','required':['ä'],'properties':{'ä':{'const':'é'}}}"
            + " | {'\\u00E4':'\\u00E9'}",
      })
  void document_satisfiesItsSchema(String schema, String expected) {
    assertThat(document(schema)).isEqualTo(expected.replace('\'', '"'));
  }

  @Test
  void nestedObjects_haveTheirRequiredProperties() {
    String schema =
        """
        {'type':'object','required':['steps','at'],'properties':{
          'steps':{'type':'array','items':{'type':'object','required':['name'],
            'properties':{'name':{'type':'string'},'more':{'type':'string'}}}},
          'at':{'type':'object','required':['deep'],
            'properties':{'deep':{'type':'object','required':['n'],
              'properties':{'n':{'type':'number'}}}}}}}
        """;
    assertThat(document(schema))
        .isEqualTo("{\"steps\":[{\"name\":\"water\"}],\"at\":{\"deep\":{\"n\":0}}}");
  }

  @Test
  void schemaThatContainsItselfOrGrowsWithoutBound_endsInASmallDocument() {
    String itself =
        "{'$ref':'#/$defs/n','$defs':{'n':{'type':'array','minItems':9,'items':{'$ref':'#/$defs/n'}}}}";
    String circle = "{'$ref':'#/$defs/a','$defs':{'a':{'$ref':'#/$defs/a'}}}";
    String long1 = "{'type':'string','minLength':2000000000}";
    String many = "{'type':'array','minItems':2000000000,'items':{'type':'boolean'}}";
    for (String schema : new String[] {itself, circle, long1, many}) {
      String document = document(schema);
      assertThat(document).hasSizeLessThan(20_000);
      assertThat(JSON.readTree(document)).isNotNull();
    }
  }

  @Test
  void documentWithinAString_isCutIntoTokensThatJsonCanRead() {
    String document = "{\"a\":\"\\\"\\\\\"}";
    MockText text = MockText.within(document);
    int tokens = MockText.tokensWithin(document);
    MockBytes out = new MockBytes(16).put("\"");
    for (int at = 0; at < tokens; at++) {
      text.append(out, at, at + 1);
    }
    String quoted = new String(out.put("\"").toArray(), StandardCharsets.US_ASCII);
    assertThat(JSON.readTree(quoted).stringValue()).isEqualTo(document);
  }
}
