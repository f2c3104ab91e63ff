package io.penstock.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pool.UpstreamSpec;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests {@code ${file:PATH}} in route files. */
class FileReferenceTest {
  private static final String SECRET = "sk-of-the-file-1234567890";

  @TempDir private Path directory;

  private Path secret;
  private Routes routes;

  @BeforeEach
  void write() throws IOException {
    routes = new Routes(Files.createDirectory(directory.resolve("routes")));
    secret = directory.resolve("secret");
    Files.writeString(secret, SECRET + "\n");
  }

  private Routes upstream(String settings) {
    return routes.write(
        "a.yaml",
        "endpoints:\n  - path: /a\n    upstreams: [{id: u, url: 'http://u', %s}]\n"
            .formatted(settings.replace("FILE", "${file:" + secret + "}")));
  }

  private UpstreamSpec loaded() {
    return routes.good(Map.of()).endpoints().getFirst().upstreams().getFirst();
  }

  private String fault(String settings) {
    return upstream(settings).faults(Map.of()).getFirst();
  }

  @Test
  void keyAndHeader_comeFromTheFile_withoutItsLastNewline_andAreNotShown() {
    upstream("api_key: 'FILE', headers: {X-Team: 'team FILE'}");
    ConfigurationSnapshot snapshot = routes.good(Map.of());
    UpstreamSpec spec = loaded();
    assertThat(spec.access().apiKey()).isEqualTo(SECRET);
    assertThat(spec.access().headers()).containsEntry("X-Team", "team " + SECRET);
    assertThat(snapshot.endpoints().getFirst().entry().shown().toString())
        .contains("***")
        .doesNotContain(SECRET);
    assertThat(snapshot.warnings()).isEmpty();
    assertThat(spec.toString()).doesNotContain(SECRET);
  }

  @Test
  void nextLoad_readsTheFileAgain() throws IOException {
    upstream("api_key: 'FILE'");
    assertThat(loaded().access().apiKey()).isEqualTo(SECRET);
    Files.writeString(secret, "sk-next\r\n");
    assertThat(loaded().access().apiKey()).isEqualTo("sk-next");
  }

  @Test
  void onlyOneNewline_isCut_andNothingElseIsSent() throws IOException {
    Files.writeString(secret, SECRET + "\n\n");
    assertThat(fault("headers: {X-Team: 'FILE'}"))
        .contains("header 'X-Team' cannot be sent")
        .doesNotContain(SECRET);
  }

  @Test
  void fileThatCannotBeTaken_isAFaultWithItsPath() throws IOException {
    Files.write(secret, new byte[(64 << 10) + 1]);
    assertThat(fault("api_key: 'FILE'"))
        .startsWith("a.yaml:3:")
        .contains("api_key takes file '" + secret + "', which is larger than 64 KiB");
    Files.write(secret, "x".repeat(64 << 10).getBytes(StandardCharsets.UTF_8));
    assertThat(fault("api_key: 'FILE'")).contains("cannot be sent");
    Files.delete(secret);
    assertThat(fault("api_key: 'FILE'")).contains("which is not there");
    Files.createDirectory(secret);
    assertThat(fault("api_key: 'FILE'")).contains("which cannot be read");
  }

  @Test
  void pipe_isAFault_andIsNotWaitedFor() throws IOException, InterruptedException {
    Files.delete(secret);
    assertThat(new ProcessBuilder("mkfifo", secret.toString()).start().waitFor()).isZero();
    assertThat(fault("api_key: 'FILE'")).contains("which cannot be read");
  }

  @Test
  void emptyFile_disablesTheUpstream() throws IOException {
    Files.writeString(secret, "\n");
    upstream("api_key: 'FILE'");
    assertThat(loaded().access().disabledBecause()).isEqualTo("its file is empty");
  }

  @Test
  void otherSettings_takeNoFile() {
    assertThat(fault("proxy: 'FILE'")).contains("is taken in api_key and headers only");
  }
}
