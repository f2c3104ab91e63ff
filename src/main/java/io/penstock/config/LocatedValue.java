package io.penstock.config;

/** A value and its place in a route file. */
record LocatedValue<T>(T value, SourcePlace place) {}
