package io.penstock.endpoint;

/** What is known of a ticket: it waits, or what became of it. */
public sealed interface Known permits Look, Past {}
