package io.penstock.config.shape;

/** A value and its place in a route file. */
public record LocatedValue<T>(T value, SourcePlace place) {}
