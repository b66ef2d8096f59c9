package io.brain.backend.store;

import io.brain.backend.model.Member;
import io.brain.backend.wire.ByteReader;
import io.brain.backend.wire.ByteWriter;
import io.brain.storage.Bytes;
import java.time.Duration;
import java.util.List;

/**
 * A member, stored under {@link KeyCoder#memberKey}, and the process that serves as it. A running
 * process renews the record within each of its leases, with another edition.
 *
 * @param edition random number that makes each record unique
 * @param instance {@link Instance#NONE} if no process serves as this member, or one whose storage
 *     cannot be shared
 */
public record MemberRecord(Member member, long edition, Instance instance) {
    private static final int FORMAT = 1;

    /**
     * A process.
     *
     * @param id random number, chosen at start; never 0
     * @param lease the process has ended if the record was not renewed for this time
     * @param process description for operators: process id, host, start time; may be empty
     */
    public record Instance(long id, Duration lease, String process) {
        /** No process. */
        public static final Instance NONE = new Instance(0, Duration.ZERO, "");
    }

    /**
     * The stored form: a format byte, the edition, the name, the peer URLs, the client URLs; and,
     * if there is an instance, its id, its lease in milliseconds, and its description.
     */
    public Bytes encode() {
        ByteWriter out = new ByteWriter(128).putByte(FORMAT).putLong(edition);
        out.putStrings(List.of(member.name()));
        out.putStrings(member.peerUrls()).putStrings(member.clientUrls());
        if (instance.id() != 0) {
            out.putLong(instance.id()).putLong(instance.lease().toMillis());
            out.putStrings(List.of(instance.process()));
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
        String name = in.getStrings().get(0);
        Member member = new Member(id, name, in.getStrings(), in.getStrings());
        return new MemberRecord(member, edition, in.hasMore() ? instance(in) : Instance.NONE);
    }

    private static Instance instance(ByteReader in) {
        return new Instance(in.getLong(), Duration.ofMillis(in.getLong()), in.getStrings().get(0));
    }
}
