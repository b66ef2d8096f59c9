package io.brain.backend.store;

import io.brain.backend.model.Member;
import io.brain.backend.wire.ByteReader;
import io.brain.backend.wire.ByteWriter;
import io.brain.storage.Bytes;
import java.time.Duration;
import java.util.List;

/**
 * A member as it is stored, under {@link KeyCoder#memberKey}, and the process that serves as it. A
 * process that runs stores the record again, with another edition, before its lease has passed.
 *
 * @param edition a random number: makes the record's bytes unique, however often a member changes
 * @param instance the process; {@link Instance#NONE} if no process serves as this member, or one
 *     whose storage cannot be shared
 */
public record MemberRecord(Member member, long edition, Instance instance) {
    private static final int FORMAT = 1;

    /**
     * A process.
     *
     * @param id random number, chosen at its start; never 0
     * @param lease a record that was not stored again for so long is of a process that has ended
     * @param process text for operators: process id, host, start time; may be empty
     */
    public record Instance(long id, Duration lease, String process) {
        /** No process. */
        public static final Instance NONE = new Instance(0, Duration.ZERO, "");
    }

    /**
     * The stored form: a format byte, the edition, the name, the peer URLs, the client URLs; and,
     * if there is an instance, its id, its lease in milliseconds, and its text.
     */
    public Bytes encode() {
        ByteWriter out = new ByteWriter(128).putByte(FORMAT).putLong(edition);
        Texts.write(out, List.of(member.name()));
        Texts.write(out, member.peerUrls());
        Texts.write(out, member.clientUrls());
        if (instance.id() != 0) {
            out.putLong(instance.id()).putLong(instance.lease().toMillis());
            Texts.write(out, List.of(instance.process()));
        }
        return out.finish();
    }

    /**
     * Reads the stored form.
     *
     * @param id from the key
     */
    public static MemberRecord decode(long id, Bytes stored) {
        ByteReader in = new ByteReader(stored, 1);
        long edition = in.getLong();
        String name = Texts.read(in).get(0);
        Member member = new Member(id, name, Texts.read(in), Texts.read(in));
        return new MemberRecord(member, edition, in.hasMore() ? instance(in) : Instance.NONE);
    }

    private static Instance instance(ByteReader in) {
        return new Instance(in.getLong(), Duration.ofMillis(in.getLong()), Texts.read(in).get(0));
    }
}
