package io.penstock.mock;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.MultipartField;
import com.openai.core.http.HttpResponse;
import com.openai.errors.BadRequestException;
import com.openai.errors.NotFoundException;
import com.openai.models.files.FileCreateParams;
import com.openai.models.files.FileObject;
import com.openai.models.files.FilePurpose;
import com.openai.models.uploads.Upload;
import com.openai.models.uploads.UploadCompleteParams;
import com.openai.models.uploads.UploadCreateParams;
import com.openai.models.uploads.parts.PartCreateParams;
import com.openai.models.uploads.parts.UploadPart;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Checks with OpenAI's own client library that the mock keeps files and uploads. */
class MockFilesTest {
  private static final long WALL_MILLIS = 1_735_689_600_000L;
  private static final String LINES = "{\"a\":1}\n{\"b\":\"é\"}\n";

  private final MockProvider provider = MockProvider.start(() -> 0, () -> WALL_MILLIS);
  private final OpenAIClient client =
      OpenAIOkHttpClient.builder()
          .baseUrl(provider.baseUrl(MockAddress.parse(URI.create("mock://openai"))) + "/v1")
          .apiKey("any")
          .maxRetries(0)
          .build();

  @AfterEach
  void close() {
    client.close();
    provider.close();
  }

  private FileObject create(String text) {
    return client
        .files()
        .create(
            FileCreateParams.builder()
                .purpose(FilePurpose.BATCH)
                .file(
                    MultipartField.<InputStream>builder()
                        .value(new ByteArrayInputStream(text.getBytes(UTF_8)))
                        .filename("lines.jsonl")
                        .build())
                .build());
  }

  private String content(String id) throws IOException {
    try (HttpResponse answer = client.files().content(id)) {
      return new String(answer.body().readAllBytes(), UTF_8);
    }
  }

  @Test
  void file_createdListedReadAndDeleted() throws IOException {
    FileObject file = create(LINES).validate();
    assertThat(file.bytes()).isEqualTo(LINES.getBytes(UTF_8).length);
    assertThat(file.filename()).isEqualTo("lines.jsonl");
    assertThat(file.createdAt()).isEqualTo(WALL_MILLIS / 1_000);
    FileObject second = create("more");
    assertThat(client.files().list().data())
        .extracting(FileObject::id)
        .containsExactly(second.id(), file.id());
    assertThat(client.files().retrieve(file.id()).validate()).isEqualTo(file);
    assertThat(content(file.id())).isEqualTo(LINES);
    assertThat(client.files().delete(file.id()).validate().deleted()).isTrue();
    assertThat(
            catchThrowableOfType(NotFoundException.class, () -> client.files().retrieve(file.id())))
        .isNotNull();
  }

  private Upload begin(long bytes) {
    return client
        .uploads()
        .create(
            UploadCreateParams.builder()
                .bytes(bytes)
                .filename("whole.txt")
                .mimeType("text/plain")
                .purpose(FilePurpose.BATCH)
                .build());
  }

  private UploadPart part(Upload upload, String text) {
    return client
        .uploads()
        .parts()
        .create(
            PartCreateParams.builder()
                .uploadId(upload.id())
                .data(new ByteArrayInputStream(text.getBytes(UTF_8)))
                .build());
  }

  private Upload complete(Upload upload, List<String> parts) {
    return client
        .uploads()
        .complete(UploadCompleteParams.builder().uploadId(upload.id()).partIds(parts).build());
  }

  @Test
  void upload_partsInTheOrderThatIsAsked_becomeAFile() throws IOException {
    Upload upload = begin(11).validate();
    assertThat(upload.status()).isEqualTo(Upload.Status.PENDING);
    String last = part(upload, "world").validate().id();
    String first = part(upload, "hello ").id();
    BadRequestException few =
        catchThrowableOfType(BadRequestException.class, () -> complete(upload, List.of(first)));
    assertThat(few.param()).contains("part_ids");
    Upload done = complete(upload, List.of(first, last)).validate();
    assertThat(done.status()).isEqualTo(Upload.Status.COMPLETED);
    FileObject file = done.file().orElseThrow();
    assertThat(file.filename()).isEqualTo("whole.txt");
    assertThat(content(file.id())).isEqualTo("hello world");
  }

  @Test
  void uploadCancelled_isGone() {
    Upload upload = begin(3);
    assertThat(client.uploads().cancel(upload.id()).validate().status())
        .isEqualTo(Upload.Status.CANCELLED);
    assertThat(catchThrowableOfType(NotFoundException.class, () -> part(upload, "abc")))
        .isNotNull();
  }

  private final MockFiles files = new MockFiles();

  private MockFiles.Reply post(String name, byte[] bytes) {
    byte[] before =
        ("--b\r\nContent-Disposition: form-data; name=\"purpose\"\r\n\r\nbatch\r\n--b\r\n"
                + "Content-Disposition: form-data; name=\"file\"; filename=\""
                + name
                + "\"\r\n\r\n")
            .getBytes(UTF_8);
    byte[] after = "\r\n--b--\r\n".getBytes(UTF_8);
    byte[] body = new byte[before.length + bytes.length + after.length];
    System.arraycopy(before, 0, body, 0, before.length);
    System.arraycopy(bytes, 0, body, before.length, bytes.length);
    System.arraycopy(after, 0, body, before.length + bytes.length, after.length);
    return files.answer(
        new MockFiles.Question("POST", "/v1/files", "multipart/form-data; boundary=b", body, 0));
  }

  private List<String> names() {
    MockFiles.Reply list =
        files.answer(new MockFiles.Question("GET", "/v1/files", null, new byte[0], 0));
    JsonNode data = JsonMapper.shared().readTree(list.body()).path("data");
    return data.valueStream().map(file -> file.path("filename").stringValue()).toList();
  }

  @Test
  void oneFileTooMany_oldestIsDropped() {
    for (int i = 0; i < MockFiles.MOST; i++) {
      post("f" + i, new byte[1]);
    }
    assertThat(names()).hasSize(MockFiles.MOST).contains("f0");
    post("last", new byte[1]);
    assertThat(names()).hasSize(MockFiles.MOST).contains("last", "f1").doesNotContain("f0");
  }

  @Test
  void oneByteTooMany_oldestIsDropped() {
    post("half", new byte[(int) (MockFiles.MOST_BYTES / 2)]);
    post("other half", new byte[(int) (MockFiles.MOST_BYTES / 2)]);
    assertThat(names()).containsExactly("other half", "half");
    post("one", new byte[1]);
    assertThat(names()).containsExactly("one", "other half");
  }

  @Test
  void bodyThatIsNoForm_orHasNoFile_isRefused() {
    MockFiles.Reply none =
        files.answer(new MockFiles.Question("POST", "/v1/files", null, new byte[0], 0));
    assertThat(none.refused()).isNotNull();
    MockFiles.Reply json =
        files.answer(
            new MockFiles.Question(
                "POST", "/v1/files", "application/json", "{}".getBytes(UTF_8), 0));
    assertThat(json.refused()).isNotNull();
    MockFiles.Reply broken =
        files.answer(
            new MockFiles.Question(
                "POST",
                "/v1/files",
                "multipart/form-data; boundary=b",
                "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\nx"
                    .getBytes(UTF_8),
                0));
    assertThat(broken.refused()).isNotNull();
  }
}
