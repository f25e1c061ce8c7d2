package io.dht4j.packaging.supervised;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The unit of systemd keeps the server from what it does not need. */
class UnitTest {

    private static final Path UNIT = Path.of("src", "main", "dist", "lib", "systemd", "system", "dht4j.service");
    private static final Path ANALYZE = Path.of("/usr/bin/systemd-analyze");

    @TempDir
    private Path directory;

    @Test
    void serverSeesNoOtherProcessesAndUsersAndHasNoPrivileges() throws Exception {
        assertThat(Files.readAllLines(UNIT))
                .contains(
                        "CapabilityBoundingSet=",
                        "NoNewPrivileges=yes",
                        "PrivateUsers=yes",
                        "ProtectProc=invisible",
                        "ProtectSystem=strict",
                        "RemoveIPC=yes")
                .containsSubsequence("SystemCallFilter=@system-service", "SystemCallFilter=~@privileged @resources")
                // Otherwise a refused call would end the process.
                .contains("SystemCallErrorNumber=EPERM");
    }

    @Test
    void systemdAcceptsTheUnit() throws Exception {
        assumeTrue(Files.isExecutable(ANALYZE), "systemd is not installed");
        // The launcher is not installed here.
        Path unit = Files.writeString(
                directory.resolve("dht4j.service"),
                Files.readString(UNIT).replaceFirst("(?m)^ExecStart=.*$", "ExecStart=/bin/true"));

        Process process = new ProcessBuilder(ANALYZE.toString(), "verify", "--man=no", unit.toString())
                .redirectErrorStream(true)
                .start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(out).isZero();
    }
}
