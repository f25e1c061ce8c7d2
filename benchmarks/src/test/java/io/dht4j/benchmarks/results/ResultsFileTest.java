package io.dht4j.benchmarks.results;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.benchmarks.report.Report;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("portable")
class ResultsFileTest {

    @TempDir
    Path directory;

    @Test
    void whatIsWrittenIsReadBack() throws Exception {
        Results results = SampleResults.everything();

        Report.write(directory, results);

        assertThat(ResultsFile.read(directory)).isEqualTo(results);
    }

    @Test
    void writingAgainReplacesEverythingAndLeavesNothingElse() throws Exception {
        Report.write(directory, SampleResults.everything());
        Results fewer = SampleResults.with(List.of(SampleResults.bare("PUT", "jdk", 1.0)));

        Report.write(directory, fewer);

        assertThat(ResultsFile.read(directory)).isEqualTo(fewer);
        assertThat(directory.toFile().list()).containsExactlyInAnyOrder("results.json", "report.md", "report.html");
    }

    @Test
    void anInterruptedThreadWritesAllTheSame() throws Exception {
        Thread.currentThread().interrupt();
        try {
            Report.write(directory, SampleResults.everything());
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
        assertThat(ResultsFile.read(directory)).isEqualTo(SampleResults.everything());
    }

    @Test
    void anotherSchemaIsRefusedByItsNumber() throws Exception {
        write(ResultsFile.format(SampleResults.everything()).replace("\"schema\" : 6", "\"schema\" : 1"));

        assertThatThrownBy(() -> ResultsFile.read(directory))
                .isInstanceOf(ResultsException.class)
                .hasMessageContaining("results.json")
                .hasMessageContaining("has schema 1, but this version reads schema 6");
    }

    @Test
    void anUnknownFieldIsRefusedByItsName() throws Exception {
        write(ResultsFile.format(SampleResults.everything())
                .replaceFirst("\"variant\" :", "\"colour\" : \"red\", \"variant\" :"));

        assertThatThrownBy(() -> ResultsFile.read(directory))
                .isInstanceOf(ResultsException.class)
                .hasMessageContaining("does not keep to schema 6")
                .hasMessageContaining("colour");
    }

    @Test
    void aMissingFieldIsRefusedByItsName() throws Exception {
        write(ResultsFile.format(SampleResults.everything()).replaceFirst("\"question\" : [^\\n]*\\n", ""));

        assertThatThrownBy(() -> ResultsFile.read(directory))
                .isInstanceOf(ResultsException.class)
                .hasMessageContaining("question");
    }

    @Test
    void aValueOutOfRangeIsRefusedWithItsPlace() throws Exception {
        write(ResultsFile.format(SampleResults.with(List.of(SampleResults.bare("PUT", "jdk", 1.0))))
                .replaceFirst("\"values\" : \\[[^]]*]", "\"values\" : []"));

        assertThatThrownBy(() -> ResultsFile.read(directory))
                .isInstanceOf(ResultsException.class)
                .hasMessageContaining("measurements")
                .hasMessageContaining("values of PUT, jdk");
    }

    @Test
    void bytesThatAreNoTextAreRefusedWithTheFile() throws Exception {
        Files.write(directory.resolve(ResultsFile.NAME), new byte[] {'{', (byte) 0xff, (byte) 0xfe, '}'});
        assertThatThrownBy(() -> ResultsFile.read(directory))
                .isInstanceOf(ResultsException.class)
                .hasMessage(directory.resolve(ResultsFile.NAME) + ": is not JSON: it is no text in UTF-8");
    }

    @Test
    void whatIsNoReportIsRefused() throws Exception {
        assertThatThrownBy(() -> ResultsFile.read(directory))
                .isInstanceOf(ResultsException.class)
                .hasMessageContaining("is not the directory of a report: it has no results.json");
        assertThatThrownBy(() -> ResultsFile.read(directory.resolve("absent")))
                .isInstanceOf(ResultsException.class)
                .hasMessageContaining("is not a directory: there is nothing there");
        write("hello");
        assertThatThrownBy(() -> ResultsFile.read(directory))
                .isInstanceOf(ResultsException.class)
                .hasMessageContaining("is not JSON");
        write("[1]");
        assertThatThrownBy(() -> ResultsFile.read(directory))
                .isInstanceOf(ResultsException.class)
                .hasMessageContaining("names no schema");
    }

    private void write(String text) throws Exception {
        Files.writeString(directory.resolve(ResultsFile.NAME), text);
    }
}
