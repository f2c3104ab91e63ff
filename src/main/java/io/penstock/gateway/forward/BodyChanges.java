package io.penstock.gateway.forward;

import io.penstock.json.BodyEdit;
import io.penstock.pool.Addition;
import java.util.List;
import java.util.Set;

/**
 * The changes to a body for one attempt.
 *
 * @param edits the changes, in their order
 * @param added what they add by themselves
 */
record BodyChanges(List<BodyEdit> edits, Set<Addition> added) {}
