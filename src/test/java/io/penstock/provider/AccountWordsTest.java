package io.penstock.provider;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.dialect.DialectTable;
import io.penstock.pool.ProviderLesson;
import io.penstock.pool.ProviderLesson.ErrorCause;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the words with which providers refuse an account, and those that are about less. */
class AccountWordsTest {
  private static ErrorCause cause(int status, String body) {
    return lesson(status, body).cause();
  }

  private static ProviderLesson lesson(int status, String body) {
    return DialectTable.OPENAI.lesson(status, name -> null, body.getBytes(UTF_8));
  }

  /** Bodies as public reports show them; the source stands before each. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        // OpenAI, "Error codes"
        "401 | ACCOUNT | {'error':{'message':'Incorrect API key provided:"
            + " sk-x.','code':'invalid_api_key'}}",
        // DeepSeek, "Error codes"; CLIProxyAPI#3977
        "402 | SPENT | {'error':{'message':'Insufficient Balance','type':'unknown_error'}}",
        // Anthropic, tingly-box#1011
        "400 | SPENT | {'type':'error','error':{'type':'invalid_request_error','message':'Your"
            + " credit balance is too low to access the Anthropic API.'}}",
        // anthropics/claude-code#19028
        "400 | ACCOUNT | {'type':'error','error':{'type':'invalid_request_error','message':'This"
            + " organization has been disabled.'}}",
        // songquanpeng/one-api#1764
        "400 | ACCOUNT | {'error':{'message':'Organization has been restricted. Please reach out to"
            + " support.','code':'organization_restricted'}}",
        // FerroxLabs/wayland#545, Fireworks
        "412 | SPENT | {'error':{'message':'Account x is suspended, possibly due to reaching the"
            + " monthly spending limit or failure to pay past"
            + " invoices.','code':'PRECONDITION_FAILED'}}",
        // the same report, as a proxy wraps it
        "412 | SPENT | {'error':{'message':'Fireworks_aiException -"
            + " {\\'error\\':{\\'message\\':\\'Account x is suspended, possibly due to reaching the"
            + " monthly spending limit\\'}}. Received Model Group=glm','code':'412'}}",
        // google-gemini/gemini-cli#24641
        "400 | ACCOUNT | {'error':{'code':400,'message':'User location is not supported for the API"
            + " use.','status':'FAILED_PRECONDITION'}}",
        // continuedev/continue#11336
        "400 | ACCOUNT | {'error':{'code':400,'message':'API key expired. Please renew the API"
            + " key.','status':'INVALID_ARGUMENT'}}",
        // Wei-Shaw/sub2api#1709
        "400 | ACCOUNT | {'error':{'code':400,'message':'API Key not found. Please pass a valid API"
            + " key.','status':'INVALID_ARGUMENT'}}",
        // google-gemini/gemini-cli#4690
        "400 | ACCOUNT | {'error':{'code':400,'message':'API key not valid. Please pass a valid API"
            + " key.','status':'INVALID_ARGUMENT'}}",
        // tencentmusic/supersonic#1572, DashScope
        "400 | SPENT | {'message':'Access denied, please make sure your account is in good"
            + " standing.','code':'Arrearage'}",
        // RooCodeInc/Roo-Code#12309
        "403 | ACCOUNT | {'error':{'message':'Access denied due to overdue account'}}",
        // vercel/ai#9290, Z.ai
        "429 | SPENT | {'error':{'code':'1113','message':'Insufficient balance or no resource"
            + " package. Please recharge.'}}",
        // continuedev/continue#11823, the same in Chinese
        "429 | SPENT |"
            + " {'error':{'code':'1113','message':'\\u4f59\\u989d\\u4e0d\\u8db3\\u6216'}}",
        // anomalyco/opencode#12219, OpenRouter
        "402 | SPENT | {'error':{'message':'This request requires more credits, or fewer"
            + " max_tokens. You requested up to 32000 tokens, but can only afford 0.','code':402}}",
        // Wei-Shaw/sub2api#890
        "403 | SPENT | {'code':'INSUFFICIENT_BALANCE','message':'Insufficient account balance'}",
        // the same with a number for the code
        "403 | SPENT | {'code':30001,'message':'Sorry, your account balance is"
            + " insufficient','data':null}",
        // OpenAI, "Error codes"
        "403 | ACCOUNT | {'error':{'message':'Country, region, or territory not"
            + " supported','code':'unsupported_country_region_territory'}}",
        // groq, lobehub/lobehub#2143: a page of Cloudflare
        "403 | ACCOUNT | <!DOCTYPE html><html><head><title>Attention Required! |"
            + " Cloudflare</title></head></html>",
        "401 | ACCOUNT | ",
        "403 | ACCOUNT | ",
        "402 | SPENT | not JSON",
      })
  void account(int status, ErrorCause cause, String body) {
    assertThat(cause(status, body == null ? "" : body.replace('\'', '"'))).isEqualTo(cause);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        // OpenRouter, "Errors"
        "403 | OTHER | {'error':{'code':403,'message':'Your chosen model requires moderation and"
            + " your input was flagged'}}",
        "403 | OTHER | {'error':{'message':'The content was blocked by the content filter'}}",
        // anthropics/claude-code#536, Bedrock
        "403 | OTHER | {'message':'You dont have access to the model with the specified model"
            + " ID.'}",
        // OpenAI, "Error codes"
        "403 | MODEL_NOT_FOUND | {'error':{'message':'Project x does not have access to model"
            + " y','code':'model_not_found'}}",
        "404 | MODEL_NOT_FOUND | {'error':{'message':'The model `x` does not exist or you do not"
            + " have access to it.','code':'model_not_found'}}",
        // Anthropic, "Errors"
        "404 | MODEL_NOT_FOUND |"
            + " {'type':'error','error':{'type':'not_found_error','message':'model:"
            + " claude-3-opus'}}",
        // Gemini, "Troubleshooting"
        "404 | MODEL_NOT_FOUND | {'error':{'code':404,'message':'models/x is not found for API"
            + " version v1beta','status':'NOT_FOUND'}}",
        // chatboxai/chatbox#646, Azure
        "404 | MODEL_NOT_FOUND | {'error':{'code':'DeploymentNotFound','message':'The API"
            + " deployment for this resource does not exist. If you created the deployment within"
            + " the last 5 minutes, please wait a moment and try again.'}}",
        // crewAIInc/crewAI#1976, Groq
        "400 | MODEL_NOT_FOUND | {'error':{'message':'The model `x` has been decommissioned and is"
            + " no longer"
            + " supported.','type':'invalid_request_error','code':'model_decommissioned'}}",
        // tmc/langchaingo#1233, Mistral
        "400 | MODEL_NOT_FOUND | {'object':'error','message':'Invalid model:"
            + " x','type':'invalid_model','code':'1500'}",
        // TheBlewish/Automated-AI-Web-Researcher-Ollama#42
        "404 | MODEL_NOT_FOUND | {'error':'model `x` not found'}",
        // netease-youdao/QAnything#555, Ollama's API like OpenAI's
        "404 | MODEL_NOT_FOUND | {'error':{'message':'model `x` not found, try pulling it"
            + " first','type':'api_error','param':null,'code':null}}",
        "404 | OTHER | {'error':{'message':'Not Found'}}",
        "400 | OTHER | {'error':{'message':'messages: at least one message is required'}}",
        "400 | OTHER | {'error':{'message':'Publisher model x is not available in your region'}}",
        "429 | RATE | {'error':{'message':'Rate limit reached for x in organization"
            + " org-1','code':'rate_limit_exceeded'}}",
        "500 | OTHER | {'error':{'message':'insufficient_quota'}}",
      })
  void lessThanTheAccount(int status, ErrorCause cause, String body) {
    assertThat(cause(status, body.replace('\'', '"'))).isEqualTo(cause);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Invalid value: 'credit balance'. Supported values are: 'a'",
        "Invalid value: \\\"your account has been disabled\\\".",
        "Unknown tool `api key expired`",
        "Invalid value: 'it's my credit balance",
      })
  void wordsThatAreQuoted_sayNothing(String message) {
    String body = "{\"error\":{\"message\":\"" + message + "\"}}";
    assertThat(cause(400, body)).isIn(ErrorCause.OTHER, ErrorCause.TOO_LARGE);
  }

  @Test
  void said_isTheStatusAndTheMessage() {
    assertThat(lesson(402, "{\"error\":{\"message\":\"Pay.\"}}").said()).isEqualTo("402 Pay.");
    assertThat(lesson(403, "{\"msg\":\"No.\"}").said()).isEqualTo("403 No.");
    assertThat(lesson(401, "").said()).isEqualTo("401");
  }
}
