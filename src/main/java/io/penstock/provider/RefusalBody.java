package io.penstock.provider;

/**
 * The body of a refusal, ready to send.
 *
 * @param contentType its media type
 * @param bytes its content in UTF-8; not copied, so not to be written to
 */
@SuppressWarnings("ArrayRecordComponent") // written once to the wire, never compared
public record RefusalBody(String contentType, byte[] bytes) {}
