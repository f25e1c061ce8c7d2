package io.dht4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks that the BOM agrees with the build, which it cannot inherit from. */
class BomTest {

    private final String bom = read("dht-bom/pom.xml");
    private final String parent = read("pom.xml");

    @Test
    void theBomManagesEachModuleThatUsersDependOn() {
        List<String> published = all("<module>(dht-[a-z-]+)</module>", parent).stream()
                .filter(module -> !module.equals("dht-bom") && !module.equals("dht-package"))
                .toList();

        assertThat(published).hasSizeGreaterThan(9);
        assertThat(all("<groupId>io.dht4j</groupId>\\s*<artifactId>(dht-[a-z-]+)</artifactId>", bom))
                .containsExactlyInAnyOrderElementsOf(withSelf(published));
    }

    @Test
    void theBomHasTheVersionOfTheBuild() {
        assertThat(all("<version>([^$<]+)</version>", bom).get(0))
                .isEqualTo(all("<version>([^$<]+)</version>", parent).get(0));
    }

    @Test
    void theBomManagesTheLibrariesThatTheTestsRanWith() {
        List<String> properties = all("<([a-z0-9-]+\\.version)>", bom);

        assertThat(properties).contains("netty.version", "vertx.version", "grpc.version");
        for (String property : properties) {
            assertThat(value(property, bom)).as(property).isEqualTo(value(property, parent));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"docs/guide/getting-started.md", "docs/guide/spring-boot.md"})
    void gradleExamplesImportTheBomOfTheBuild(String page) {
        assertThat(all("platform\\(\"io.dht4j:dht-bom:([^\"]+)\"\\)", read(page)))
                .containsExactly(all("<version>([^$<]+)</version>", parent).get(0));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "docs/guide/use-with-a-framework.md",
                "compat/frameworks/quarkus-3/pom.xml",
                "dht-transport-grpc/src/main/java/io/dht4j/transport/grpc/internal/GrpcVersions.java"
            })
    void whateverNamesTheVersionOfGrpcNamesTheOneOfTheBuild(String file) {
        assertThat(read(file)).contains(value("grpc.version", parent));
    }

    private static List<String> withSelf(List<String> modules) {
        return Stream.concat(modules.stream(), Stream.of("dht-bom")).toList();
    }

    private static String value(String property, String xml) {
        return all("<" + property + ">([^<]+)</", xml).get(0);
    }

    private static List<String> all(String pattern, String text) {
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        return matcher.results().map(result -> result.group(1)).toList();
    }

    private static String read(String file) {
        Path path = Checkout.root().resolve(file);
        try {
            return Files.readString(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
