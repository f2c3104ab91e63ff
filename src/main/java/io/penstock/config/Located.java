package io.penstock.config;

/** A value and its place in a route file. */
record Located<T>(T value, Place place) {}
