package io.brain.backend.cluster.link;

import io.brain.backend.store.Fence;
import io.brain.backend.store.ReadPoint;

/**
 * Where the store stands, as its leader tells followers.
 *
 * @param point the newest state that can be read
 * @param fence what the last published batch left under the fence's key
 * @param floor the compaction floor; -1 if nothing was compacted
 * @param alarms the alarms that are raised
 */
public record Standing(ReadPoint point, Fence fence, long floor, RaisedAlarms alarms) {}
