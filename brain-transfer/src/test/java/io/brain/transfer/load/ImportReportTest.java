package io.brain.transfer.load;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ImportReportTest {
    @Test
    void aSourceWithoutACompactionHasNoCompactedRevision() {
        assertThat(report(-1).toString()).contains("revision 9, not compacted; ");
        assertThat(report(7).toString()).contains("revision 9, compacted at 7; ");
    }

    private static ImportReport report(long compacted) {
        return new ImportReport(9, compacted, 8, 0, 5, 345, 0, 0, 0, 0, false);
    }
}
