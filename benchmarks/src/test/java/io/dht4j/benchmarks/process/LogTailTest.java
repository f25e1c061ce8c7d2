package io.dht4j.benchmarks.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogTailTest {

    @Test
    void whatComesAfterTheEndIsRememberedWithoutAComplaint(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("log");
        LogTail log = new LogTail(Optional.of(file));

        log.add("before");
        log.close();
        log.add("after");

        assertThat(log.lines()).containsExactly("before", "after");
        assertThat(file).hasContent("before");
    }
}
