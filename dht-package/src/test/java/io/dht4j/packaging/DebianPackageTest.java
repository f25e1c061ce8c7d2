package io.dht4j.packaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The Debian package, as Debian's own tool shows it. */
class DebianPackageTest {

    @TempDir
    private Path directory;

    @BeforeEach
    void needsTheTool() {
        assumeTrue(
                Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
                        .anyMatch(place -> Files.isExecutable(Path.of(place, "dpkg-deb"))),
                "dpkg-deb is not installed");
    }

    private String show(String... options) throws Exception {
        List<String> command = new ArrayList<>(List.of("dpkg-deb"));
        command.addAll(List.of(options));
        Installation.Run run = Installation.run(directory, Map.of(), command);
        assertThat(run.exitCode()).as(run.err()).isZero();
        return run.out();
    }

    @Test
    void filesAreWhereDebianKeepsThem() throws Exception {
        assertThat(show("-c", Installation.DEBIAN.toString()).lines())
                .anyMatch(line -> line.startsWith("-rw-r--r-- root/root") && line.endsWith(" ./etc/dht4j/server.env"))
                .anyMatch(line -> line.startsWith("-rwxr-xr-x root/root") && line.endsWith("./usr/share/dht4j/bin/dht"))
                .anyMatch(line -> line.endsWith(" ./usr/bin/dht -> ../share/dht4j/bin/dht"))
                .anyMatch(line -> line.contains(" ./usr/share/dht4j/lib/dht-server-"))
                .anyMatch(line -> line.endsWith(" ./usr/share/man/man1/dht-server.1"))
                .anyMatch(line -> line.endsWith(" ./usr/share/bash-completion/completions/dht"))
                .anyMatch(line -> line.endsWith(" ./usr/share/doc/dht4j/copyright"))
                .anyMatch(line -> line.endsWith(" ./usr/lib/sysusers.d/dht4j.conf"))
                .anyMatch(line -> line.endsWith(" ./usr/lib/systemd/system/dht4j.service"))
                .noneMatch(line -> line.contains("/opt") || line.contains("/target"));
    }

    @Test
    void itNeedsJavaAndKeepsTheSettings() throws Exception {
        assertThat(show("-f", Installation.DEBIAN.toString()))
                .startsWith("Package: dht4j\n")
                .contains("\nArchitecture: all\n", "java17-runtime-headless", "\nInstalled-Size: ");
        assertThat(show("-I", Installation.DEBIAN.toString(), "conffiles").strip())
                .isEqualTo("/etc/dht4j/server.env");
    }

    @Test
    void theInstallationTellsHowToStartAndStartsNothing() throws Exception {
        String script = show("-I", Installation.DEBIAN.toString(), "postinst");

        assertThat(script)
                .contains("systemd-sysusers dht4j.conf")
                .contains("echo \"dht4j: set up the node in /etc/dht4j/server.env, then start it: systemctl enable");
        assertThat(script.lines().map(String::strip))
                .noneMatch(line -> line.startsWith("systemctl enable") || line.startsWith("systemctl start"));
    }
}
