package io.dht4j.benchmarks.results;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.benchmarks.report.Report;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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
        assertThat(directory.toFile().list())
                .containsExactlyInAnyOrder("results.json", "report.md", "report.html", "chart.svg");
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
        write(ResultsFile.format(SampleResults.everything()).replace("\"schema\" : 7", "\"schema\" : 1"));

        assertThatThrownBy(() -> ResultsFile.read(directory))
                .isInstanceOf(ResultsException.class)
                .hasMessageContaining("results.json")
                .hasMessageContaining("has schema 1, but this version reads schema 7");
    }

    @Test
    void anUnknownFieldIsRefusedByItsName() throws Exception {
        write(ResultsFile.format(SampleResults.everything())
                .replaceFirst("\"variant\" :", "\"colour\" : \"red\", \"variant\" :"));

        assertThatThrownBy(() -> ResultsFile.read(directory))
                .isInstanceOf(ResultsException.class)
                .hasMessageContaining("does not keep to schema 7")
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

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            "question" : [^\\n]*\\n | | question is missing
            "unit" : [^\\n]*\\n | | measurements[0].unit is missing
            "unit" : "[^"]*" | "unit" : null | measurements[0].unit is null
            "unit" : "[^"]*" | "unit" : [1] | measurements[0].unit has another type than the schema says
            "began" : "[^"]*" | "began" : "noon" | began has a value that the schema does not allow: 'noon'
            "tookSeconds" : [^,]* | "tookSeconds" : "a" | tookSeconds has a value that the schema does not allow: 'a'
            "values" : \\[[^]]*] | "values" : [null] | measurements[0] holds null where a value is needed
            "variant" : | "a": 1, "variant" : | measurements[0].a is a field that the schema does not have
            """)
    void whatDoesNotKeepToTheSchemaIsSaidInOneSentence(String field, String other, String problem) throws Exception {
        write(ResultsFile.format(SampleResults.with(List.of(SampleResults.bare("PUT", "jdk", 1.0))))
                .replaceFirst(field, other == null ? "" : other));

        assertThatThrownBy(() -> ResultsFile.read(directory))
                .isInstanceOf(ResultsException.class)
                .hasMessage(directory.resolve(ResultsFile.NAME) + ": does not keep to schema 7: " + problem);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {"schema" : 7 | : it ends too early at line 1, column 14
            {"schema" : 7}} | at line 1, column 15
            hello | at line 1, column 1
            """)
    void whatIsNotJsonIsSaidWithItsPlace(String text, String problem) {
        assertThatThrownBy(() -> ResultsFile.parse(text))
                .isInstanceOf(ResultsException.class)
                .hasMessageStartingWith("is not JSON")
                .hasMessageEndingWith(problem);
    }

    @Test
    void theSameMeasurementTwiceIsRefused() throws Exception {
        Measurement put = SampleResults.bare("PUT", "jdk", 1.0);
        write(ResultsFile.format(SampleResults.with(List.of(put, SampleResults.bare("GET", "jdk", 1.0), put))));

        assertThatThrownBy(() -> ResultsFile.read(directory))
                .isInstanceOf(ResultsException.class)
                .hasMessageEndingWith("measurements[0] and measurements[2] are the same measurement: PUT, jdk");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"javascript:alert(1)", "https://host/a", "/etc/passwd", "//host/a", "a/../../b", "\\\\\\\\host"})
    void aLinkOutOfTheReportIsRefused(String path) throws Exception {
        write(ResultsFile.format(SampleResults.everything())
                .replaceFirst("\"path\" : \"[^\"]*\"", "\"path\" : \"" + path + "\""));

        assertThatThrownBy(() -> ResultsFile.read(directory))
                .isInstanceOf(ResultsException.class)
                .hasMessageContaining("links[0] is out of range: path must be a path within the report's directory");
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
