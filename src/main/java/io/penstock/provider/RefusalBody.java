package io.penstock.provider;

/**
 * The body of a refusal, ready to send.
 *
 * @param contentType its media type
 * @param bytes its content in UTF-8; not copied, so must not be modified
 */
@SuppressWarnings("ArrayRecordComponent") // written once to the wire, never compared
public record RefusalBody(String contentType, byte[] bytes) {}
