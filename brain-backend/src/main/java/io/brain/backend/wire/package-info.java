/**
 * The few protobuf messages that are stored as they are sent (mvccpb.KeyValue, mvccpb.Event), read
 * and written without decoding values, and the byte reader and writer under them.
 */
package io.brain.backend.wire;
