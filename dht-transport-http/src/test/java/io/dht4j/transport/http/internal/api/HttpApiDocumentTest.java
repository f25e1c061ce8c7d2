package io.dht4j.transport.http.internal.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.ErrorCode;
import io.dht4j.transport.http.internal.common.HttpProblem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The documented table of errors is the one that the code has. */
class HttpApiDocumentTest {

    @Test
    void theTableOfErrorsIsComplete() throws IOException {
        StringBuilder expected = new StringBuilder("| code | name | status | action |\n|---|---|---|---|\n");
        for (ErrorCode code : ErrorCode.values()) {
            expected.append("| ")
                    .append(code.number())
                    .append(" | `")
                    .append(code.name())
                    .append("` | ")
                    .append(HttpProblem.statusOf(code))
                    .append(" | `")
                    .append(code.action())
                    .append("` |\n");
        }
        assertThat(documented()).isEqualTo(expected.toString());
    }

    private static String documented() throws IOException {
        String document = Files.readString(Path.of("..", "docs", "reference", "http-api.md"));
        int begin = document.indexOf('\n', document.indexOf("<!-- errors:")) + 1;
        return document.substring(begin, document.indexOf("<!-- end of errors -->"));
    }

    @Test
    void everyActionHasStatusesOfItsOwnKind() {
        for (ErrorCode code : ErrorCode.values()) {
            int status = HttpProblem.statusOf(code);
            switch (code.action()) {
                case FIX_REQUEST -> assertThat(status).isBetween(400, 499);
                case RETRY_ANYWHERE -> assertThat(status).isIn(503, 504);
                case REPEAT_ONLY_THIS -> assertThat(status).isIn(500, 504);
                case BACK_OFF -> assertThat(status).isEqualTo(503);
            }
        }
    }
}
