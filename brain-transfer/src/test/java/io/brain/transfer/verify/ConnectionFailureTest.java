package io.brain.transfer.verify;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConnectionFailureTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "https://h:1|unable to find valid certification path to requested"
                        + " target|(--cacert)",
                "https://h:1|Received fatal alert: bad_certificate|(--cert, --key)",
                "https://h:1|Received fatal alert: certificate_required|(--cert, --key)",
                "http://h:1|Network closed for unknown reason|begins with https://",
                "https://h:1|Network closed for unknown reason|unknown reason",
                "http://h:1|Connection refused: h:1|h:1"
            })
    void aRefusalByTlsSaysWhatToDo(String name, String description, String end) {
        Status status = Status.UNAVAILABLE.withDescription(description);
        assertThat(EndpointSide.failure(name, status.asRuntimeException()))
                .hasMessageStartingWith(name + ": " + description)
                .message()
                .endsWith(end);
    }
}
