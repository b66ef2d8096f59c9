package io.brain.server.logging;

import ch.qos.logback.core.encoder.EncoderBase;
import com.google.gson.stream.JsonWriter;
import io.brain.server.logging.AccessLine.Call;
import io.brain.server.logging.AccessLine.Outcome;
import io.brain.server.logging.AccessLine.Subject;
import io.brain.storage.Bytes;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.Locale;

/** Encodes a JSON object per line; omits empty fields. */
final class AccessEncoder extends EncoderBase<AccessLine> {
    @Override
    public byte[] headerBytes() {
        return new byte[0];
    }

    @Override
    public byte[] footerBytes() {
        return new byte[0];
    }

    @Override
    public byte[] encode(AccessLine line) {
        StringWriter text = new StringWriter(256);
        try {
            JsonWriter json = new JsonWriter(text);
            json.beginObject();
            json.name("ts")
                    .value(
                            DateTimeFormatter.ISO_INSTANT.format(
                                    line.time().truncatedTo(ChronoUnit.MICROS)));
            json.name("event").value(line.event().name().toLowerCase(Locale.ROOT));
            call(json, line.call());
            subject(json, line.subject());
            if (line.outcome() != null) {
                outcome(json, line.outcome());
            }
            json.endObject();
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return text.append('\n').toString().getBytes(StandardCharsets.UTF_8);
    }

    private static void call(JsonWriter json, Call call) throws IOException {
        json.name("method").value(call.method());
        if (call.peer() != null) {
            json.name("peer").value(text(call.peer()));
        }
        if (call.commonName() != null) {
            json.name("cn").value(call.commonName());
        }
        if (call.trace() != null) {
            json.name("trace_id").value(call.trace());
        }
    }

    private static void subject(JsonWriter json, Subject subject) throws IOException {
        key(json, "key", subject.key());
        if (subject.keyBytes() > subject.key().length()) {
            json.name("key_bytes").value(subject.keyBytes());
        }
        key(json, "range_end", subject.rangeEnd());
        if (subject.steps() > 0) {
            json.name("steps").value(subject.steps());
        }
        if (subject.lease() != 0) {
            json.name("lease").value(Long.toHexString(subject.lease()));
        }
    }

    private static void outcome(JsonWriter json, Outcome outcome) throws IOException {
        json.name("code").value(outcome.code());
        json.name("us").value(outcome.micros());
        if (outcome.revision() != 0) {
            json.name("revision").value(outcome.revision());
        }
        json.name("received").value(outcome.received().messages());
        json.name("received_bytes").value(outcome.received().bytes());
        json.name("sent").value(outcome.sent().messages());
        json.name("sent_bytes").value(outcome.sent().bytes());
    }

    /** Writes valid UTF-8 as text, other bytes as Base64 under NAME64. */
    private static void key(JsonWriter json, String name, Bytes key) throws IOException {
        if (key.isEmpty()) {
            return;
        }
        try {
            ByteBuffer bytes = ByteBuffer.wrap(key.array());
            String text = StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
            json.name(name).value(text);
        } catch (CharacterCodingException binary) {
            json.name(name + "64").value(Base64.getEncoder().encodeToString(key.array()));
        }
    }

    private static String text(SocketAddress peer) {
        if (peer instanceof InetSocketAddress internet && internet.getAddress() != null) {
            String host = internet.getAddress().getHostAddress();
            return (host.contains(":") ? '[' + host + ']' : host) + ':' + internet.getPort();
        }
        return peer.toString();
    }
}
