package io.dht4j.benchmarks.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ThisBuildTest {

    @TempDir
    private Path directory;

    @Test
    void onlyJarsOfTheProjectIdentifyTheBuild() throws Exception {
        String one = ThisBuild.of(jar("dht-core.jar", "one") + File.pathSeparator + jar("netty.jar", "1"));

        assertThat(one).matches("sha256 [0-9a-f]{12}");
        assertThat(ThisBuild.of(jar("netty.jar", "2") + File.pathSeparator + jar("dht-core.jar", "one")))
                .isEqualTo(one);
        assertThat(ThisBuild.of(jar("dht-core.jar", "two"))).isNotEqualTo(one);
        assertThat(ThisBuild.of("classes")).isEqualTo("not from jars");
    }

    private String jar(String name, String content) throws Exception {
        return Files.writeString(directory.resolve(name), content).toString();
    }
}
