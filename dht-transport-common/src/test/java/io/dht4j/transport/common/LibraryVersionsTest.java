package io.dht4j.transport.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LibraryVersionsTest {

    @ParameterizedTest
    @ValueSource(strings = {"4.1.128.Final", "4.2.15.Final", "3.10.6", "4.2.17.Final-SNAPSHOT"})
    void anOlderLibraryIsRefusedWithBothVersionsAndTheRemedy(String found) {
        assertThatThrownBy(() ->
                        LibraryVersions.requireAtLeast("Netty", found, "4.2.18.Final", "import the BOM that has it"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("Netty on the class path is " + found
                        + ", but must be 4.2.18.Final or later: import the BOM that has it");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "4.2.18.Final",
                "4.2.18",
                "4.2.100.Final",
                "4.10.0",
                "5.0.0.Alpha1",
                "unknown",
                "4.2.redhat-1",
                ""
            })
    void theSameALaterOrAnUnknownVersionIsAccepted(String found) {
        assertThatCode(() -> LibraryVersions.requireAtLeast("Netty", found, "4.2.18.Final", "do nothing"))
                .doesNotThrowAnyException();
    }

    @Test
    void versionsAreReadFromTheLibrarysResources() {
        ClassLoader loader = new ClassLoader(null) {
            @Override
            public InputStream getResourceAsStream(String name) {
                return switch (name) {
                    case "version.txt" -> stream(" 5.2.0 \nmore\n");
                    case "empty.txt" -> stream("");
                    default -> null;
                };
            }
        };
        assertThat(LibraryVersions.firstLine(loader, "version.txt")).contains("5.2.0");
        assertThat(LibraryVersions.firstLine(loader, "empty.txt")).isEmpty();
        assertThat(LibraryVersions.firstLine(loader, "none.txt")).isEmpty();
    }

    private static InputStream stream(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    }
}
