package io.penstock.mock;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * OpenAI's files and uploads at one address, kept in bounded memory: the oldest are dropped for new
 * ones. Thread-safe.
 */
final class MockFiles {
  /** Most files and uploads that are kept. */
  static final int MOST = 1_000;

  /** Most bytes of their contents. */
  static final long MOST_BYTES = 64L << 20;

  private static final int UPLOAD_SECONDS = 3_600;
  private static final String JSON = "application/json";
  private static final Pattern FILES =
      Pattern.compile("(?:/openai)?/v1/files(?:/([\\w-]{1,64})(/content)?)?");
  private static final Pattern UPLOADS =
      Pattern.compile("(?:/openai)?/v1/uploads(?:/([\\w-]{1,64})/(parts|complete|cancel))?");

  /**
   * A request about files.
   *
   * @param contentType the media type of its body, or null
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Question(
      String method, String path, @Nullable String contentType, byte[] body, long nowSeconds) {}

  /**
   * The answer to it.
   *
   * @param refused the reason of an error; null for none
   * @param contentType the media type of the body
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Reply(MockAsk.@Nullable Refused refused, String contentType, byte[] body) {
    private static Reply json(Object tree) {
      return new Reply(null, JSON, JsonMapper.shared().writeValueAsBytes(tree));
    }

    private static Reply bad(String param, String message) {
      return new Reply(MockAsk.Refused.bad(param, message), JSON, new byte[0]);
    }

    private static Reply missing(String what) {
      return new Reply(
          new MockAsk.Refused(MockAsk.Fault.NOT_FOUND, null, "No such " + what + "."),
          JSON,
          new byte[0]);
    }
  }

  /** Something that is kept: a file, or an upload with the parts it has so far. */
  private record Kept(
      String id,
      String name,
      String purpose,
      long createdSeconds,
      long statedBytes,
      Map<String, byte[]> parts) {
    long bytes() {
      return parts.values().stream().mapToLong(part -> part.length).sum();
    }
  }

  private final LinkedHashMap<String, Kept> files = new LinkedHashMap<>();
  private final LinkedHashMap<String, Kept> uploads = new LinkedHashMap<>();
  private long made;

  /** Returns whether a path is one of files or uploads. */
  static boolean isAbout(String path) {
    return FILES.matcher(path).matches() || UPLOADS.matcher(path).matches();
  }

  /** Answers a request whose path {@link #isAbout} files. */
  synchronized Reply answer(Question question) {
    Matcher file = FILES.matcher(question.path());
    if (file.matches()) {
      String id = file.group(1);
      return id == null ? files(question) : file(question, id, file.group(2) != null);
    }
    Matcher upload = UPLOADS.matcher(question.path());
    if (!upload.matches() || !question.method().equals("POST")) {
      return wrongMethod(question);
    }
    String id = upload.group(1);
    if (id == null) {
      return beginUpload(question);
    }
    Kept kept = uploads.get(id);
    if (kept == null) {
      return Reply.missing("upload object: " + id);
    }
    return switch (upload.group(2)) {
      case "parts" -> addPart(question, kept);
      case "complete" -> complete(question, kept);
      default -> {
        uploads.remove(id);
        yield Reply.json(uploadObject(kept, "cancelled", null));
      }
    };
  }

  private static Reply wrongMethod(Question question) {
    return new Reply(
        new MockAsk.Refused(
            MockAsk.Fault.BAD_METHOD, null, "The method is " + question.method() + "."),
        JSON,
        new byte[0]);
  }

  private Reply files(Question question) {
    return switch (question.method()) {
      case "GET" -> list();
      case "POST" -> create(question);
      default -> wrongMethod(question);
    };
  }

  /** Lists the newest first. */
  private Reply list() {
    List<Object> data = new ArrayList<>();
    files.sequencedValues().reversed().forEach(kept -> data.add(fileObject(kept)));
    Map<String, @Nullable Object> list = new LinkedHashMap<>();
    list.put("object", "list");
    list.put("data", data);
    list.put("has_more", false);
    list.put("first_id", files.isEmpty() ? null : files.lastEntry().getKey());
    list.put("last_id", files.isEmpty() ? null : files.firstEntry().getKey());
    return Reply.json(list);
  }

  private Reply create(Question question) {
    Map<String, MockForms.Part> form = MockForms.parts(question.contentType(), question.body());
    MockForms.Part purpose = form == null ? null : form.get("purpose");
    MockForms.Part file = form == null ? null : form.get("file");
    if (purpose == null) {
      return Reply.bad("purpose", "purpose: expected a form with the purpose of the file.");
    }
    if (file == null || file.filename() == null) {
      return Reply.bad("file", "file: expected a form with a file.");
    }
    Kept kept = newFile(file.filename(), purpose.text(), question.nowSeconds(), file.bytes());
    return Reply.json(fileObject(kept));
  }

  private Kept newFile(String name, String purpose, long nowSeconds, byte[] bytes) {
    String id = "file-mock-" + ++made;
    Kept kept = new Kept(id, name, purpose, nowSeconds, bytes.length, Map.of("", bytes));
    makeRoom(bytes.length);
    files.put(id, kept);
    return kept;
  }

  /** Drops the oldest files, and then the oldest uploads, until there is room for one more. */
  private void makeRoom(long bytes) {
    dropOldest(files, bytes);
    dropOldest(uploads, bytes);
  }

  private void dropOldest(Map<String, Kept> from, long bytes) {
    Iterator<Kept> oldest = from.values().iterator();
    while (oldest.hasNext()
        && (files.size() + uploads.size() >= MOST || keptBytes() + bytes > MOST_BYTES)) {
      oldest.next();
      oldest.remove();
    }
  }

  private long keptBytes() {
    return sum(files) + sum(uploads);
  }

  private static long sum(Map<String, Kept> all) {
    return all.values().stream().mapToLong(Kept::bytes).sum();
  }

  private Reply file(Question question, String id, boolean content) {
    Kept kept = files.get(id);
    if (kept == null) {
      return Reply.missing("File object: " + id);
    }
    boolean deletes = question.method().equals("DELETE") && !content;
    if (deletes) {
      files.remove(id);
      return Reply.json(Map.of("id", id, "object", "file", "deleted", true));
    }
    if (!question.method().equals("GET")) {
      return wrongMethod(question);
    }
    return content
        ? new Reply(null, "application/octet-stream", joined(kept.parts().values()))
        : Reply.json(fileObject(kept));
  }

  private static byte[] joined(Iterable<byte[]> parts) {
    ByteArrayOutputStream whole = new ByteArrayOutputStream();
    parts.forEach(whole::writeBytes);
    return whole.toByteArray();
  }

  private Reply beginUpload(Question question) {
    JsonNode body = body(question);
    String name = body.path("filename").stringValue("");
    String purpose = body.path("purpose").stringValue("");
    long bytes = body.path("bytes").asLong(0);
    if (name.isEmpty() || purpose.isEmpty() || bytes <= 0) {
      return Reply.bad("bytes", "expected filename, purpose, and bytes above 0.");
    }
    makeRoom(0);
    String id = "upload_mock_" + ++made;
    Kept kept = new Kept(id, name, purpose, question.nowSeconds(), bytes, new LinkedHashMap<>());
    uploads.put(id, kept);
    return Reply.json(uploadObject(kept, "pending", null));
  }

  private static JsonNode body(Question question) {
    JsonNode[] read = {JsonMapper.shared().createObjectNode()};
    MockRead.body(
        question.body(),
        tree -> {
          read[0] = tree;
          return new MockAsk.Count(0);
        });
    return read[0];
  }

  private Reply addPart(Question question, Kept upload) {
    Map<String, MockForms.Part> form = MockForms.parts(question.contentType(), question.body());
    MockForms.Part data = form == null ? null : form.get("data");
    if (data == null) {
      return Reply.bad("data", "data: expected a form with the bytes of the part.");
    }
    uploads.remove(upload.id()); // the upload itself must not be dropped for its own part
    makeRoom(upload.bytes() + data.bytes().length);
    uploads.put(upload.id(), upload);
    String id = "part_mock_" + ++made;
    upload.parts().put(id, data.bytes());
    return Reply.json(
        Map.of(
            "id",
            id,
            "object",
            "upload.part",
            "created_at",
            question.nowSeconds(),
            "upload_id",
            upload.id()));
  }

  private Reply complete(Question question, Kept upload) {
    List<byte[]> parts = new ArrayList<>();
    for (JsonNode id : body(question).path("part_ids")) {
      byte[] part = upload.parts().get(id.stringValue(""));
      if (part == null) {
        return Reply.bad("part_ids", "part_ids: expected parts of this upload.");
      }
      parts.add(part);
    }
    byte[] whole = joined(parts);
    if (whole.length != upload.statedBytes()) {
      return Reply.bad(
          "part_ids",
          "the parts have " + whole.length + " bytes, expected " + upload.statedBytes() + ".");
    }
    uploads.remove(upload.id());
    Kept file = newFile(upload.name(), upload.purpose(), question.nowSeconds(), whole);
    return Reply.json(uploadObject(upload, "completed", fileObject(file)));
  }

  private static Map<String, Object> fileObject(Kept kept) {
    Map<String, Object> file = new LinkedHashMap<>();
    file.put("id", kept.id());
    file.put("object", "file");
    file.put("bytes", kept.bytes());
    file.put("created_at", kept.createdSeconds());
    file.put("filename", kept.name());
    file.put("purpose", kept.purpose());
    file.put("status", "processed");
    return file;
  }

  private static Map<String, @Nullable Object> uploadObject(
      Kept kept, String status, @Nullable Object file) {
    Map<String, @Nullable Object> upload = new LinkedHashMap<>();
    upload.put("id", kept.id());
    upload.put("object", "upload");
    upload.put("bytes", kept.statedBytes());
    upload.put("created_at", kept.createdSeconds());
    upload.put("filename", kept.name());
    upload.put("purpose", kept.purpose());
    upload.put("status", status);
    upload.put("expires_at", kept.createdSeconds() + UPLOAD_SECONDS);
    upload.put("file", file);
    return upload;
  }
}
