/**
 * Protobuf messages that are stored as they are sent (mvccpb.KeyValue, mvccpb.Event), encoded and
 * decoded without copies of values, and the byte reader and writer of all stored records.
 */
package io.brain.backend.wire;
