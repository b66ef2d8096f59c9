package io.brain.backend.key;

import io.brain.backend.model.Member;
import io.brain.backend.wire.ByteReader;
import io.brain.backend.wire.ByteWriter;
import io.brain.storage.Bytes;
import java.util.List;

/**
 * A member as it is stored, under {@link KeyCoder#memberKey}.
 *
 * @param edition a random number: makes the record's bytes unique, however often a member changes
 */
public record MemberRecord(Member member, long edition) {
    private static final int FORMAT = 1;

    /** The stored form: a format byte, the edition, the name, the peer URLs, the client URLs. */
    public Bytes encode() {
        ByteWriter out = new ByteWriter(64).putByte(FORMAT).putLong(edition);
        Texts.write(out, List.of(member.name()));
        Texts.write(out, member.peerUrls());
        return Texts.write(out, member.clientUrls()).finish();
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
        return new MemberRecord(new Member(id, name, Texts.read(in), Texts.read(in)), edition);
    }
}
