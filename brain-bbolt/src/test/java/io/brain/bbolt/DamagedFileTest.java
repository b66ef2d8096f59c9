package io.brain.bbolt;

import static io.brain.bbolt.Databases.utf8;
import static io.brain.bbolt.RawFile.BRANCH;
import static io.brain.bbolt.RawFile.EMPTY;
import static io.brain.bbolt.RawFile.LARGE;
import static io.brain.bbolt.RawFile.PAGE;
import static io.brain.bbolt.RawFile.PAGES;
import static io.brain.bbolt.RawFile.ROOT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each kind of damage gives a message that names the page. */
class DamagedFileTest {
    /** A change of the file, in the form of a lambda. */
    private interface Damage extends UnaryOperator<RawFile> {}

    @TempDir Path directory;

    @Test
    void intactFiles() throws IOException {
        for (Damage harmless :
                new Damage[] {
                    f -> f,
                    f -> f.append(3),
                    f -> f.append(1).meta(PAGE, ROOT, Format.NO_FREELIST, PAGES + 1),
                    f -> f.append(1).meta(PAGE, ROOT, 2, PAGES + 1).freelist(1, PAGES),
                    f -> f.append(1).meta(PAGE, ROOT, 2, PAGES + 1).freelist(0xFFFF, 1, PAGES)
                }) {
            try (BboltReader reader = open(harmless)) {
                assertThat(reader.check()).isEqualTo(51);
                assertThat(reader.length()).isBetween(17L * PAGE, 18L * PAGE);
            }
        }
    }

    @Test
    void noDatabase() throws IOException {
        openFails("page 0: file is too short: 0 bytes", f -> f.truncate(0));
        openFails(
                "page 0: not a bbolt database (wrong magic number)",
                f -> f.int32(0, 16, 1).int32(1, 16, 1));
        openFails(
                "page 0: file of a big-endian machine is not supported",
                f -> f.int32(0, 16, 0xEDDA0CED).int32(1, 16, 0xEDDA0CED));
        openFails("page 0: unsupported version 3", f -> f.int32(0, 20, 3).int32(1, 20, 3));
        openFails(
                "page 0: wrong checksum of the meta page", f -> f.int32(0, 50, 3).int32(1, 50, 3));
    }

    @Test
    void fieldsOfMetaPages() throws IOException {
        openFails("page 0: wrong page size 1000", f -> f.meta(1000, ROOT, 2, PAGES));
        openFails("page 0: wrong page size 1073741824", f -> f.meta(1 << 30, ROOT, 2, PAGES));
        openFails(
                "page 1: file is truncated: 18 pages of 1024 bytes expected, 17408 bytes found",
                f -> f.meta(PAGE, ROOT, 2, PAGES + 1));
        openFails(
                "page 1: file is truncated: 18446744073709551615 pages of 1024 bytes expected,"
                        + " 17408 bytes found",
                f -> f.meta(PAGE, ROOT, 2, -1));
        checkFails("page 17: not one of the 17 pages", f -> f.meta(PAGE, PAGES, 2, PAGES));
        checkFails("page 0: not one of the 17 pages", f -> f.meta(PAGE, 0, 2, PAGES));
        checkFails(
                "page 9223372036854775808: not one of the 17 pages",
                f -> f.meta(PAGE, Long.MIN_VALUE, 2, PAGES));
        checkFails("page 99: not one of the 17 pages", f -> f.meta(PAGE, ROOT, 99, PAGES));
        checkFails("page 3: unexpected page type 0x02", f -> f.meta(PAGE, ROOT, 3, PAGES));
    }

    @Test
    void newestMetaPageCounts() throws IOException {
        // The root of the older one is the empty bucket.
        Meta older = new Meta(0, PAGE, EMPTY, 2, PAGES, 6);
        Meta newer = new Meta(1, PAGE, ROOT, 2, PAGES, 7);
        Damage both = f -> f.meta(older).meta(newer);
        assertThat(hasBuckets(both)).isTrue();
        assertThat(hasBuckets(f -> both.apply(f).int32(0, 60, 9))).isTrue();
        assertThat(hasBuckets(f -> both.apply(f).int32(1, 60, 9))).isFalse();
        Meta first = new Meta(0, PAGE, ROOT, 2, PAGES, 8);
        Meta second = new Meta(1, PAGE, EMPTY, 2, PAGES, 7);
        assertThat(hasBuckets(f -> f.meta(first).meta(second))).isTrue();
        assertThat(hasBuckets(f -> f.meta(first).meta(second).int32(0, 60, 9))).isFalse();
    }

    private boolean hasBuckets(Damage damage) throws IOException {
        try (BboltReader reader = open(damage)) {
            return reader.buckets().next();
        }
    }

    /** Every length is refused at once, for the meta pages name the last page. */
    @Test
    void truncatedFiles() throws IOException {
        for (int length = PAGES * PAGE - 1; length > 0; length -= 127) {
            int remaining = length;
            assertThatThrownBy(() -> open(f -> f.truncate(remaining)))
                    .isInstanceOf(BboltException.class)
                    .hasMessageMatching("page [01]: file is (truncated|too short): .*");
        }
    }

    @Test
    void fileThatGetsShorterWhileItIsRead() throws IOException {
        try (BboltReader reader =
                open(
                        f ->
                                f.append(100)
                                        .meta(PAGE, ROOT, Format.NO_FREELIST, PAGES + 100)
                                        .child(BRANCH, 5, PAGES + 99))) {
            Files.write(directory.resolve("database"), new byte[0]);
            assertThatThrownBy(reader::check)
                    .isInstanceOf(BboltException.class)
                    .hasMessageMatching("file: ends before byte [0-9]+");
        }
    }

    @Test
    void headersOfPages() throws IOException {
        checkFails("page 4: has the id 5", f -> f.int64(4, 0, 5));
        checkFails("page 4: unexpected page type 0x10", f -> f.type(4, 0x10));
        checkFails("page 4: unexpected page type 0x00", f -> f.type(4, 0));
        checkFails("page 4: unexpected page type 0x03", f -> f.type(4, 3));
        checkFails("page 4: no room for 64 elements", f -> f.count(4, 64));
        checkFails("page 4: no room for 65535 elements", f -> f.count(4, 0xFFFF));
        checkFails("page 4: 14 overflow pages exceed the file", f -> f.overflow(4, 14));
        checkFails("page 4: 4294967295 overflow pages exceed the file", f -> f.overflow(4, -1));
        checkFails("page 5: in use twice", f -> f.overflow(4, 1));
        checkFails("page 10: element 0 of 1 lies outside of its place", f -> f.overflow(LARGE, 3));
    }

    @Test
    void elementsOfPages() throws IOException {
        String place = " lies outside of its place";
        checkFails("page 4: element 3 of 9" + place, f -> f.element(4, 3, 4, -1));
        checkFails("page 4: element 3 of 9" + place, f -> f.element(4, 3, 4, 0));
        checkFails("page 4: element 3 of 9" + place, f -> f.element(4, 3, 4, 90));
        checkFails("page 4: element 4 of 9" + place, f -> f.element(4, 3, 12, 81));
        checkFails("page 4: element 8 of 9" + place, f -> f.element(4, 8, 12, -1));
        checkFails("page 9: element 2 of 6" + place, f -> f.element(BRANCH, 2, 0, 2000));
        checkFails("page 4: element 3 has a key of 0 bytes", f -> f.element(4, 3, 8, 0));
        checkFails("page 4: element 3 has a key of 4294967295 bytes", f -> f.element(4, 3, 8, -1));
        checkFails("page 4: element 3 has unexpected flags 0x1", f -> f.element(4, 3, 0, 1));
        checkFails("page 16: element 1 has unexpected flags 0x0", f -> f.element(ROOT, 1, 0, 0));
    }

    @Test
    void childrenOfBranches() throws IOException {
        checkFails("page 9: in use twice", f -> f.child(BRANCH, 1, BRANCH));
        checkFails("page 3: in use twice", f -> f.child(BRANCH, 1, 3));
        checkFails("page 2: unexpected page type 0x10", f -> f.child(BRANCH, 1, 2));
        checkFails("page 1: not one of the 17 pages", f -> f.child(BRANCH, 1, 1));
        checkFails(
                "page 18446744073709551615: not one of the 17 pages", f -> f.child(BRANCH, 1, -1));
    }

    /** Without a check, walks end as well. */
    @Test
    void cyclesAndSharedPages() throws IOException {
        String cycle = ": pages form a cycle or too deep a tree";
        readFails("page 9" + cycle, f -> f.child(BRANCH, 0, BRANCH));
        readFails("page 3: keys are not in order", f -> f.child(BRANCH, 1, 3));
        readFails("page 9: keys are not in order", f -> f.child(BRANCH, 4, 8));
        // Pages without keys count against the pages of the file.
        readFails(
                "page 15" + cycle,
                f -> {
                    for (int element = 0; element < 6; element++) {
                        f.child(BRANCH, element, EMPTY);
                    }
                    return f.append(3)
                            .meta(PAGE, ROOT, Format.NO_FREELIST, PAGES + 3)
                            .overflow(EMPTY, 4);
                });
    }

    @Test
    void orderOfKeys() throws IOException {
        checkFails("page 4: keys are not in order", f -> f.key(4, 3, "k11"));
        checkFails("page 4: keys are not in order", f -> f.key(4, 0, "k08"));
        checkFails("page 9: keys are not in order", f -> f.key(4, 8, "k18"));
        checkFails("page 4: keys are not in order", f -> f.key(BRANCH, 1, "k10"));
        checkFails("page 9: keys are not in order", f -> f.key(BRANCH, 1, "k08"));
        checkFails("page 16: keys are not in order", f -> f.key(ROOT, 1, "a"));
    }

    @Test
    void orderOfKeysInASeek() throws IOException {
        try (BboltReader reader = open(f -> f.key(5, 0, "k00"))) {
            BucketCursor cursor = reader.bucket(utf8("a")).orElseThrow();
            assertThatThrownBy(() -> cursor.seek(utf8("k17x")))
                    .isInstanceOf(BboltException.class)
                    .hasMessage("page 5: keys are not in order");
        }
    }

    @Test
    void inlineBucket() throws IOException {
        try (BboltReader reader = open(RawFile::inlineBucket)) {
            BucketCursor cursor = reader.bucket(utf8("c")).orElseThrow();
            assertThat(cursor.next()).isTrue();
            assertThat(cursor.key()).isEqualTo(utf8("key"));
            assertThat(cursor.value()).isEqualTo(utf8("value"));
            assertThat(cursor.next()).isFalse();
            assertThat(reader.check()).isEqualTo(52);
        }
    }

    @Test
    void headersOfBuckets() throws IOException {
        checkFails("page 16: bucket header of 15 bytes", f -> f.element(ROOT, 2, 12, 15));
        checkFails(
                "page 16: inline bucket of 15 bytes",
                f -> f.inlineBucket().element(ROOT, 2, 12, 31));
        int page = new RawFile(directory.resolve("other")).inlinePageAt() - ROOT * PAGE;
        checkFails(
                "page 16, inline bucket: unexpected page type 0x01",
                f -> f.inlineBucket().int32(ROOT, page + 8, Format.BRANCH));
        checkFails(
                "page 16, inline bucket: no room for 3 elements",
                f -> f.inlineBucket().int32(ROOT, page + 8, 3 << 16 | Format.LEAF));
        checkFails(
                "page 16, inline bucket: element 0 of 1 lies outside of its place",
                f -> f.inlineBucket().int32(ROOT, page + 16 + 12, 6));
    }

    @Test
    void freelist() throws IOException {
        Damage longer = f -> f.append(1).meta(PAGE, ROOT, 2, PAGES + 1);
        checkFails("page 17: neither in use nor free", longer);
        checkFails(
                "page 2: free page 18 does not exist", f -> longer.apply(f).freelist(1, PAGES + 1));
        checkFails("page 2: free page 1 does not exist", f -> longer.apply(f).freelist(1, 1));
        checkFails("page 4: free and in use, or free twice", f -> longer.apply(f).freelist(1, 4));
        checkFails(
                "page 17: free and in use, or free twice",
                f -> longer.apply(f).freelist(2, PAGES, PAGES));
        checkFails("page 2: no room for 127 free pages", f -> f.freelist(127));
        checkFails("page 2: no room for 126 free pages", f -> f.freelist(0xFFFF, 126));
        checkFails(
                "page 2: no room for 18446744073709551615 free pages", f -> f.freelist(0xFFFF, -1));
    }

    @Test
    void valueAboveTheLimit() throws IOException {
        Path path = new RawFile(directory.resolve("database")).write();
        try (BboltReader reader = BboltReader.open(path, 4999)) {
            BucketCursor cursor = reader.bucket(utf8("b")).orElseThrow();
            assertThat(cursor.next()).isTrue();
            assertThat(cursor.valueLength()).isEqualTo(5000);
            assertThatThrownBy(cursor::value)
                    .isInstanceOf(BboltException.class)
                    .hasMessage("page 10: value of 5000 bytes, at most 4999");
            assertThat(reader.check()).isEqualTo(51);
        }
    }

    @Test
    void cursorOutsideOfTheKeys() throws IOException {
        try (BboltReader reader = open(f -> f)) {
            BucketCursor cursor = reader.bucket(utf8("b")).orElseThrow();
            assertThatThrownBy(cursor::key).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(cursor::value).isInstanceOf(IllegalStateException.class);
            assertThat(cursor.seek(utf8("m"))).isFalse();
            assertThatThrownBy(cursor::valueLength).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(cursor::value).isInstanceOf(IllegalStateException.class);
            assertThat(cursor.next()).isFalse();
            assertThat(cursor.seek(utf8("a"))).isTrue();
            assertThat(cursor.next()).isFalse();
        }
    }

    private BboltReader open(Damage damage) throws IOException {
        return BboltReader.open(damage.apply(new RawFile(directory.resolve("database"))).write());
    }

    private void openFails(String message, Damage damage) {
        assertThatThrownBy(() -> open(damage))
                .isInstanceOf(BboltException.class)
                .hasMessage(message);
    }

    private void checkFails(String message, Damage damage) throws IOException {
        try (BboltReader reader = open(damage)) {
            assertThatThrownBy(reader::check)
                    .isInstanceOf(BboltException.class)
                    .hasMessage(message);
        }
    }

    /** Reads bucket "a" without a check. */
    private void readFails(String message, Damage damage) throws IOException {
        try (BboltReader reader = open(damage)) {
            BucketCursor cursor = reader.bucket(utf8("a")).orElseThrow();
            assertThatThrownBy(
                            () -> {
                                while (cursor.next()) {
                                    cursor.value();
                                }
                            })
                    .isInstanceOf(BboltException.class)
                    .hasMessage(message);
        }
    }
}
