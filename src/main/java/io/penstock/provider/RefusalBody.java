package io.penstock.provider;

/**
 * The body of a refusal, ready to send.
 *
 * @param status the HTTP status of the answer that has it
 * @param contentType its media type
 * @param bytes its content in UTF-8; not copied, so must not be modified
 */
@SuppressWarnings("ArrayRecordComponent") // written once to the wire, never compared
public record RefusalBody(int status, String contentType, byte[] bytes) {}
