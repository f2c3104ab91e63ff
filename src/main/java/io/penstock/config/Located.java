package io.penstock.config;

/** A value and where it was written. */
record Located<T>(T value, Place place) {}
