package io.brain.bench.wire;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import java.io.IOException;
import java.util.function.LongConsumer;

/**
 * The fields of a WatchResponse that the load generator needs, read without creating objects.
 *
 * @param created whether a watcher was created
 * @param canceled whether a watcher was cancelled
 * @param events number of events
 */
public record WatchReader(boolean created, boolean canceled, int events) {

    private static final int CREATED = 3;
    private static final int CANCELED = 4;
    private static final int EVENTS = 11;
    private static final int EVENT_KV = 2;
    private static final int KV_VALUE = 5;
    private static final int STAMP_BYTES = 8;

    /**
     * Reads a message.
     *
     * @param stamps receives the first eight bytes of each event's value, as a big-endian number
     * @throws IOException if it is malformed
     */
    public static WatchReader read(byte[] response, LongConsumer stamps) throws IOException {
        CodedInputStream in = CodedInputStream.newInstance(response);
        boolean created = false;
        boolean canceled = false;
        int events = 0;
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            switch (WireFormat.getTagFieldNumber(tag)) {
                case CREATED -> created = in.readBool();
                case CANCELED -> canceled = in.readBool();
                case EVENTS -> {
                    events++;
                    event(in, stamps);
                }
                default -> in.skipField(tag);
            }
        }
        return new WatchReader(created, canceled, events);
    }

    private static void event(CodedInputStream in, LongConsumer stamps) throws IOException {
        int outer = in.pushLimit(in.readRawVarint32());
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            if (WireFormat.getTagFieldNumber(tag) == EVENT_KV) {
                int inner = in.pushLimit(in.readRawVarint32());
                value(in, stamps);
                in.popLimit(inner);
            } else {
                in.skipField(tag);
            }
        }
        in.popLimit(outer);
    }

    private static void value(CodedInputStream in, LongConsumer stamps) throws IOException {
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            if (WireFormat.getTagFieldNumber(tag) != KV_VALUE) {
                in.skipField(tag);
                continue;
            }
            int bytes = in.readRawVarint32();
            if (bytes >= STAMP_BYTES) {
                stamps.accept(Long.reverseBytes(in.readRawLittleEndian64()));
                in.skipRawBytes(bytes - STAMP_BYTES);
            } else {
                in.skipRawBytes(bytes);
            }
        }
    }
}
