package io.penstock.mock;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.multipart.DefaultHttpDataFactory;
import io.netty.handler.codec.http.multipart.FileUpload;
import io.netty.handler.codec.http.multipart.HttpData;
import io.netty.handler.codec.http.multipart.HttpPostRequestDecoder;
import io.netty.handler.codec.http.multipart.HttpPostRequestDecoder.ErrorDataDecoderException;
import io.netty.handler.codec.http.multipart.InterfaceHttpData;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the fields and files of a {@code multipart/form-data} body. */
final class MockForms {
  /**
   * One part of a form.
   *
   * @param filename the name of its file, or null when it is a plain field
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Part(@Nullable String filename, byte[] bytes) {
    String text() {
      return new String(bytes, UTF_8);
    }
  }

  private MockForms() {}

  /** Returns the parts by name; null if the body is no such form. */
  static @Nullable Map<String, Part> parts(@Nullable String contentType, byte[] body) {
    if (contentType == null) {
      return null;
    }
    HttpHeaders headers = new DefaultHttpHeaders().set(HttpHeaderNames.CONTENT_TYPE, contentType);
    DefaultFullHttpRequest request =
        new DefaultFullHttpRequest(
            HttpVersion.HTTP_1_1,
            HttpMethod.POST,
            "/",
            Unpooled.wrappedBuffer(body),
            headers,
            new DefaultHttpHeaders());
    try {
      return HttpPostRequestDecoder.isMultipart(request) ? decoded(request) : null;
    } catch (ErrorDataDecoderException | IOException e) {
      return null;
    }
  }

  private static Map<String, Part> decoded(DefaultFullHttpRequest request) throws IOException {
    HttpPostRequestDecoder decoder =
        new HttpPostRequestDecoder(new DefaultHttpDataFactory(false), request);
    try {
      Map<String, Part> parts = new HashMap<>();
      for (InterfaceHttpData each : decoder.getBodyHttpDatas()) {
        if (each instanceof HttpData data) {
          String filename = each instanceof FileUpload file ? file.getFilename() : null;
          parts.put(each.getName(), new Part(filename, data.get()));
        }
      }
      return parts;
    } finally {
      decoder.destroy();
    }
  }
}
