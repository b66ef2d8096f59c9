package io.brain.bench.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufInputStream;
import java.io.IOException;

/** A running call on a {@link LeanConnection}. Confined to the event loop. */
final class LeanCall {

    static final int PREFIX_BYTES = 5;

    final int stream;
    final Reply reply;

    /** Flow-control window of the stream. */
    long window;

    private final byte[] request;
    private int sent;
    private ByteBuf pieces;
    private Answer answer;

    LeanCall(int stream, byte[] request, Reply reply, long window) {
        this.stream = stream;
        this.request = request;
        this.reply = reply;
        this.window = window;
    }

    /** Unsent bytes of the prefixed message. */
    int left() {
        return PREFIX_BYTES + request.length - sent;
    }

    /** Writes the next bytes of the prefixed message. */
    void write(ByteBuf out, int bytes) {
        int from = sent;
        sent += bytes;
        if (from == 0 && bytes >= PREFIX_BYTES) {
            out.writeByte(0).writeInt(request.length);
            out.writeBytes(request, 0, bytes - PREFIX_BYTES);
            return;
        }
        for (int i = from; i < sent; i++) { // a window that ends within the prefix
            out.writeByte(i < PREFIX_BYTES ? prefix(i) : request[i - PREFIX_BYTES]);
        }
    }

    private int prefix(int at) {
        return at == 0 ? 0 : request.length >>> (8 * (PREFIX_BYTES - 1 - at));
    }

    /** Adds the content of a DATA frame; the answer is one message in one or more frames. */
    void take(ByteBuf data) throws IOException {
        if (pieces == null && isWhole(data)) {
            read(data);
            return;
        }
        if (pieces == null) {
            int most = data.readableBytes() < PREFIX_BYTES ? PREFIX_BYTES : length(data);
            pieces = data.alloc().buffer(most);
        }
        pieces.writeBytes(data);
        if (isWhole(pieces)) {
            read(pieces);
            release();
        }
    }

    /** Releases the buffer. */
    void release() {
        if (pieces != null) {
            pieces.release();
            pieces = null;
        }
    }

    /**
     * Completes the call.
     *
     * @param failure null on success
     */
    void end(String failure) {
        release();
        if (failure == null && answer != null) {
            reply.answered(answer);
        } else {
            reply.failed(failure == null ? "no answer" : failure);
        }
    }

    private static boolean isWhole(ByteBuf data) {
        return data.readableBytes() >= PREFIX_BYTES && data.readableBytes() >= length(data);
    }

    private static int length(ByteBuf prefixed) {
        return PREFIX_BYTES + prefixed.getInt(prefixed.readerIndex() + 1);
    }

    private void read(ByteBuf data) throws IOException {
        data.skipBytes(1);
        int length = data.readInt();
        try (ByteBufInputStream in = new ByteBufInputStream(data, length)) {
            answer = Answer.read(in);
        }
    }
}
